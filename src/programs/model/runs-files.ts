import { describe, type Invocation, type Value, wordSet } from "../../shell/index.ts";
import { startsWithAny } from "./harmless.ts";
import { findProgram, isBare } from "./registry.ts";

const ANY = "*";
const HOOKS = "hooks";
const RUNS_HOOKS = wordSet(
  "commit push merge rebase am cherry-pick revert pull checkout switch worktree clone",
);
const STARTS_OTHERS = [
  "runsTasks",
  "runsTargets",
  "runsPackage",
  "mayRunPackage",
  "installsPackages",
] as const;
const ASKS_FOR_HELP = /^(?:--?(?:help|version|dry-run)|-[hV]|help|version)$/;
/** Languages whose programs take in other files, and how those are called. */
const IMPORTS: Readonly<Record<string, string>> = {
  javascript: "*.js *.mjs *.cjs *.jsx *.ts *.mts *.cts *.tsx package.json",
  python: "*.py",
  ruby: "*.rb Rakefile Gemfile",
  perl: "*.pl *.pm",
  php: "*.php",
  lua: "*.lua",
};
/** Code among the words: nothing else need be loaded. */
const GIVEN_CODE = /^-{1,2}(?:[ceEpn]|eval|print|exec|command)$/;

/**
 * Patterns of the names of files that a program may run though no word of it names them; undefined for one that runs nothing
 * but what its words say.
 */
export function filesRunBy(invocation: Invocation): string | undefined {
  const { program: name, argv, place } = invocation;
  const words = argv.slice(1).map(describe);
  if (place.kind !== "local" || words.some(word => ASKS_FOR_HELP.test(word))) return undefined;
  const program = name === undefined ? undefined : findProgram(name);
  if (program === undefined || isBare(program)) return ANY;
  if (program.runsFiles === HOOKS) return words.some(word => RUNS_HOOKS.has(word)) ? HOOKS : undefined;
  const { is = [], harmless, language, shows = "" } = program;
  const [first = ""] = words;
  if (startsWithAny(`${shows} ${harmless?.reads ?? ""}`.trim(), first)) return undefined;
  if (program.runsFiles !== undefined) return program.runsFiles;
  if (is.includes("shell")) return isUnknownScript(invocation) ? ANY : undefined;
  if (STARTS_OTHERS.some(trait => is.includes(trait))) return ANY;
  if (harmless?.runs !== undefined && startsWithAny(harmless.runs, first)) return ANY;
  // Programs import others; a shell runs what its words name, and that is read.
  const imported = language === undefined || words.length === 0 ? undefined : IMPORTS[language];
  return words.some(word => GIVEN_CODE.test(word)) && words.length <= 2 ? undefined : imported;
}

/** `sh $(ls *.sh)`, `bash <<< "$(cat x)"`: what the shell runs is not told by its words. */
function isUnknownScript({ argv, stdin }: Invocation): boolean {
  const isOpen = (value: Value) => value.pieces.some(piece => piece.kind === "unknown");
  return argv.slice(1).some(isOpen) || (stdin !== undefined && isOpen(stdin));
}
