import { describe, knownText, wordSet } from "../../shell/index.ts";
import { components } from "../../system/index.ts";
import { hasBranch } from "../../workspace/index.ts";
import type { CommandEffect, EffectOf } from "../effects.ts";
import { isMainBranch, isProtectedBranch, readPush } from "../git/push.ts";
import { lookUp } from "../look-up.ts";
import { type RuleContext, targetsOf, touchedPath } from "../rule-context.ts";

/** Changes of protected branches, and ways past the checks of a commit. */
export function inspectBranches(effect: CommandEffect, context: RuleContext): void {
  if (effect.kind !== "git") inspectHookFiles(effect, context);
  else {
    if (effect.run.subcommand === "push") inspectPush(effect, context);
    inspectCommits(effect, context);
    inspectVerify(effect, context);
  }
}

function inspectPush({ run, by }: EffectOf<"git">, context: RuleContext): void {
  const push = readPush(run);
  if (push.isDryRun) return;
  if (push.sweeps === "mirror") context.report("git.push", by, "every branch");
  else if (push.sweeps === "prune") context.report("git.push", by, "branches that are gone here");
  for (const { name, isForced, isDeleted } of push.refs) {
    const isProtected = isProtectedBranch(context.workspace.settings.protectedBranches, name);
    const target = name ?? "the current branch";
    if (isProtected && (isForced || isDeleted || push.hasLease)) {
      const safer = "git push origin HEAD:refs/heads/my-change";
      context.report("git.push", by, target, { verdict: "deny", safer });
    } else if (isForced || isDeleted) context.report("git.push", by, target);
    else if (isProtected) context.report("git.main", by, target, { action: "push to" });
  }
}

const MAKES_COMMITS: Readonly<Record<string, string>> = {
  commit: "commit to",
  merge: "merge into",
  rebase: "rebase",
  "cherry-pick": "add commits to",
  revert: "add a commit to",
  am: "apply mails to",
};

const ENDS_AN_OPERATION = wordSet(
  "--abort --quit --skip --show-current-patch --continue --resolved --edit-todo --help -h --dry-run --ff-only",
);

function inspectCommits({ run, by }: EffectOf<"git">, { workspace, report }: RuleContext): void {
  const { branch, repository, subcommand } = run;
  const action = lookUp(MAKES_COMMITS, subcommand);
  if (action === undefined || branch === undefined) return;
  if (!isProtectedBranch(workspace.settings.protectedBranches, branch)) return;
  const isCommit = subcommand === "commit";
  const isHarmless = isCommit
    ? ["dry-run", "help", "short", "porcelain", "long"].some(name => run.options.isOn(name))
    : run.argv.some(word => ENDS_AN_OPERATION.has(describe(word)));
  if (isHarmless) return;
  const isUnborn = repository !== undefined && !hasBranch(workspace.disk, repository, branch);
  const isDenied = isCommit && isMainBranch(branch) && !isUnborn && workspace.settings.level !== "relaxed";
  report("git.main", by, branch, { action, verdict: isDenied ? "deny" : undefined });
}

/** Commands that know `--no-verify`; only here `-n` is short for it. */
const KNOWS_NO_VERIFY = wordSet("commit am push merge rebase");
const SHORT_NO_VERIFY = wordSet("commit am");
const RUNS_HOOKS = wordSet("commit push merge rebase am cherry-pick revert pull");

const HOOK_VARIABLES: Readonly<Record<string, RegExp>> = {
  HUSKY: /^(0|false|)$/,
  HUSKY_SKIP_HOOKS: /^(?!0$|false$|$)/,
  LEFTHOOK: /^(0|false)$/,
  SKIP: /^.+/,
  PRE_COMMIT_ALLOW_NO_CONFIG: /^(?!0$|$)/,
  SKIP_HOOKS: /^(?!0$|false$|$)/,
  GIT_HOOKS_DISABLED: /^(?!0$|$)/,
  OVERCOMMIT_DISABLE: /^(?!0$|$)/,
};

function inspectVerify({ run, by }: EffectOf<"git">, context: RuleContext): void {
  const { subcommand, options } = run;
  const target = `git ${subcommand}`;
  if (KNOWS_NO_VERIFY.has(subcommand)) {
    if (subcommand === "push" ? options.isOn("n") : options.isOn("dry-run")) return;
    if (options.isOn("help")) return;
    if (options.has("no-verify") || (SHORT_NO_VERIFY.has(subcommand) && options.has("n")))
      context.report("git.verify", by, target, { verdict: "deny" });
  }
  if (subcommand === "pull" && run.argv.some(word => describe(word) === "--no-verify"))
    context.report("git.verify", by, target);
  if (!RUNS_HOOKS.has(subcommand)) return;
  if (run.settings.some(setting => setting.key === "core.hookspath"))
    context.report("git.verify", by, target);
  for (const { name, value } of by.invocation?.environment ?? []) {
    if (value !== undefined && lookUp(HOOK_VARIABLES, name)?.test(describe(value)) === true)
      context.report("git.verify", by, `${target} (${name})`);
  }
}

/** Removing hooks, or taking their right to run, skips them as well. */
function inspectHookFiles(effect: CommandEffect, context: RuleContext): void {
  const path = effect.kind === "read" ? undefined : touchedPath(effect);
  if (path === undefined || knownText(path)?.endsWith(".sample") === true) return;
  if (effect.kind === "attributes" && !removesExecution(effect.setting)) return;
  if (effect.kind === "write" && effect.how === "create") return;
  for (const target of targetsOf(context, path, effect.by, false)) {
    const parts = components(target.path ?? target.base ?? "/");
    const isHusky = parts.includes(".husky");
    const isHook = parts.some((part, index) => part === ".git" && parts[index + 1] === "hooks");
    if (effect.kind === "write" ? isHook && !isHusky : isHook || isHusky)
      context.report("git.verify", effect.by, target.shown);
  }
}

function removesExecution(setting: string): boolean {
  return (
    /-[a-z]*x|^-x|=r?w?(,|$)/.test(setting) ||
    (/^0?[0-7]{3,4}$/.test(setting) && !/[1357]/.test(setting.slice(-3)))
  );
}
