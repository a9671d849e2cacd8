/**
 * Programs that read and show, whatever their words are, but for those that `NOT_HARMLESS` names. The guard asks this
 * first, before any table is made.
 */
const READ_ONLY: ReadonlySet<string> = new Set(
  (
    "ls cat pwd whoami date uname hostname id which head tail wc file stat du df tree echo true false uptime nproc arch " +
    "groups tsc eslint jest vitest pytest mypy ruff flake8 prettier biome"
  ).split(" "),
);

const READ_ONLY_SUBCOMMANDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["git", "status log diff show rev-parse ls-files describe shortlog ls-tree".split(" ")],
  ["npm", "test ls list outdated view".split(" ")],
  ["cargo", "build check test clippy".split(" ")],
  ["go", "build test vet list version".split(" ")],
]);

/** Options that make one of the above write or run something. */
const NOT_HARMLESS =
  /^(-o|--output|-c|--config|--fix|--write|-w|--ext-diff|--open-files-in-pager|-O|-i|--init|-p$|--plugin|--import|--rootdir|--target-dir|--set-exit-code)/;

/** A command of plain words that only reads, whatever files it is given. */
export function onlyReads(program: string, words: readonly string[]): boolean {
  const subcommands = READ_ONLY_SUBCOMMANDS.get(program);
  const isKnown = subcommands === undefined ? READ_ONLY.has(program) : subcommands.includes(words[0] ?? "");
  return isKnown && !words.some(word => NOT_HARMLESS.test(word));
}
