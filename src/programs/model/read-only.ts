/**
 * Programs that read and show, whatever their words are, but for those that `NOT_HARMLESS` names. The guard asks this
 * first, before any table is made, so that these are plain text.
 */
const READERS =
  " ls cat pwd whoami date uname hostname id which head tail wc file stat du df tree echo true false uptime nproc arch " +
  "groups ";
/** Programs that a question is never worth, though they may write what they like: caches, reports, snapshots. */
const RUNNERS = " tsc eslint jest vitest pytest mypy ruff flake8 prettier biome ";

/** Maps, because members of an object are slow to find by names out of a command. */
const READING_SUBCOMMANDS: ReadonlyMap<string, string> = new Map([
  ["git", " status log diff show rev-parse ls-files describe shortlog ls-tree "],
  ["npm", " ls list outdated view "],
  ["go", " list version "],
]);

const RUNNING_SUBCOMMANDS: ReadonlyMap<string, string> = new Map([
  ["npm", " test "],
  ["cargo", " build check test clippy "],
  ["go", " build test vet "],
]);

/** Options that make one of the above write or run something. */
const NOT_HARMLESS =
  /^(-o|--output|-c|--config|--fix|--write|-w|--ext-diff|--open-files-in-pager|-O|-i|--init|-p$|--plugin|--import|--rootdir|--target-dir|--set-exit-code)/;

/** What a command of plain words does, where no more than its words is needed to tell that it is harmless. */
export function harmlessUse(program: string, words: readonly string[]): "reads" | "runs" | undefined {
  const [first = ""] = words;
  const isReader = isListed(READERS, program) || isListed(READING_SUBCOMMANDS.get(program) ?? "", first);
  const isRunner = isListed(RUNNERS, program) || isListed(RUNNING_SUBCOMMANDS.get(program) ?? "", first);
  if ((!isReader && !isRunner) || words.some(word => NOT_HARMLESS.test(word))) return undefined;
  return isReader ? "reads" : "runs";
}

function isListed(names: string, name: string): boolean {
  return name !== "" && names !== "" && names.includes(` ${name} `);
}
