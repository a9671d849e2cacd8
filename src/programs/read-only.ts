/**
 * Programs that read and show, whatever their words are, but for those that `NOT_HARMLESS` names. The guard asks this
 * first, before any table is made, so that these are plain text.
 */
const READ_ONLY =
  " ls cat pwd whoami date uname hostname id which head tail wc file stat du df tree echo true false uptime nproc arch " +
  "groups tsc eslint jest vitest pytest mypy ruff flake8 prettier biome ";

const READ_ONLY_SUBCOMMANDS: Readonly<Record<string, string>> = {
  git: " status log diff show rev-parse ls-files describe shortlog ls-tree ",
  npm: " test ls list outdated view ",
  cargo: " build check test clippy ",
  go: " build test vet list version ",
};

/** Options that make one of the above write or run something. */
const NOT_HARMLESS =
  /^(-o|--output|-c|--config|--fix|--write|-w|--ext-diff|--open-files-in-pager|-O|-i|--init|-p$|--plugin|--import|--rootdir|--target-dir|--set-exit-code)/;

/** A command of plain words that only reads, whatever files it is given. */
export function onlyReads(program: string, words: readonly string[]): boolean {
  const subcommands = Object.hasOwn(READ_ONLY_SUBCOMMANDS, program)
    ? READ_ONLY_SUBCOMMANDS[program]
    : undefined;
  const isKnown =
    subcommands === undefined
      ? READ_ONLY.includes(` ${program} `)
      : words[0] !== undefined && subcommands.includes(` ${words[0]} `);
  return isKnown && !words.some(word => NOT_HARMLESS.test(word));
}
