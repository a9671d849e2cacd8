import { describe, type GitWords, isKnown, knownText, text, words } from "../../shell/index.ts";
import type { Missing } from "../model/program.ts";
import { splitRows } from "../model/text-table.ts";

/** Options of `log` and its kin that choose and show commits. */
const REVISIONS = `
  max-count skip since after until before author committer grep grep-reflog all-match invert-grep
  regexp-ignore-case basic-regexp extended-regexp fixed-strings perl-regexp remove-empty merges no-merges
  min-parents max-parents no-min-parents no-max-parents first-parent exclude-first-parent-only not all branches
  tags remotes glob exclude exclude-hidden reflog alternate-refs single-worktree ignore-missing bisect stdin
  cherry-mark cherry-pick left-only right-only cherry walk-reflogs merge boundary use-bitmap-index
  simplify-by-decoration show-pulls full-history dense sparse simplify-merges ancestry-path date-order
  author-date-order topo-order reverse no-walk do-walk pretty format abbrev-commit no-abbrev-commit oneline
  encoding expand-tabs no-expand-tabs notes no-notes show-notes standard-notes no-standard-notes relative-date
  date header parents children timestamp left-right graph no-graph show-linear-break count objects no-commit-id
  cc combined-all-paths root i E F P n p u U L S G O M C B D R a b w z W t r c m q s v h l g x
`;

/**
 * Subcommands of which everything is known: the options whose every effect is told, then those that git has and of
 * which more would have to be known. Git takes each of them back with `no-`.
 */
const COMPLETE = `
  status | verbose short branch show-stash ahead-behind porcelain long null untracked-files ignored
        ignore-submodules column find-renames renames s b u v z M |
  log | source use-mailmap mailmap clear-decorations decorate-refs decorate-refs-exclude decorate {diff}
        {revisions} | ext-diff output textconv
  diff | patch unified function-context raw patch-with-raw patch-with-stat numstat shortstat dirstat cumulative
        dirstat-by-file check summary name-only name-status stat stat-width stat-name-width stat-graph-width
        stat-count compact-summary binary full-index color ws-error-highlight abbrev src-prefix dst-prefix
        line-prefix no-prefix inter-hunk-context output-indicator-new output-indicator-old
        output-indicator-context break-rewrites find-renames irreversible-delete find-copies find-copies-harder
        no-renames rename-empty follow minimal ignore-all-space ignore-space-change ignore-space-at-eol
        ignore-cr-at-eol ignore-blank-lines ignore-matching-lines indent-heuristic patience histogram
        diff-algorithm anchored word-diff word-diff-regex color-words color-moved color-moved-ws relative text
        exit-code quiet ignore-submodules submodule ita-invisible-in-index ita-visible-in-index pickaxe-all
        pickaxe-regex rotate-to skip-to find-object diff-filter p u U s M C B D R a b w z W t l S G O i I 0 1 2 3
        cached staged merge-base cc | ext-diff output textconv
  show | source use-mailmap mailmap clear-decorations decorate-refs decorate-refs-exclude decorate {diff}
        {revisions} | ext-diff output textconv
  blame | incremental root show-stats progress score-debug show-name show-number porcelain line-porcelain
        show-email ignore-rev color-lines color-by-age minimal abbrev L w M C l t e f n p s b c date reverse since
        first-parent | contents ignore-revs-file
  add | dry-run verbose force update renormalize intent-to-add all ignore-removal refresh ignore-errors
        ignore-missing sparse chmod warn-embedded-repo pathspec-file-nul A u v n f N | interactive patch edit
        pathspec-from-file
  rm | dry-run quiet cached ignore-unmatch sparse pathspec-file-nul r n q | pathspec-from-file force
  mv | verbose dry-run sparse v n k | force
  commit | quiet verbose author date message reuse-message fixup squash reset-author trailer signoff cleanup
        status all include only dry-run short branch ahead-behind porcelain long null amend untracked-files
        pathspec-from-file pathspec-file-nul allow-empty allow-empty-message post-rewrite no-edit m a q v s z i o C u F |
        edit reedit-message interactive patch gpg-sign template file verify no-verify
  restore | source staged worktree ignore-unmerged overlay quiet progress merge conflict ours theirs
        ignore-skip-worktree-bits pathspec-file-nul s S W q | patch pathspec-from-file recurse-submodules
  reset | quiet mixed soft intent-to-add pathspec-file-nul refresh q N | patch pathspec-from-file
        recurse-submodules hard merge keep
  checkout | guess overlay quiet progress merge conflict detach track orphan ignore-other-worktrees ours theirs
        ignore-skip-worktree-bits pathspec-file-nul b q t d l | patch pathspec-from-file recurse-submodules force
        overwrite-ignore
  switch | create guess quiet progress merge conflict detach track orphan ignore-other-worktrees c q t d |
        recurse-submodules force discard-changes overwrite-ignore force-create
  merge | stat summary log squash commit cleanup ff ff-only rerere-autoupdate strategy-option message into-name
        verbose quiet abort quit continue allow-unrelated-histories progress autostash signoff no-edit m q v n s X | edit
        gpg-sign verify-signatures file verify no-verify strategy overwrite-ignore
  cherry-pick | quit continue abort skip cleanup signoff mainline rerere-autoupdate strategy-option ff
        allow-empty allow-empty-message keep-redundant-commits commit no-edit x n m s X | edit gpg-sign strategy
  revert | quit continue abort skip cleanup signoff mainline rerere-autoupdate strategy-option reference commit
        no-edit n m s X | edit gpg-sign strategy
  rebase | onto keep-base quiet verbose stat signoff committer-date-is-author-date reset-author-date ignore-date
        ignore-whitespace whitespace force-rebase ff no-ff quit abort skip show-current-patch apply merge
        rerere-autoupdate empty autosquash update-refs autostash strategy-option reschedule-failed-exec
        reapply-cherry-picks fork-point keep-empty q v n f m X |
        continue edit-todo interactive exec gpg-sign strategy verify no-verify root rebase-merges allow-empty-message
        preserve-merges
  branch | verbose quiet track set-upstream-to unset-upstream color remotes contains with without abbrev all
        list show-current create-reflog merged column sort points-at ignore-case format delete move a r v l q i d m |
        edit-description force copy recurse-submodules set-upstream
  tag | list annotate message cleanup create-reflog column contains with without merged sort points-at format
        color ignore-case l n a m i | delete verify sign local-user file edit force
  grep | cached untracked exclude-standard recurse-submodules invert-match ignore-case word-regexp text
        recursive max-depth extended-regexp basic-regexp fixed-strings perl-regexp line-number column full-name
        files-with-matches name-only files-without-match null only-matching count color break heading context
        before-context after-context threads show-function function-context and or not quiet all-match max-count
        index n l L c i I w v h H E G F P e o p q r s W A B C z a m | open-files-in-pager ext-grep textconv
        no-index
  ls-files | cached deleted modified others ignored stage killed directory eol empty-directory unmerged
        resolve-undo exclude exclude-per-directory exclude-standard full-name recurse-submodules error-unmatch
        with-tree abbrev debug deduplicate sparse format c d m o i s k u t v f z x | exclude-from
  ls-tree | long name-only name-status object-only full-name full-tree format abbrev d r t l z |
  rev-list |  {diff} {revisions} | ext-diff output textconv
  describe | contains debug all tags long first-parent abbrev exact-match candidates match exclude always dirty
        broken |
  shortlog | committer numbered summary email group n s e w c all since until after before author grep no-merges
        max-count abbrev |
  for-each-ref | count format color sort points-at merged contains ignore-case | shell perl python tcl
  show-ref | tags heads verify head dereference hash abbrev quiet s d q | exclude-existing
  merge-base | all octopus independent is-ancestor fork-point a |
  apply | stat numstat summary check index cached intent-to-add whitespace ignore-space-change ignore-whitespace
        unidiff-zero verbose quiet inaccurate-eof recount allow-empty add apply p C N q v |
        exclude include allow-binary-replacement binary unsafe-paths 3way build-fake-ancestor reverse reject
        allow-overlap directory
  check-ignore | quiet verbose stdin non-matching index q v n z |
`;

interface CompleteCommand {
  readonly known: ReadonlySet<string>;
  readonly except: readonly string[];
}

let table: ReadonlyMap<string, CompleteCommand> | undefined;

function readTable(): ReadonlyMap<string, CompleteCommand> {
  const cells = splitRows(COMPLETE).map(row => row.split("|").map(cell => cell.trim()));
  const shared: Readonly<Record<string, string>> = {
    "{diff}": cells.find(([name]) => name === "diff")?.[1] ?? "",
    "{revisions}": REVISIONS,
  };
  return new Map(
    cells.map(([name = "", known = "", except = ""]) => [
      name,
      { known: new Set(words(known).flatMap(word => words(shared[word] ?? word))), except: words(except) },
    ]),
  );
}

/** What the table says of a subcommand; undefined when not everything is known of it. */
export function completeGitCommand(subcommand: string): CompleteCommand | undefined {
  table ??= readTable();
  return table.get(subcommand);
}

export function completeGitCommands(): readonly string[] {
  table ??= readTable();
  return [...table.keys()];
}

/** Subcommands with actions: those that are known, and the options that may stand with them. */
const ACTIONS: Readonly<Record<string, readonly [actions: string, options: string]>> = {
  stash: [
    "- list show push pop apply",
    "m message p patch stat u include-untracked q quiet k keep-index S staged index oneline",
  ],
  remote: ["- get-url", "v verbose all push"],
  worktree: ["list", "porcelain v verbose z"],
  reflog: ["- show exists", "n max-count date oneline format pretty"],
  config: ["get", "get get-all name-only bool int type global local system show-origin show-scope default"],
  "rev-parse": [
    "*",
    `short abbrev-ref show-toplevel verify quiet q git-dir absolute-git-dir git-common-dir is-inside-work-tree
      is-bare-repository show-prefix show-cdup symbolic-full-name all branches tags is-inside-git-dir path-format`,
  ],
  clean: ["*", "n dry-run d x X e exclude"],
  "cat-file": ["*", "p t s e batch batch-check"],
  init: ["*", "q quiet b initial-branch"],
};

/** Settings that say who commits, or how something is shown: no program runs for them. */
const HARMLESS_SETTING =
  /^(?:user\.(?:name|email)|advice\.\w+|color\.[\w.]+|column\.\w+|init\.defaultbranch|core\.(?:quotepath|abbrev)|log\.(?:date|decorate)|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote)|merge\.conflictstyle|diff\.(?:algorithm|renames|colormoved))$/i;

/** What is not known of a run of git, by its words alone. */
export function missingOfGit({ subcommand, options, argv, settings }: GitWords): Missing | undefined {
  const what = `git ${subcommand}`;
  const setting = settings.find(({ key }) => !HARMLESS_SETTING.test(key));
  if (setting !== undefined)
    return { kind: "environment", what: `git -c ${setting.key}`, why: "it may change what git runs" };
  const complete = completeGitCommand(subcommand) ?? ofAction(subcommand, options);
  if (complete === undefined) return { kind: "program", what, why: "not everything that it does is known" };
  const open = options.options.find(({ name }) => !isKnownOption(name, complete));
  if (open !== undefined) {
    const dashes = open.name.length === 1 ? "-" : "--";
    return {
      kind: "option",
      what: `${what} ${dashes}${open.name}`,
      why: "not everything that it does is known",
    };
  }
  const file = subcommand === "commit" ? options.valueOf("F") : undefined;
  if (file !== undefined && knownText(file) !== "-")
    return { kind: "option", what: `${what} -F`, why: "what the file holds is not looked at" };
  if (subcommand === "config" && argv.some(word => SECRET_KEY.test(describe(word))))
    return { kind: "secret", what, why: "this setting may hold a secret" };
  const isSigned = options.options.some(({ value }) => value !== undefined && SIGNED.test(describe(value)));
  if (isSigned) return { kind: "code", what: `${what} %G`, why: "another program checks signatures" };
  return options.hasUnknownOption || options.operandValues.some(startsOpen)
    ? { kind: "value", what, why: "a word that is not known may be an option" }
    : undefined;
}

/** In a format: what another program says of a signature. */
const SIGNED = /%G|%\((?:signature|grade)/;
const SECRET_KEY = /extraheader|credential|token|passw|secret|cookie|proxy/i;

function startsOpen(word: GitWords["argv"][number]): boolean {
  const [first] = word.pieces;
  if (isKnown(word) || knownText(word) !== undefined) return false;
  return first?.kind === "unknown" && first.shape !== "token";
}

function isKnownOption(name: string, { known }: CompleteCommand): boolean {
  return known.has(name) || /^\d+$/.test(name) || (name.startsWith("no-") && known.has(name.slice(3)));
}

function ofAction(subcommand: string, options: GitWords["options"]): CompleteCommand | undefined {
  const [actions, known] = Object.hasOwn(ACTIONS, subcommand) ? (ACTIONS[subcommand] ?? ["", ""]) : ["", ""];
  const [first = "-"] = options.operandValues.map(describe);
  // One name alone is shown; a word without a dot is an action.
  const isNameAlone = options.operandValues.length === 1 && first.includes(".");
  const isGet = subcommand === "config" && (options.has("get", "get-all") || isNameAlone);
  if (subcommand === "config" && !isGet && first !== "get")
    return setsHarmless(options) ? { known: new Set(["local"]), except: [] } : undefined;
  const isShown = subcommand !== "clean" || options.has("n", "dry-run");
  // Parts are chosen by answers, one of which opens an editor.
  const isChosen = subcommand === "stash" && options.has("p", "patch") && !/^(?:show|list)$/.test(first);
  if (!isShown || isChosen) return undefined;
  const isListed = actions === "*" || words(actions).includes(first) || isGet;
  return isListed ? { known: new Set(words(known)), except: [] } : undefined;
}

/** A setting of the repository, by which no program runs, gets a value. */
function setsHarmless({ operandValues }: GitWords["options"]): boolean {
  const [name = "", value, ...rest] = operandValues.map(word => knownText(word));
  return HARMLESS_SETTING.test(name) && value !== undefined && rest.length === 0;
}

/** A text is wanted, and none of its words gives it. */
export function opensEditor({ subcommand, options }: GitWords): boolean {
  if (options.has("no-edit", "dry-run", "short", "porcelain")) return false;
  if (subcommand === "commit")
    return (
      !options.has("m", "message", "F", "file", "C", "reuse-message", "fixup") ||
      (/^(?:amend|reword):/.test(knownText(options.valueOf("fixup") ?? text("amend:")) ?? "amend:") &&
        options.has("fixup"))
    );
  if (subcommand === "merge")
    return !options.has("m", "message", "ff-only", "squash", "abort", "quit", "no-commit");
  if (subcommand === "revert") return !options.has("n", "no-commit", "abort", "quit");
  return subcommand === "tag" && options.has("a", "annotate") && !options.has("m", "message");
}
