import { type OptionGrammar, type ParsedOptions, parseOptions, type Value } from "../../shell/index.ts";
import { GRAMMAR_CELLS, grammarOf, readRow, rowsOf } from "../model/text-table.ts";

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
    merge | flags no-verify verify | values -mFsX strategy strategy-option into-name cleanup | optional -S log
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
  rows ??= rowsOf(TABLE);
  const row = rows.find(line => line.startsWith(`${name} |`));
  if (row === undefined) return NO_OPTIONS;
  const written = grammarOf(readRow(row, 1, GRAMMAR_CELLS).cells);
  const grammar = { ...written, flags: `${written.flags} help|h` };
  grammars.set(name, grammar);
  return grammar;
}
