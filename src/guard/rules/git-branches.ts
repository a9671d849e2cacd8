import { ownValue } from "../../protocol/index.ts";
import { describe, knownText, wordSet } from "../../shell/index.ts";
import { components, dirname, isInside, resolve } from "../../system/index.ts";
import { classifyPath, hasBranch, listRemotes, type Target } from "../../workspace/index.ts";
import type { GitRun } from "../git/run.ts";
import type { RuleTable } from "../rule.ts";
import {
  type CommandEffect,
  type EffectOf,
  type RuleContext,
  type RuleFamily,
  targetsForWord,
  touchedPath,
} from "../rule-context.ts";

const RULES = {
  "git.push": {
    title: "rewrites a published branch",
    verdict: "ask",
    when: "A push that forces, deletes, mirrors or prunes; on a protected branch it denies. --force-with-lease to another branch passes.",
    examples: {
      asks: { "git push --force origin feature/x": "feature/x" },
      passes: [
        "git push origin feature/x",
        "git push --force-with-lease origin feature/x",
        "git push -n -f origin feature/x",
      ],
    },
    lost: "It would overwrite or delete {target} on the remote, and with it commits of others.",
    person: "Commits that are only there cannot be brought back from here.",
    model: "Push a branch of your own, without force.",
    safer: "git push --force-with-lease origin HEAD",
  },
  "git.main": {
    title: "changes a protected branch directly",
    verdict: "ask",
    atLevel: { relaxed: "allow" },
    when: "At standard and strict a commit on main or master denies; it asks in a repository without a remote, and for its first commit. Other commits, merges, rebases and pushes on protected branches ask. At relaxed all of these pass.",
    examples: {
      asks: { "git push origin main": "main" },
      passes: ["git push origin feature/x", "git push -n origin main"],
    },
    lost: "It would {action} {target} directly, without a pull request.",
    person: "To allow it for good: amplihack config set guard.rules.git.main allow.",
    model: "Work on another branch; skipping hooks does not help.",
    safer: "git switch -c feature/my-change",
  },
  "git.verify": {
    title: "skips the checks of a commit",
    verdict: "ask",
    isOperation: true,
    when: "--no-verify denies; turning hooks off by configuration, by environment or by removing them asks.",
    examples: {
      denies: { "git commit --no-verify -m x": "git commit" },
      passes: ["git commit -m x", "git push -n"],
    },
    lost: "It would skip the checks that {target} runs (pre-commit, commit-msg, pre-push).",
    person: "What they would have reported goes in unchecked.",
    model: "Fix what they report, then commit normally; only a person may skip them.",
    safer: "pre-commit run --all-files",
  },
} satisfies RuleTable;

/** Changes of protected branches, and ways past the checks of a commit. */
function inspectBranches(effect: CommandEffect, context: RuleContext): void {
  if (effect.kind !== "git") inspectHookFiles(effect, context);
  else {
    if (effect.run.subcommand === "push") inspectPush(effect, context);
    inspectCommits(effect, context);
    inspectVerify(effect, context);
  }
}

function inspectPush({ run, by }: EffectOf<"git">, context: RuleContext): void {
  const push = readPush(run);
  if (push.isDryRun || (isThrownAway(run, context) && pushesNearby(run, context))) return;
  if (push.sweeps === "mirror") context.report("git.push", by, "every branch");
  else if (push.sweeps === "prune") context.report("git.push", by, "branches that are gone here");
  // A name of a list may begin with a colon, which deletes.
  if (by.invocation?.isOpenEnded === true) context.report("git.push", by, "whatever a list names");
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

/**
 * From one temporary folder to another, or nowhere yet: nobody else has what is replaced there. A repository that is not on
 * the disk yet has to be made by the same command, and by nothing that could bring a remote along.
 */
function pushesNearby(run: GitRun, { workspace, facts, effects }: RuleContext): boolean {
  const { disk } = workspace;
  const texts = facts.invocations.flatMap(({ program, argv }) =>
    program === "git" ? [argv.map(describe)] : [],
  );
  const isMade = texts.some(text => text.includes("init") || text.includes("clone"));
  const isBrought = effects.some(
    one => one.kind === "write" && (one.from !== undefined || one.how === "extract" || one.isInto === true),
  );
  if (run.repository === undefined && (!isMade || isBrought)) return false;
  if (
    run.settings.length > 0 ||
    texts.flat().some(word => /:\/\/|@[\w.-]+:/.test(word) && !word.startsWith("file:"))
  )
    return false;
  // Remotes that the same command makes are not on the disk yet.
  const added = texts.flatMap(text => {
    const at = text.findIndex(word => /^(?:clone|add|set-url|config)$/.test(word));
    return at < 0 || (text[at] === "add" && !text.includes("remote")) ? [] : text.slice(at + 1);
  });
  const [remote = ""] = run.options.operands.map(({ value }) => describe(value));
  const known = run.repository === undefined ? [] : listRemotes(disk, run.repository);
  return [...known, ...added, remote]
    .filter(word => /[:/]/.test(word))
    .every(address => {
      const path = address.replace(/^file:\/\//, "");
      return (
        !path.includes(":") &&
        classifyPath(workspace, disk.resolve(resolve(workspace.directory, path), true)) === "temp"
      );
    });
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

function inspectCommits({ run, by }: EffectOf<"git">, context: RuleContext): void {
  const { workspace, report } = context;
  const { branch, repository, subcommand } = run;
  const action = ownValue(MAKES_COMMITS, subcommand);
  if (action === undefined || branch === undefined) return;
  if (!isProtectedBranch(workspace.settings.protectedBranches, branch)) return;
  const isCommit = subcommand === "commit";
  const isHarmless = isCommit
    ? ["dry-run", "help", "short", "porcelain", "long"].some(name => run.options.isOn(name))
    : run.argv.some(word => ENDS_AN_OPERATION.has(describe(word)));
  if (isHarmless) return;
  const isUnborn = repository !== undefined && !hasBranch(workspace.disk, repository, branch);
  // Without a remote nobody else works on it, and no pull request can be made.
  const isShared = repository === undefined || listRemotes(workspace.disk, repository).length > 0;
  // Nobody has it but whoever made it in a temporary folder.
  if (!isShared && isThrownAway(run, context)) return;
  const isDenied =
    isCommit && isMainBranch(branch) && !isUnborn && isShared && workspace.settings.level !== "relaxed";
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

/** A repository in a temporary folder has no hooks that anybody relies on. */
function isThrownAway({ directory, repository }: GitRun, { workspace }: RuleContext): boolean {
  const place = knownText(directory);
  const top = repository?.top ?? place;
  if (place === undefined || top === undefined) return false;
  return [place, top].every(path => classifyPath(workspace, workspace.disk.resolve(path, true)) === "temp");
}

function inspectVerify({ run, by }: EffectOf<"git">, context: RuleContext): void {
  const { subcommand, options } = run;
  const target = `git ${subcommand}`;
  if (isThrownAway(run, context)) return;
  if (KNOWS_NO_VERIFY.has(subcommand)) {
    if (subcommand === "push" ? options.isOn("n") : options.isOn("dry-run")) return;
    if (options.isOn("help")) return;
    const isSkipped = options.has("no-verify") || (SHORT_NO_VERIFY.has(subcommand) && options.has("n"));
    // The person's own prompt asked for it.
    if (isSkipped && context.workspace.given.facts?.maySkipHooks !== true)
      context.report("git.verify", by, target, { verdict: "deny" });
  }
  if (subcommand === "pull" && run.argv.some(word => describe(word) === "--no-verify"))
    context.report("git.verify", by, target);
  if (!RUNS_HOOKS.has(subcommand)) return;
  if (run.settings.some(setting => setting.key === "core.hookspath"))
    context.report("git.verify", by, target);
  for (const { name, value } of by.invocation?.environment ?? []) {
    if (value !== undefined && ownValue(HOOK_VARIABLES, name)?.test(describe(value)) === true)
      context.report("git.verify", by, `${target} (${name})`);
  }
}

/** Removing hooks, or taking their right to run, skips them as well. */
function inspectHookFiles(effect: CommandEffect, context: RuleContext): void {
  const path = effect.kind === "read" ? undefined : touchedPath(effect);
  if (path === undefined || knownText(path)?.endsWith(".sample") === true) return;
  if (effect.kind === "attributes" && !removesExecution(effect.setting)) return;
  if (effect.kind === "write" && effect.how === "create") return;
  for (const target of targetsForWord(context, path, effect.by, false)) {
    const parts = components(target.path ?? target.base ?? "/");
    const isHusky = parts.includes(".husky");
    const isHook = parts.some((part, index) => part === ".git" && parts[index + 1] === "hooks");
    if (
      effect.kind === "write"
        ? isHook && !isHusky && !installsHook(effect, target, context)
        : isHook || isHusky
    )
      context.report("git.verify", effect.by, target.shown);
  }
}

/** A hook that was not there, taken from a file of the project: none is skipped by it. */
function installsHook(effect: EffectOf<"write">, { path }: Target, context: RuleContext): boolean {
  const { workspace, facts } = context;
  const { project, given, disk } = workspace;
  if (path === undefined || project === undefined || given.system.files.inspect(path) !== undefined)
    return false;
  const link = facts.links.find(one => knownText(one.path) === path)?.target;
  const sources =
    link !== undefined
      ? [resolve(dirname(path), knownText(link) ?? "/")]
      : effect.from === undefined
        ? []
        : targetsForWord(context, effect.from, effect.by, true).map(target => target.path ?? "/");
  return (
    sources.length > 0 &&
    sources.every(source => isInside(project, source) && disk.kind(disk.resolve(source, true)) === "file")
  );
}

function removesExecution(setting: string): boolean {
  return (
    /-[a-z]*x|^-x|=r?w?(,|$)/.test(setting) ||
    (/^0?[0-7]{3,4}$/.test(setting) && !/[1357]/.test(setting.slice(-3)))
  );
}

interface PushedRef {
  /** branch or tag on the other side; undefined when it cannot be known */
  readonly name: string | undefined;
  readonly isForced: boolean;
  readonly isDeleted: boolean;
}

interface Push {
  readonly isDryRun: boolean;
  /** everything is replaced or pruned: --mirror, --prune */
  readonly sweeps: "mirror" | "prune" | undefined;
  readonly hasLease: boolean;
  readonly refs: readonly PushedRef[];
}

/** What a push would do to the branches of the remote. */
function readPush({ options, branch }: GitRun): Push {
  const isForced = options.mayBeOn("f");
  const hasLease = options.has("force-with-lease") && !options.has("no-force-with-lease");
  const refspecs = options.operands
    .slice(options.has("repo") ? 0 : 1)
    .map(operand => describe(operand.value));
  const isDeleting = options.has("d");
  const refs = refspecs.flatMap((spec, index): PushedRef[] => {
    if (spec === "tag" || refspecs[index - 1] === "tag") return [];
    return [readRefspec(spec, branch, isForced, isDeleting)];
  });
  if (isForced && options.has("tags")) refs.push({ name: "tags", isForced, isDeleted: false });
  if (refs.length === 0 && !options.has("tags", "mirror") && !isDeleting) {
    if (options.has("all", "branches")) refs.push({ name: "main", isForced, isDeleted: false });
    else refs.push({ name: branch, isForced, isDeleted: false });
  }
  return {
    isDryRun: options.isOn("n") || options.isOn("help"),
    sweeps: options.has("mirror") ? "mirror" : options.has("prune") ? "prune" : undefined,
    hasLease: hasLease && !isForced,
    refs,
  };
}

function readRefspec(
  spec: string,
  branch: string | undefined,
  isForced: boolean,
  isDeleting: boolean,
): PushedRef {
  const isPlus = spec.startsWith("+");
  const body = isPlus ? spec.slice(1) : spec;
  const colon = body.indexOf(":");
  const source = colon < 0 ? body : body.slice(0, colon);
  const destination = colon < 0 ? body : body.slice(colon + 1);
  const isDeleted = isDeleting || (colon === 0 && destination !== "");
  const named = (destination === "" ? source : destination).replace(/^refs\/heads\//, "");
  const isEvery = named === "*";
  const name = named === "HEAD" || named === "@" ? branch : isEvery ? "main" : named;
  return { name, isForced: isForced || isPlus, isDeleted };
}

/** `release/*` matches within one name part, as branch protection does. */
export function isProtectedBranch(patterns: readonly string[], name: string | undefined): boolean {
  if (name === undefined) return false;
  return patterns.some(pattern => {
    if (!pattern.includes("*")) return pattern === name;
    const expression = pattern
      .split("*")
      .map(part => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join("[^ ]*");
    return new RegExp(`^${expression}$`).test(name);
  });
}

/** The ones whose commits are refused outright. */
function isMainBranch(name: string | undefined): boolean {
  return name === "main" || name === "master";
}

export const GIT_BRANCHES = {
  name: "branch-and-hook-bypass",
  rules: RULES,
  checks: [{ inspect: inspectBranches }],
} satisfies RuleFamily;
