/**
 * Programs that read and show, whatever their words are, but for those that `NOT_HARMLESS` names. The guard asks this
 * first, before any table is made.
 */
const READERS = setOf(
  "ls cat pwd whoami date uname hostname id which head tail wc file stat du df tree echo true false uptime nproc arch groups",
);
/** Programs that a question is never worth, though they may write what they like: caches, reports, snapshots. */
const RUNNERS = setOf("tsc eslint jest vitest pytest mypy ruff flake8 prettier biome");

const READING_SUBCOMMANDS = new Map([
  ["git", setOf("status log diff show rev-parse ls-files describe shortlog ls-tree")],
  ["npm", setOf("ls list outdated view")],
  ["go", setOf("list version")],
]);

const RUNNING_SUBCOMMANDS = new Map([
  ["npm", setOf("test")],
  ["cargo", setOf("build check test clippy")],
  ["go", setOf("build test vet")],
]);

/** Options that make one of the above write or run something. */
const NOT_HARMLESS =
  /^(-o|--output|-c|--config|--fix|--write|-w|--ext-diff|--open-files-in-pager|-O|-i|--init|-p$|--plugin|--import|--rootdir|--target-dir|--set-exit-code)/;

function setOf(names: string): ReadonlySet<string> {
  return new Set(names.split(" "));
}

/** What a command of plain words does, where no more than its words is needed to tell that it is harmless. */
export function harmlessUse(program: string, words: readonly string[]): "reads" | "runs" | undefined {
  const [first = ""] = words;
  const isReader = READERS.has(program) || READING_SUBCOMMANDS.get(program)?.has(first) === true;
  const isRunner = RUNNERS.has(program) || RUNNING_SUBCOMMANDS.get(program)?.has(first) === true;
  if ((!isReader && !isRunner) || words.some(word => NOT_HARMLESS.test(word))) return undefined;
  return isReader ? "reads" : "runs";
}
