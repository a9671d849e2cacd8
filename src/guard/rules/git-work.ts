import type { RuleId } from "../../config/index.ts";
import { isRegenerableInProject } from "../../programs/index.ts";
import { ownValue } from "../../protocol/index.ts";
import { describe, knownText, type Value, words } from "../../shell/index.ts";
import { components, join } from "../../system/index.ts";
import { classifyPath, hasBranch } from "../../workspace/index.ts";
import { isForcedClean } from "../git/changes.ts";
import { readCheckout, readSwitch } from "../git/effects.ts";
import type { GitRun } from "../git/run.ts";
import type { RuleTable } from "../rule.ts";
import type { CommandEffect, RuleContext, RuleFamily } from "../rule-context.ts";
import { GIT_CONTENT } from "./git-content.ts";

const GENTLE = { relaxed: "allow" } as const;
const NO_COPY = "Git keeps no copy of uncommitted changes.";

const RULES = {
  "git.reset": {
    title: "throws away changes",
    verdict: "ask",
    isRecoverable: true,
    when: "git reset --hard or --merge; --soft, --mixed, --keep and the form with paths pass.",
    examples: {
      asks: { "git reset --hard": "{project}" },
      passes: ["git reset --soft HEAD~1", "git reset --keep HEAD", "git reset src"],
    },
    lost: "It would throw away every change in {target} that is not committed.",
    person: NO_COPY,
    model: "Commit or stash first.",
    safer: "git stash push -u",
  },
  "git.checkout": {
    title: "overwrites changed files",
    verdict: "ask",
    isOperation: true,
    atLevel: GENTLE,
    isRecoverable: true,
    when: "git checkout with paths, with -f, or over an existing branch with -B.",
    examples: {
      asks: { "git checkout -- src/index.ts": "src/index.ts" },
      passes: ["git checkout main", "git checkout -b new", "git checkout -"],
    },
    lost: "It would overwrite changes in {target} that are not committed.",
    person: NO_COPY,
    model: "Commit or stash first.",
    safer: "git stash push -- {target}",
  },
  "git.restore": {
    title: "overwrites changed files",
    verdict: "ask",
    atLevel: GENTLE,
    isRecoverable: true,
    when: "git restore that touches the working tree; --staged alone passes.",
    examples: {
      asks: { "git restore src/index.ts": "src/index.ts" },
      passes: ["git restore --staged src/index.ts"],
    },
    lost: "It would overwrite changes in {target} that are not committed.",
    person: NO_COPY,
    model: "Commit or stash first.",
    safer: "git stash push -- {target}",
  },
  "git.switch": {
    title: "throws away changes",
    verdict: "ask",
    atLevel: GENTLE,
    isRecoverable: true,
    when: "git switch with --force or --discard-changes, or -C over an existing branch.",
    examples: { asks: { "git switch -f main": "main" }, passes: ["git switch main", "git switch -c new"] },
    lost: "It would throw away uncommitted changes on the way to {target}.",
    person: NO_COPY,
    model: "Commit or stash first, then switch without force.",
    safer: "git stash push -u",
  },
  "git.clean": {
    title: "deletes untracked files",
    verdict: "ask",
    isRecoverable: true,
    when: "git clean that really deletes (force without a dry run), except in build output.",
    examples: {
      asks: { "git clean -fd": "{project}" },
      passes: ["git clean -nd", "git clean -fdn", "git clean -fd dist"],
    },
    lost: "It would delete untracked files in {target} for good.",
    person: "Git keeps no copy of untracked files.",
    model: "List them first, then delete single files by name.",
    safer: "git clean -nd",
  },
  "git.stash": {
    title: "drops stashed work",
    verdict: "ask",
    atLevel: GENTLE,
    isRecoverable: true,
    when: "git stash drop or clear.",
    examples: {
      asks: { "git stash drop": "stash" },
      passes: ["git stash", "git stash pop", "git stash list"],
    },
    lost: "It would drop {target}, and stashed work is in no branch.",
    person: "It is hard to find again.",
    model: "Leave the stash alone, or make a branch of it.",
    safer: "git stash list",
  },
  "git.branch": {
    title: "drops a branch",
    verdict: "ask",
    atLevel: GENTLE,
    isRecoverable: true,
    when: "git branch -D, -d -f, or -M, -f, -C over an existing branch.",
    examples: {
      asks: { "git branch -D feature/y": "feature/y" },
      passes: ["git branch -d feature/y", "git branch -M renamed"],
    },
    lost: "It would drop the branch {target} with commits that may be nowhere else.",
    person: "They are hard to find again.",
    model: "Delete it without force: git then checks that it is merged.",
    safer: "git branch -d {target}",
  },
  "git.history": {
    title: "rewrites or prunes history",
    verdict: "ask",
    isOperation: true,
    when: "filter-branch, filter-repo, bfg, reflog expire or delete, gc --prune=now, prune, update-ref, replace.",
    examples: {
      asks: { "git reflog expire --expire=now --all": "reflog" },
      passes: ["git reflog", "git gc", "git prune -n"],
    },
    lost: "It would rewrite or prune history ({target}); lost commits cannot be found again.",
    person: "It cannot be undone without a copy of the repository.",
    model: "Tag the current state first.",
    safer: "git tag backup-before-rewrite",
  },
  "git.plumbing": {
    title: "overwrites the working tree",
    verdict: "ask",
    isRecoverable: true,
    when: "read-tree -u --reset, checkout-index -f, git rm -r -f, worktree remove --force, submodule deinit -f.",
    examples: {
      asks: { "git checkout-index -f -a": "{project}" },
      passes: ["git checkout-index -a", "git rm --cached src", "git worktree remove ../x"],
    },
    lost: "It would overwrite or remove files of {target}, changed ones included.",
    person: NO_COPY,
    model: "Commit or stash first, and do not force.",
    safer: "git status --short",
  },
} satisfies RuleTable;

/** What a run of git would lose, and the rule about it. */
type Loss = readonly [rule: RuleId, target: string];

interface Run extends GitRun {
  readonly operands: readonly Value[];
  /** the working tree, for people */
  readonly place: string;
  readonly context: RuleContext;
  readonly hasStdin: boolean;
}

/** Git commands that lose work in progress. In a throw-away repository they are free. */
function inspectWork(effect: CommandEffect, context: RuleContext): void {
  if (effect.kind !== "git") return;
  const { run, by } = effect;
  const lossOf = ownValue(LOSSES, run.subcommand);
  if (lossOf === undefined || run.options.isOn("help") || isDisposable(context, run)) return;
  const loss = lossOf({
    ...run,
    operands: run.options.operands.map(operand => operand.value),
    place: run.repository?.top ?? describe(run.directory),
    context,
    hasStdin: by.invocation?.stdin !== undefined,
  });
  if (loss !== undefined) context.report(loss[0], by, loss[1]);
}

/** Below a temporary directory and not the session's own project. */
function isDisposable({ workspace }: RuleContext, run: GitRun): boolean {
  const top = run.repository?.top ?? knownText(run.directory);
  return (
    top?.startsWith("/") === true && classifyPath(workspace, workspace.disk.resolve(top, true)) === "temp"
  );
}

const LOSSES: Readonly<Record<string, (run: Run) => Loss | undefined>> = {
  reset: run => {
    const { options, operands, place } = run;
    if (!options.mayBeOn("hard") && !options.mayBeOn("merge")) return undefined;
    // The way out of an operation that is under way.
    const isWayOut =
      options.has("merge") || (operands[0] !== undefined && knownText(operands[0]) === "ORIG_HEAD");
    return isWayOut && isUnderWay(run) ? undefined : ["git.reset", place];
  },
  checkout: run => {
    // Settles conflicts; without any it brings files back as the index has them.
    const isSettling = ["ours", "theirs", "2", "3"].some(side => run.options.isOn(side));
    if (isSettling && isUnderWay(run)) return undefined;
    const done = readCheckout(run, run.context.workspace);
    return done.kind === "paths" || done.kind === "forced" ? ["git.checkout", done.shown] : undefined;
  },
  switch: run => {
    const done = readSwitch(run, run.context.workspace);
    return done.kind === "forced" ? ["git.switch", done.shown] : undefined;
  },
  restore: ({ options, operands }) => {
    if (options.isOn("S") && !options.mayBeOn("W")) return undefined;
    if (operands.length === 0 && !options.has("pathspec-from-file", "p")) return undefined;
    return allRegenerable(operands) ? undefined : ["git.restore", shown(operands)];
  },
  clean: run => {
    const { operands, place, hasStdin } = run;
    if (!isForcedClean(run, hasStdin) || allRegenerable(operands)) return undefined;
    return ["git.clean", operands.length === 0 ? place : shown(operands)];
  },
  stash: ({ argv: [, action, which] }) => {
    const word = action === undefined ? undefined : knownText(action);
    if (word === "clear") return ["git.stash", "every stash"];
    if (word !== "drop") return undefined;
    return ["git.stash", which === undefined ? "the newest stash" : describe(which)];
  },
  branch: run => {
    const { options, operands } = run;
    if (options.isOn("l", "list")) return undefined;
    if (options.has("D") || (options.has("d") && options.has("f"))) return ["git.branch", shown(operands)];
    if (!options.has("M", "C") && !(options.has("f") && !options.has("d"))) return undefined;
    const target = options.has("M", "C", "m", "c") ? operands.at(-1) : operands[0];
    return target !== undefined && isExistingBranch(run, target)
      ? ["git.branch", describe(target)]
      : undefined;
  },
  "filter-branch": () => ["git.history", "filter-branch"],
  "filter-repo": ({ options }) =>
    options.isOn("analyze") || options.isOn("n") ? undefined : ["git.history", "filter-repo"],
  reflog: ({ options, operands: [word] }) => {
    const action = word === undefined ? "" : describe(word);
    return /^(expire|delete)$/.test(action) && !options.isOn("n")
      ? ["git.history", `reflog ${action}`]
      : undefined;
  },
  gc: ({ options, operands: [word] }) => {
    const given = options.has("prune") ? (options.valueOf("prune") ?? word) : undefined;
    const isNow = given !== undefined && /^(now|all|0)/.test(describe(given));
    return isNow || options.has("expire-to") ? ["git.history", "gc --prune=now"] : undefined;
  },
  prune: ({ options }) => (options.isOn("n") ? undefined : ["git.history", "prune"]),
  "update-ref": run => {
    const { options, operands } = run;
    const [name] = operands;
    const ref = name === undefined ? undefined : describe(name);
    const isChanged =
      options.has("d", "delete", "stdin") ||
      (ref !== undefined && !ref.startsWith("refs/tags/") && !isNewBranch(ref, run));
    return isChanged ? ["git.history", `update-ref ${ref ?? ""}`.trim()] : undefined;
  },
  "symbolic-ref": ({ options, operands }) =>
    options.has("d", "delete") || operands.length > 1 ? ["git.history", "symbolic-ref"] : undefined,
  replace: ({ options, argv }) =>
    !options.has("l", "list") && argv.length > 1 ? ["git.history", "replace"] : undefined,
  "read-tree": ({ options, place }) =>
    options.has("u", "reset") && options.has("m", "reset") && !options.isOn("n")
      ? ["git.plumbing", place]
      : undefined,
  "checkout-index": ({ options, place }) =>
    options.has("f") && !options.has("prefix") ? ["git.plumbing", place] : undefined,
  rm: run => {
    const { options, operands } = run;
    if (options.isOn("n") || options.isOn("cached") || !options.mayBeOn("f")) return undefined;
    if (allRegenerable(operands) || operands.every(path => isAbsentIn(run, path))) return undefined;
    return ["git.plumbing", shown(operands)];
  },
  worktree: run => forcedAction(run, "remove", "the worktree"),
  submodule: run =>
    forcedAction(run, "deinit", "every submodule") ?? forcedAction(run, "update", "every submodule"),
};

const UNDER_WAY = words("MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD BISECT_LOG rebase-merge rebase-apply");

/** A merge, a rebase, a cherry-pick, a revert or a bisection has begun and not ended. */
function isUnderWay({ repository, context }: Run): boolean {
  const { disk } = context.workspace;
  return (
    repository !== undefined &&
    UNDER_WAY.some(name => disk.kind(`${repository.gitDirectory}/${name}`) !== undefined)
  );
}

function forcedAction({ options, operands }: Run, action: string, everything: string): Loss | undefined {
  const [word, path] = operands;
  if (word === undefined || knownText(word) !== action || !options.has("f")) return undefined;
  return ["git.plumbing", path === undefined ? everything : describe(path)];
}

/** A branch that is not there yet has no commits to lose. */
function isNewBranch(ref: string, { repository, context }: Run): boolean {
  const name = /^refs\/heads\/(.+)$/.exec(ref)?.[1];
  return (
    name !== undefined && repository !== undefined && !hasBranch(context.workspace.disk, repository, name)
  );
}

/** A path of the working tree where nothing is, so that nothing is lost. */
function isAbsentIn({ directory, context }: Run, path: Value): boolean {
  const [known, base] = [knownText(path), knownText(directory)];
  if (known === undefined || base === undefined || /[*?[:]/.test(known)) return false;
  return context.workspace.disk.isAbsent(join(base, known));
}

function shown(operands: readonly Value[]): string {
  return operands.slice(0, 3).map(describe).join(" ") || "all files";
}

function isExistingBranch({ repository, branch, context }: Run, name: Value): boolean {
  const known = knownText(name);
  if (known === undefined || repository === undefined || known === branch) return false;
  return hasBranch(context.workspace.disk, repository, known);
}

/** Every path lies in build output: what goes can be made again. */
function allRegenerable(paths: readonly Value[]): boolean {
  return (
    paths.length > 0 &&
    paths.every(path => {
      const known = knownText(path);
      return known !== undefined && !known.startsWith("/") && isRegenerableInProject(components(join(known)));
    })
  );
}

export const GIT_WORK = {
  name: "git",
  rules: RULES,
  checks: [{ inspect: inspectWork }, GIT_CONTENT],
} satisfies RuleFamily;
