import {
  describe,
  type GitWords,
  hasUnknown,
  knownText,
  type Value,
  wordSet,
  words,
} from "../../shell/index.ts";

/** What a run of git may change in its repository. */
export interface GitChanges {
  /** files of the working tree */
  readonly files: boolean;
  /** HEAD, refs, stashes, the index, sequencer files or settings */
  readonly state: boolean;
}

const NOTHING: GitChanges = { files: false, state: false };
const FILES: GitChanges = { files: true, state: false };
const STATE: GitChanges = { files: false, state: true };
const BOTH: GitChanges = { files: true, state: true };

const READING = wordSet(`
  annotate archive blame cat-file check-attr check-ignore check-mailmap check-ref-format cherry count-objects describe diff
  diff-files diff-index diff-tree for-each-ref fsck get-tar-commit-id grep help log ls-files ls-remote ls-tree
  merge-base merge-tree name-rev patch-id range-diff request-pull rev-list rev-parse shortlog show show-branch
  show-index show-ref status stripspace var verify-commit verify-pack verify-tag version whatchanged
`);

const OF_STATE = wordSet(`
  update-index commit-graph commit-tree fetch fetch-pack gc hash-object index-pack maintenance mktag mktree
  multi-pack-index pack-objects pack-refs prune prune-packed push remote repack replace notes reflog tag unpack-objects
  update-ref update-server-info worktree write-tree symbolic-ref branch config
`);

/** First words behind a subcommand with which it only reads; `-` stands for none at all. */
const READING_ACTIONS: Readonly<Record<string, string>> = {
  bisect: "log view visualize terms help",
  bundle: "verify list-heads",
  lfs: "- ls-files status env locks version logs",
  notes: "- list show get-ref",
  reflog: "- show list exists",
  remote: "- show get-url",
  rerere: "status diff remaining",
  "sparse-checkout": "list check-rules",
  stash: "list show",
  submodule: "- status summary",
  worktree: "- list",
};

/** Branches and tags are listed by these, whatever names follow. */
const LISTING = [
  "l",
  "list",
  "contains",
  "no-contains",
  "merged",
  "no-merged",
  "points-at",
  "show-current",
  "v",
];

/** Does it take ignored files from the working tree as well? */
export function takesIgnored({ subcommand, options }: GitWords): boolean {
  if (subcommand === "clean") return options.has("x", "X");
  if (subcommand === "stash") return options.has("a", "all");
  // What was added by force is deleted by a reset.
  return subcommand === "add" && options.has("f", "force");
}

const CHECKING_OUT = wordSet(`
  checkout switch merge rebase reset cherry-pick revert read-tree restore stash bisect submodule worktree
`);
const MAX_COMMITS = 4;

/**
 * Commits whose files it writes to the working tree, also over files that git ignores there; undefined when it does
 * not. Words that turn out to name no commit are no commits.
 */
export function commitsWritten({ subcommand, options }: GitWords): readonly string[] | undefined {
  // What is fetched is not known yet.
  if (subcommand === "fetch" || subcommand === "pull") return [];
  if (!CHECKING_OUT.has(subcommand)) return undefined;
  const source = options.valueOf("s", "source");
  const named = [...options.operandValues, ...(source === undefined ? [] : [source])]
    .flatMap(word => knownText(word) ?? [])
    .map(word => (word === "-" ? "@{-1}" : word))
    .filter(word => /^[\w@/.]/.test(word) && !word.includes(".."));
  if (subcommand === "stash") {
    const [, stash = "stash@{0}"] = named;
    return [stash, `${stash}^3`];
  }
  return [...named, "HEAD"].slice(0, MAX_COMMITS);
}

/** What a run may change, by its subcommand and words; a program of others behind git may change everything. */
export function changesOfGit(run: GitWords): GitChanges {
  const { subcommand, options } = run;
  const operands = options.operandValues.map(describe);
  const [first = "-"] = operands;
  if (options.isOn("help") || actionsOf(subcommand).includes(first)) return NOTHING;
  if (READING.has(subcommand)) return NOTHING;
  switch (subcommand) {
    case "add":
    case "stage":
      return options.isOn("n", "dry-run") ? NOTHING : STATE;
    case "apply":
      return options.has("stat", "numstat", "summary", "check") ? NOTHING : BOTH;
    case "branch":
    case "tag":
      return operands.length === 0 || options.has(...LISTING) ? listingOr(run) : STATE;
    case "clean":
      return options.isOn("n", "dry-run") ? NOTHING : FILES;
    case "commit":
      return options.has("dry-run", "short", "porcelain", "long") ? STATE : BOTH;
    // The new tree is no part of the repository around.
    case "clone":
      return NOTHING;
    case "init":
      return STATE;
    case "config":
      return readsSettings(operands, options) ? NOTHING : STATE;
    case "push":
      return options.isOn("n", "dry-run") ? NOTHING : STATE;
    case "reset":
      return options.has("hard", "merge", "keep", "recurse-submodules") ? BOTH : STATE;
    case "restore":
      return options.has("S") && !options.has("W") ? STATE : BOTH;
    case "rm":
      return options.isOn("n", "dry-run") ? NOTHING : options.has("cached") ? STATE : BOTH;
    case "stash":
      return /^(drop|clear|create|store)$/.test(first) ? STATE : BOTH;
    case "symbolic-ref":
      return operands.length > 1 || options.has("d", "delete") ? STATE : NOTHING;
    default:
      return OF_STATE.has(subcommand) ? STATE : BOTH;
  }
}

function actionsOf(subcommand: string): readonly string[] {
  return Object.hasOwn(READING_ACTIONS, subcommand) ? words(READING_ACTIONS[subcommand] ?? "") : [];
}

/** `git branch -D x` has no listing option; `git branch --unset-upstream` has no operand. */
function listingOr({ options }: GitWords): GitChanges {
  const changing = ["D", "d", "m", "M", "c", "C", "f", "u", "set-upstream-to", "unset-upstream", "delete"];
  return options.has(...changing, "edit-description") ? STATE : NOTHING;
}

function readsSettings(operands: readonly string[], options: GitWords["options"]): boolean {
  if (
    options.has("add", "unset", "unset-all", "replace-all", "rename-section", "remove-section", "edit", "e")
  )
    return false;
  if (options.has("get") || operands[0] === "get" || operands[0] === "list") return true;
  return operands.length < 2;
}

/** Runs of git that start hooks, which may write what they like. */
const RUNS_HOOKS = wordSet(
  "am checkout cherry-pick clone commit fetch gc merge pull push rebase reset revert switch worktree",
);

export function runsHooks({ subcommand }: GitWords): boolean {
  return RUNS_HOOKS.has(subcommand);
}

const OF_BOTH = wordSet(`
  add stage am apply bisect bundle checkout checkout-index cherry-pick clean clone commit difftool filter-branch
  filter-repo format-patch init lfs merge mergetool mv pull read-tree rebase reset restore revert rm send-email
  sparse-checkout stash submodule switch
`);

/** Git's own names cannot be aliased. */
export function isGitCommand(name: string): boolean {
  return READING.has(name) || OF_STATE.has(name) || OF_BOTH.has(name);
}

const BEYOND =
  /^(difftool|mergetool|submodule|filter-branch|filter-repo|bisect|format-patch|send-email|lfs)$/;

/** What the run changes lies in its repository: it starts no program of others, and leaves no files elsewhere. */
export function staysInRepository({ subcommand }: GitWords): boolean {
  return isGitCommand(subcommand) && !BEYOND.test(subcommand);
}

/** Files that a run writes beside what git manages: an archive, a bundle, a saved diff. */
export function writtenByGit({ subcommand, options }: GitWords): readonly Value[] {
  const [action, file] = options.operandValues;
  const isBundle = subcommand === "bundle" && action !== undefined && describe(action) === "create";
  return [...options.valuesOf("o", "output"), ...(isBundle && file !== undefined ? [file] : [])];
}

/** What `git mv` gives another place; nothing for every other run. Several go into one directory. */
export function movedByGit({ subcommand, options, directory }: GitWords) {
  const to = options.operandValues.at(-1);
  if (subcommand !== "mv" || to === undefined) return [];
  return options.operandValues.slice(0, -1).map(from => ({ from, to, directory }));
}

/** Prints the content of a file of this name as a commit has it, or a whole tree. */
export function printsOldContent({ subcommand, options }: GitWords, name: string): boolean {
  if (subcommand === "archive") return true;
  if (subcommand !== "show" && subcommand !== "cat-file") return false;
  return options.operandValues.some(value => {
    const path = /.:(.+)$/s.exec(describe(value))?.[1];
    return path !== undefined && (hasUnknown(value) || path.slice(path.lastIndexOf("/") + 1) === name);
  });
}

/** Prints how the working tree differs from a commit. */
export function printsChanges({ subcommand, options }: GitWords): boolean {
  const [action] = options.operandValues;
  const isStash = subcommand === "stash" && action !== undefined && describe(action) === "show";
  return isStash || (subcommand === "diff" && !options.has("stat", "name-only", "name-status", "no-index"));
}
