import { type OptionSpec, type ParsedOptions, parseOptions } from "../../shell/options.ts";
import type { Value } from "../../shell/value.ts";
import { lookUp } from "../look-up.ts";
import { words } from "../words.ts";

/** Option names in a row, as they are written without dashes. */
interface Grammar {
  readonly flags?: string;
  readonly values?: string;
  readonly optional?: string;
  readonly as?: Readonly<Record<string, string>>;
  readonly abbreviates?: false;
}

const ADD: Grammar = {
  flags:
    "n dry-run f force A all u update v p patch i N intent-to-add e edit refresh ignore-errors ignore-missing renormalize no-all sparse",
  values: "pathspec-from-file chmod",
  as: { force: "f", "dry-run": "n" },
};

/** The options of each subcommand, as far as they matter or take a value. */
const GRAMMARS: Readonly<Record<string, Grammar>> = {
  add: ADD,
  stage: ADD,
  am: {
    flags:
      "n no-verify verify s signoff k keep b m message-id c scissors no-scissors q u utf8 no-utf8 3 3way no-3way r resolved skip abort quit i interactive ignore-space-change reject rerere-autoupdate committer-date-is-author-date ignore-date",
    values: "C p directory exclude include whitespace patch-format quoted-cr empty",
    optional: "S gpg-sign show-current-patch",
    as: { "no-verify": "n" },
  },
  branch: {
    flags:
      "d delete D f force m move M c copy C r remotes a all l list v q show-current edit-description help no-track no-color no-column",
    values: "u set-upstream-to sort points-at format",
    optional: "t track contains no-contains merged no-merged color column abbrev",
    as: { delete: "d", force: "f", move: "m", copy: "c", remotes: "r" },
  },
  checkout: {
    flags: `f force q quiet progress no-progress ours theirs 2 3 detach d t track no-track l m merge p patch
      ignore-other-worktrees overwrite-ignore no-overlay overlay guess no-guess recurse-submodules pathspec-file-nul help`,
    values: "b B orphan conflict pathspec-from-file U unified inter-hunk-context",
    as: { force: "f", patch: "p", track: "t", detach: "d" },
  },
  "checkout-index": {
    flags: "f force a all u q n no-create z stdin ignore-skip-worktree-bits",
    values: "prefix stage",
    as: { force: "f" },
  },
  clean: {
    flags: "f force n dry-run d x X i interactive q quiet help",
    values: "e exclude",
    as: { force: "f", "dry-run": "n", interactive: "i" },
  },
  clone: {
    flags: "bare mirror q quiet v recursive single-branch no-checkout n s shared l local",
    values:
      "b branch depth o origin c config j jobs reference filter template shallow-since separate-git-dir u upload-pack",
  },
  commit: {
    flags: `a all amend allow-empty allow-empty-message n no-verify verify q quiet v verbose s signoff no-signoff dry-run
      short branch porcelain long z null e edit no-edit p patch i include o only no-post-rewrite status no-status
      no-gpg-sign reset-author ahead-behind pathspec-file-nul interactive help`,
    values:
      "m message F file C reuse-message c reedit-message author date cleanup fixup squash t template trailer pathspec-from-file",
    optional: "S gpg-sign u untracked-files",
    as: { "no-verify": "n" },
  },
  config: {
    flags:
      "global system local worktree get get-all get-regexp add replace-all unset unset-all rename-section remove-section l list e edit z null name-only bool int path show-origin show-scope includes no-includes",
    values: "f file blob type default comment value",
    as: { "get-all": "get", "get-regexp": "get", list: "get", l: "get" },
  },
  init: {
    flags: "q quiet bare",
    values: "b initial-branch template separate-git-dir object-format ref-format c config",
    optional: "shared",
  },
  merge: {
    flags: "no-verify verify",
    values: "m F s strategy X strategy-option into-name cleanup",
    optional: "S log",
  },
  push: {
    flags: `all branches prune mirror forc for n dry-run porcelain d delete tags follow-tags no-follow-tags f force
      force-if-includes no-force-if-includes no-force-with-lease u set-upstream thin no-thin q quiet v verbose progress
      no-verify verify atomic no-atomic 4 ipv4 6 ipv6 help`,
    values: "receive-pack exec repo o push-option",
    optional: "signed force-with-lease recurse-submodules",
    // An ambiguous beginning is refused by git; what it means is plain all the same.
    as: { delete: "d", force: "f", forc: "f", for: "f" },
  },
  "read-tree": {
    flags: "u m reset i n dry-run v trivial aggressive no-sparse-checkout",
    values: "prefix index-output",
  },
  rebase: {
    flags: "no-verify verify",
    values: "onto s strategy X strategy-option x exec C whitespace empty",
    optional: "S rebase-merges r",
  },
  remote: { flags: "f push add delete v", values: "t m" },
  replace: { flags: "f force d delete l list e edit g graft", values: "format" },
  reset: {
    flags:
      "hard soft mixed merge keep q quiet p patch N intent-to-add no-refresh refresh recurse-submodules help pathspec-file-nul",
    values: "pathspec-from-file",
  },
  restore: {
    flags:
      "W worktree S staged q quiet progress ours theirs 2 3 m merge p patch ignore-unmerged overlay no-overlay help recurse-submodules",
    values: "s source conflict pathspec-from-file U",
    as: { worktree: "W", staged: "S" },
  },
  rm: {
    flags: "r f force n dry-run cached q quiet ignore-unmatch sparse pathspec-file-nul",
    values: "pathspec-from-file",
    as: { force: "f", "dry-run": "n" },
  },
  submodule: { flags: "f force all q quiet recursive init", as: { force: "f" } },
  switch: {
    flags: `f force discard-changes q quiet progress no-progress detach d t track no-track m merge guess no-guess
      ignore-other-worktrees recurse-submodules help`,
    values: "c create C force-create orphan conflict",
    as: { force: "f", "discard-changes": "f", create: "c", "force-create": "C", track: "t", detach: "d" },
  },
  "symbolic-ref": { flags: "d delete q short no-recurse", values: "m" },
  "update-index": { flags: "add remove refresh q force-remove", abbreviates: false },
  "update-ref": { flags: "d no-deref create-reflog stdin z", values: "m" },
  worktree: {
    flags: "f force d detach checkout no-checkout lock orphan q quiet track no-track guess-remote",
    values: "b B reason",
    as: { force: "f" },
  },
};

const NO_GRAMMAR: Grammar = {};
const specs = new Map<Grammar, OptionSpec>();

/** Reads the options of a subcommand, which is the first word. */
export function readGitOptions(subcommand: string, argv: readonly Value[]): ParsedOptions {
  const grammar = lookUp(GRAMMARS, subcommand) ?? NO_GRAMMAR;
  const spec = specs.get(grammar) ?? toSpec(grammar);
  specs.set(grammar, spec);
  return parseOptions(argv, spec);
}

function toSpec({ flags = "", values = "", optional = "", ...rest }: Grammar): OptionSpec {
  return { flags: words(flags), values: words(values), optional: words(optional), ...rest };
}
