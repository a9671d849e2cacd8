import {
  type Invocation,
  knownPrefix,
  knownText,
  parseOptions,
  text,
  type Value,
  words,
} from "../../shell/index.ts";
import type { Program, Trait } from "./program.ts";
import { findProgram, isEveryday } from "./registry.ts";
import { fileBehindMark, mayBeGiven, UNKNOWN } from "./unknown.ts";

/** By one letter most options name a number, a folder or a setting; these name a file that is read line by line. */
const OF_FILES = new Set("fFiaTKmP");
/** A file that is used, left out, written to, or not read at all. */
const NOT_SHOWN =
  /(?:^|-)(?:envs?|dotenv|vars?|keyfile|credentials|pass(?:file)?|tokens|secrets?|vault|exclude|include|without|skip|i?glob|pattern|name|reference|defaults|kubeconfig|userconfig|output|out|dest|destination|target|to|save)(?:-|$)/;

/**
 * Words that may name a file whose lines are shown though no effect says so: the file of an option (`date -f FILE` and
 * `wget -i FILE` complain of each line that they cannot use), a program that an interpreter is given, which it quotes where
 * it does not understand it, and names in words that say how files are read (`@FILE`, `.import FILE`). A file that is only
 * used, to log in or to set variables, is none of them.
 */
export function otherFiles({ program: name, argv, stdin }: Invocation): readonly Value[] {
  const program = name === undefined ? undefined : findProgram(name);
  if (name === undefined || program === undefined || program.is?.includes("prints") === true) return [];
  // Clients say themselves what they send, and what of it comes from a file.
  const isClient = program.is?.includes("fetches") === true;
  const marked = isClient ? [] : argv.slice(1).flatMap(word => fileBehindMark(word) ?? []);
  return [...marked, ...filesOfOptions(name, program, argv), ...filesInTexts(program, argv, stdin)];
}

function filesOfOptions(name: string, program: Program, given: readonly Value[]): readonly Value[] {
  const isCode = program.language !== undefined || program.is?.includes("shell") === true;
  const starts = program.options?.stopsAtOperand === true;
  // What a wrapper starts is looked at by itself, and its own options say how it is started.
  if (starts && !isCode) return [];
  if (program.options === undefined && isEveryday(name)) return [];
  const argv = program.rewrite?.(given) ?? given;
  const parsed = parseOptions(argv, program.options ?? UNKNOWN);
  if (parsed.isOn("help", "version")) return [];
  const { options, operands } = parsed;
  const used = words(program.uses ?? "");
  const named = options.flatMap(({ name: option, value }) => {
    const isFile =
      option.length === 1
        ? OF_FILES.has(option)
        : program.is?.includes("fetches") !== true && mayBeGiven(option) && !NOT_SHOWN.test(option);
    return value === undefined || used.includes(option) || !isFile ? [] : [value];
  });
  // Of what compilers and builders are given only the files that they run are known.
  const isGiven =
    program.options === undefined &&
    program.runsFiles !== undefined &&
    program.is?.includes("readsNothing") === true;
  if (!isCode && !isGiven) return named;
  return [...named, ...operands.slice(0, isCode ? 2 : undefined).map(({ value }) => value)];
}

function filesInTexts(
  { fileLines }: Program,
  argv: readonly Value[],
  stdin: Value | undefined,
): readonly Value[] {
  if (fileLines === undefined) return [];
  return [...argv.slice(1), ...(stdin === undefined ? [] : [stdin])].flatMap(word =>
    [...(knownText(word) ?? "").matchAll(fileLines)].map(match =>
      text(match.slice(1).find(group => group !== undefined) ?? ""),
    ),
  );
}

const MAX_NOT_TOLD = 32;
/** What shows nothing of the files that its words name, or is judged by itself. */
const SHOWS_NO_FILE: ReadonlySet<Trait> = new Set(["usesFiles", "prints", "shell", "fetches"]);

/** Words that name something which no option of using and no text says what for, at most a few: places, and texts that hold one. */
export function wordsNotTold({ program: name, argv }: Invocation): readonly Value[] {
  const program = name === undefined ? undefined : findProgram(name);
  if (program === undefined) return [];
  if (program.is?.some(trait => SHOWS_NO_FILE.has(trait)) === true) return [];
  if (program.options?.stopsAtOperand === true || program.language !== undefined) return [];
  // `jq .env package.json`: where a query stands in front of the files, a word before them names none.
  const query =
    program.reads?.text === undefined
      ? -1
      : argv.findIndex((word, at) => at > 0 && /^[.[]/.test(knownText(word) ?? ""));
  const isQuery = query > 0 && argv.slice(query + 1).some(word => !knownPrefix(word).startsWith("-"));
  return argv.slice(1, MAX_NOT_TOLD).flatMap((word, index): readonly Value[] => {
    const before = knownText(argv[index] ?? word) ?? "";
    const shown = knownText(word) ?? "";
    if (isQuery && index + 1 === query) return [];
    if (shown === "" || shown.startsWith("-") || /^-[^=]*$/.test(before)) return [];
    const quoted = [...shown.matchAll(/["']([~/.][^"']{1,300})["']/g)].map(([, path = ""]) => text(path));
    return /\s/.test(shown) ? quoted : [word];
  });
}
