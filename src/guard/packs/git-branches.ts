import { type OptionSpec, parseOptions } from "../../shell/options.ts";
import { describe, knownText } from "../../shell/value.ts";
import { components } from "../../system/paths.ts";
import type { CommandEffect, EffectOf } from "../effects.ts";
import type { GitRun } from "../git/invocation.ts";
import { isMainBranch, isProtectedBranch, readPush } from "../git/push.ts";
import { hasBranch } from "../git/repository.ts";
import { lookUp } from "../look-up.ts";
import type { Rule } from "../rule.ts";
import { type Pack, type RuleContext, targetsOf } from "../rule-context.ts";
import { wordSet, words } from "../words.ts";
import { reportOperation } from "./operations.ts";

const RULES: readonly Rule[] = [
  {
    id: "git.push",
    title: "rewrites a published branch",
    verdict: "ask",
    when: "A push that forces, deletes, mirrors or prunes; on a protected branch it denies. --force-with-lease to another branch is free.",
    lost: "It would overwrite or delete {target} on the remote, and with it commits of others.",
    safer: "git push --force-with-lease origin HEAD",
  },
  {
    id: "git.main",
    title: "changes a protected branch directly",
    verdict: "ask",
    when: "A commit on main or master denies (the first commit of a new repository asks); other commits, merges, rebases and pushes on protected branches ask.",
    lost: "It would {action} {target} directly. Protected branches change by pull request only; skipping hooks does not help, and the agent cannot switch this off.",
    safer: "git switch -c feature/my-change",
  },
  {
    id: "git.verify",
    title: "skips the checks of a commit",
    verdict: "ask",
    when: "--no-verify denies; turning hooks off by configuration, by environment or by removing them asks.",
    lost: "It would skip the checks that {target} runs (pre-commit, commit-msg, pre-push). Fix what they report, then commit normally; only a human may override this.",
    safer: "pre-commit run --all-files",
  },
];

export const gitBranches: Pack = {
  name: "branch-and-hook-bypass",
  rules: RULES,
  inspect(effect, context) {
    if (effect.kind === "git") {
      inspectPush(effect, context);
      inspectBranch(effect, context);
      inspectVerify(effect, context);
    } else if (effect.kind === "operation" && effect.rule === "git.verify")
      reportOperation(effect, context, false);
    else inspectHookFiles(effect, context);
  },
};

function inspectPush(effect: EffectOf<"git">, context: RuleContext): void {
  if (effect.run.subcommand !== "push") return;
  const push = readPush(effect.run);
  if (push.isDryRun) return;
  const { protectedBranches } = context.workspace.settings;
  if (push.sweeps !== undefined) {
    context.report(
      "git.push",
      { target: push.sweeps === "mirror" ? "every branch" : "branches that are gone here" },
      effect.by,
    );
  }
  for (const ref of push.refs) {
    const isProtected = isProtectedBranch(protectedBranches, ref.name);
    const shown = ref.name ?? "the current branch";
    if (isProtected && (ref.isForced || ref.isDeleted || push.hasLease)) {
      context.report(
        "git.push",
        { target: shown, verdict: "deny", safer: "git push origin HEAD:refs/heads/my-change" },
        effect.by,
      );
    } else if (ref.isForced || ref.isDeleted) context.report("git.push", { target: shown }, effect.by);
    else if (isProtected) context.report("git.main", { target: shown, action: "push to" }, effect.by);
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
  "--abort --quit --skip --show-current-patch --continue --edit-todo --help -h --dry-run --ff-only",
);

function inspectBranch(effect: EffectOf<"git">, context: RuleContext): void {
  const { run } = effect;
  const action = lookUp(MAKES_COMMITS, run.subcommand);
  const { branch } = run;
  if (action === undefined || branch === undefined) return;
  if (!isProtectedBranch(context.workspace.settings.protectedBranches, branch)) return;
  if (
    run.subcommand === "commit"
      ? isDryCommit(run)
      : run.argv.some(word => ENDS_AN_OPERATION.has(describe(word)))
  )
    return;
  const isUnborn = run.repository !== undefined && !hasBranch(context.workspace.disk, run.repository, branch);
  const isClassic = run.subcommand === "commit" && isMainBranch(branch) && !isUnborn;
  context.report("git.main", { target: branch, action, verdict: isClassic ? "deny" : undefined }, effect.by);
}

export const COMMIT: OptionSpec = {
  values: words(
    "m message F file C reuse-message c reedit-message author date cleanup fixup squash t template trailer pathspec-from-file",
  ),
  optional: words("S gpg-sign u untracked-files"),
  flags: words(`
    a all amend allow-empty allow-empty-message n no-verify verify q quiet v verbose s signoff no-signoff dry-run short
    branch porcelain long z null e edit no-edit p patch i include o only no-post-rewrite status no-status
    no-gpg-sign reset-author ahead-behind pathspec-file-nul interactive help
  `),
  as: { "no-verify": "n" },
};

function isDryCommit(run: GitRun): boolean {
  return parseOptions(run.argv, COMMIT).has("dry-run", "help", "short", "porcelain", "long");
}

/** Options of the other commands that know --no-verify; `-n` means something else there. */
const WITH_NO_VERIFY: Readonly<Record<string, OptionSpec>> = {
  commit: COMMIT,
  am: {
    values: words("C p directory exclude include whitespace patch-format quoted-cr empty"),
    optional: words("S gpg-sign show-current-patch"),
    flags: words(
      "n no-verify verify s signoff k keep b m message-id c scissors no-scissors q u utf8 no-utf8 3 3way no-3way r resolved skip abort quit i interactive ignore-space-change reject rerere-autoupdate committer-date-is-author-date ignore-date",
    ),
    as: { "no-verify": "n" },
  },
  push: {
    flags: ["no-verify", "verify"],
    values: ["receive-pack", "exec", "repo", "o", "push-option"],
  },
  merge: {
    flags: ["no-verify", "verify"],
    values: words("m F s strategy X strategy-option into-name cleanup"),
    optional: ["S", "log"],
  },
  rebase: {
    flags: ["no-verify", "verify"],
    values: words("onto s strategy X strategy-option x exec C whitespace empty"),
    optional: ["S", "rebase-merges", "r"],
  },
};

const HOOK_VARIABLES: Readonly<Record<string, RegExp>> = {
  HUSKY: /^(0|false|)$/,
  HUSKY_SKIP_HOOKS: /^(?!0$|false$|$)/,
  HUSKY_SKIP_INSTALL: /^$^/,
  LEFTHOOK: /^(0|false)$/,
  SKIP: /^.+/,
  PRE_COMMIT_ALLOW_NO_CONFIG: /^(?!0$|$)/,
  SKIP_HOOKS: /^(?!0$|false$|$)/,
  GIT_HOOKS_DISABLED: /^(?!0$|$)/,
  OVERCOMMIT_DISABLE: /^(?!0$|$)/,
};

const RUNS_HOOKS = wordSet("commit push merge rebase am cherry-pick revert pull");

function inspectVerify(effect: EffectOf<"git">, context: RuleContext): void {
  const { run, by } = effect;
  const spec = lookUp(WITH_NO_VERIFY, run.subcommand);
  const target = `git ${run.subcommand}`;
  const options = spec === undefined ? undefined : parseOptions(run.argv, spec);
  if (options?.has("dry-run") === true) return;
  if (options?.has(spec?.as?.["no-verify"] ?? "no-verify") === true)
    context.report("git.verify", { target, verdict: "deny" }, by);
  if (run.subcommand === "pull" && run.argv.some(word => describe(word) === "--no-verify"))
    context.report("git.verify", { target }, by);
  if (!RUNS_HOOKS.has(run.subcommand)) return;
  if (run.settings.some(setting => setting.key === "core.hookspath"))
    context.report("git.verify", { target }, by);
  for (const { name, value } of by.invocation?.environment ?? []) {
    const pattern = lookUp(HOOK_VARIABLES, name);
    if (value !== undefined && pattern?.test(describe(value)) === true)
      context.report("git.verify", { target: `${target} (${name})` }, by);
  }
}

/** Removing hooks, or taking their right to run, skips them as well. */
function inspectHookFiles(effect: CommandEffect, context: RuleContext): void {
  const path =
    effect.kind === "delete" || effect.kind === "write" || effect.kind === "attributes"
      ? effect.path
      : effect.kind === "move"
        ? effect.from
        : undefined;
  if (path === undefined) return;
  if (effect.kind === "attributes" && !removesExecution(effect.setting)) return;
  if (effect.kind === "write" && effect.how === "create") return;
  for (const target of targetsOf(context, path, effect.by, false)) {
    const parts = components(target.path ?? target.base ?? "/");
    const isHook = parts.some(
      (part, index) =>
        (part === ".git" && parts[index + 1] === "hooks") || (part === ".husky" && index < parts.length),
    );
    const isOwn = knownText(path)?.endsWith(".sample") !== true;
    if (isHook && isOwn && !(effect.kind === "write" && parts.includes(".husky"))) {
      context.report("git.verify", { target: target.shown }, effect.by);
    }
  }
}

function removesExecution(setting: string): boolean {
  return (
    /-[a-z]*x|^-x|=r?w?(,|$)/.test(setting) ||
    (/^0?[0-7]{3,4}$/.test(setting) && !/[1357]/.test(setting.slice(-3)))
  );
}
