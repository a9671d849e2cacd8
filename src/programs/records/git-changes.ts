import {
  describe,
  type GitWords,
  hasUnknown,
  knownText,
  type OptionGrammar,
  type ParsedOptions,
  parseOptions,
  type Value,
  wordSet,
  words,
} from "../../shell/index.ts";
import { GRAMMAR_CELLS, readRow, splitRows, toOptionGrammar } from "../model/text-table.ts";

/** The options of each subcommand of git, as far as they matter or take a value. */
const TABLE = `
    add | flags -AuvpiNe n|dry-run f|force all update patch intent-to-add edit refresh ignore-errors ignore-missing
        renormalize no-all sparse | values pathspec-from-file chmod
    am | flags -skbmcqu3ri n|no-verify verify signoff keep message-id scissors no-scissors utf8 no-utf8 3way no-3way
        resolved skip abort quit interactive ignore-space-change reject rerere-autoupdate
        committer-date-is-author-date ignore-date | values -Cp directory exclude include whitespace patch-format
        quoted-cr empty | optional -S gpg-sign show-current-patch
    apply | flags -3NqvzO reverse|R check stat numstat summary cached index 3way reject unsafe-paths allow-empty
        recount inaccurate-eof verbose quiet ignore-whitespace | values -pC directory exclude include whitespace
        build-fake-ancestor
    branch | flags -DMCalvq d|delete f|force m|move c|copy r|remotes all list show-current edit-description 
        no-track no-color no-column | values -u set-upstream-to sort points-at format | optional -t track contains
        no-contains merged no-merged color column abbrev
    checkout | flags -q23lm f|force quiet progress no-progress ours theirs d|detach t|track no-track merge p|patch
        ignore-other-worktrees overwrite-ignore no-overlay overlay guess no-guess recurse-submodules pathspec-file-nul
        | values -bBU orphan conflict pathspec-from-file unified inter-hunk-context
    checkout-index | flags -auqnz f|force all no-create stdin ignore-skip-worktree-bits | values prefix stage
    clean | flags -dxXq f|force n|dry-run i|interactive quiet | values -e exclude
    clone | flags -qvnsl bare mirror quiet recursive single-branch no-checkout shared local | values -bocju branch
        depth origin config jobs reference filter template shallow-since separate-git-dir upload-pack
    commit | flags -aqvszepio all amend allow-empty allow-empty-message n|no-verify verify quiet verbose signoff
        no-signoff dry-run short branch porcelain long null edit no-edit patch include only no-post-rewrite status
        no-status no-gpg-sign reset-author ahead-behind pathspec-file-nul interactive | values -mFCct message
        file reuse-message reedit-message author date cleanup fixup squash template trailer pathspec-from-file |
        optional -Su gpg-sign untracked-files
    config | flags -ez global system local worktree get|get-all|get-regexp|l|list add replace-all unset unset-all
        rename-section remove-section edit null name-only bool int path show-origin show-scope includes no-includes |
        values -f file blob type default comment value
    gc | flags -qf aggressive auto quiet force keep-largest-pack cruft no-cruft detach | optional prune expire-to | values
        max-cruft-size
    init | flags -q quiet bare | values -bc initial-branch template separate-git-dir object-format ref-format config |
        optional shared
    merge | flags no-verify verify | values -mFsX message file strategy strategy-option into-name cleanup | optional -S log
    prune | flags -v n|dry-run verbose progress exclude-promisor-objects | values expire
    push | flags -uqv46 n|dry-run all branches prune mirror f|forc|for|force porcelain d|delete tags follow-tags
        no-follow-tags force-if-includes no-force-if-includes no-force-with-lease set-upstream thin no-thin quiet
        verbose progress no-verify verify atomic no-atomic ipv4 ipv6 | values -o receive-pack exec repo
        push-option | optional signed force-with-lease recurse-submodules
    read-tree | flags -uimv n|dry-run reset trivial aggressive no-sparse-checkout | values prefix index-output
    rebase | flags no-verify verify | values -sXxC onto strategy strategy-option exec whitespace empty | optional -Sr
        rebase-merges
    reflog | flags -v n|dry-run all stale-fix updateref rewrite verbose single-worktree | values expire
        expire-unreachable
    remote | flags -fv push add delete | values -tm
    filter-repo | flags -f n|dry-run force analyze | exact | unknown takes value
    replace | flags -fdleg force delete list edit graft | values format
    reset | flags -qpN hard soft mixed merge keep quiet patch intent-to-add no-refresh refresh recurse-submodules 
        pathspec-file-nul | values pathspec-from-file
    restore | flags -q23mp W|worktree S|staged quiet progress ours theirs merge patch ignore-unmerged overlay
        no-overlay recurse-submodules | values -sU source conflict pathspec-from-file
    rm | flags -rq f|force n|dry-run cached quiet ignore-unmatch sparse pathspec-file-nul | values pathspec-from-file
    stash | flags -kpqS a|all u|include-untracked keep-index no-keep-index no-include-untracked only-untracked patch
        quiet staged index pathspec-file-nul | values -m message pathspec-from-file
    submodule | flags -q f|force all quiet recursive init
    switch | flags -qm f|force|discard-changes quiet progress no-progress d|detach t|track no-track merge guess
        no-guess ignore-other-worktrees recurse-submodules | values c|create C|force-create orphan conflict
    symbolic-ref | flags -dq delete short no-recurse | values -m
    tag | flags -asilv d|delete f|force annotate sign no-sign list verify ignore-case create-reflog edit omit-empty |
        values -mFu message file local-user cleanup sort format trailer points-at | optional -n contains no-contains
        merged no-merged column color
    update-index | flags -q add remove refresh force-remove | exact
    update-ref | flags -dz no-deref create-reflog stdin | values -m
    worktree | flags -dq f|force detach checkout no-checkout lock orphan quiet track no-track guess-remote | values
        -bB reason
`;

/** Grammars of the subcommands that were needed so far. */
const grammars = new Map<string, OptionGrammar>();
let rows: readonly string[] | undefined;
const NO_OPTIONS: OptionGrammar = { flags: "help" };

/** Subcommands that show content. */
const SHOWING = /^(show|diff|log|blame|annotate|grep|cat-file|archive|format-patch|difftool)$/;
const SHOW_OPTIONS: OptionGrammar = {
  values: "-SGnoLefUCMABm max-count author grep since until before after format output",
  flags: "-pu patch stat name-only name-status oneline",
  abbreviates: false,
};

/** Reads the options of a subcommand, which is the first word. */
export function readGitOptions(subcommand: string, argv: readonly Value[]): ParsedOptions {
  const name = subcommand === "stage" ? "add" : subcommand;
  if (SHOWING.test(name)) return parseOptions(argv, SHOW_OPTIONS);
  return parseOptions(argv, grammars.get(name) ?? readGrammar(name));
}

function readGrammar(name: string): OptionGrammar {
  rows ??= splitRows(TABLE);
  const row = rows.find(line => line.startsWith(`${name} |`));
  if (row === undefined) return NO_OPTIONS;
  const written = toOptionGrammar(readRow(row, 1, GRAMMAR_CELLS).cells);
  const grammar = { ...written, flags: `${written.flags} help|h` };
  grammars.set(name, grammar);
  return grammar;
}

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
  // A folder that leaves the tree goes with what git ignores in it.
  if (subcommand === "sparse-checkout") return true;
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
  if (options.isOn("help") || listActions(subcommand).includes(first)) return NOTHING;
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

function listActions(subcommand: string): readonly string[] {
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
