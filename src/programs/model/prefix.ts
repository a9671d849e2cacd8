import {
  type EnvironmentEntry,
  joinPath,
  knownText,
  NO_OUTPUT,
  type Output,
  type ProgramCall,
  parseOptions,
  runInNewShell,
  runInner,
  splitAssignment,
  text,
  unknown,
  unknownOutput,
  type Value,
  wordAt,
  words,
} from "../../shell/index.ts";
import { type PrefixWrapper, readPrefixWrappers } from "../records/prefix-table.ts";
import type { Field, Program } from "./program.ts";

/** Runs the rest of the words as a program, after the options and operands that belong to the wrapper. */
export function runPrefix({ options, cells }: Omit<PrefixWrapper, "names">, call: ProgramCall): Output {
  if (cells.marks !== undefined) return runMarked(words(cells.marks), cells.program, call);
  const isBegun =
    cells["may begin with"] !== undefined && cells["may begin with"] === knownText(wordAt(call.argv, 1));
  const start = isBegun ? 2 : skipSubcommand(cells.subcommands, call);
  if (start === undefined) return [unknownOutput(call)];
  const grammar = { ...options, stopsAtOperand: true };
  const parsed = parseOptions(call.argv, grammar, start);
  if (parsed.isOn(...words(cells["silenced by"] ?? ""))) return [unknownOutput(call)];
  const operandFrom = (index: number) =>
    parseOptions(call.argv, grammar, index).operands[0]?.index ?? call.argv.length;
  let index =
    cells["after dashes"] === undefined
      ? operandFrom(start) + Number(cells.operands ?? 0)
      : dashesFrom(call, start);
  if (cells["late options"] !== undefined) index = operandFrom(index);
  else if (cells.operands !== undefined && isDashes(call.argv[index])) index += 1;
  const environment: EnvironmentEntry[] = [];
  while (cells.assignments !== undefined && index < call.argv.length) {
    const entry = splitAssignment(wordAt(call.argv, index));
    if (entry?.value === undefined) break;
    environment.push(entry);
    index += 1;
  }
  if (cells.secrets !== undefined) environment.push(keptVariables(call));
  const directory = parsed.valueOf(...words(cells.directory ?? ""));
  const cwd = cells["loses directory"] === undefined ? call.cwd : unknown("any", "the current directory");
  const changes: Partial<ProgramCall> = {
    environment: [...call.environment, ...environment],
    isElevated: call.isElevated || cells.elevates !== undefined,
    cwd: directory === undefined ? cwd : joinPath(call.cwd, directory),
  };
  const argv = call.argv.slice(index);
  if (argv.length > 0)
    return runInner(cells.package === undefined ? argv : argv.map(withoutVersion), call, changes);
  const startsShell = cells.shell === "" || parsed.has(...words(cells.shell ?? ""));
  return startsShell ? runInner([text("sh")], call, changes) : NO_OUTPUT;
}

/** More variables than the text names. */
export function keptVariables({ id }: ProgramCall): EnvironmentEntry {
  return { name: "*", value: unknown("any", "kept variables", [{ kind: "program", invocation: id }]) };
}

/** `xterm -e cmd args`, `capsh -- -c cmd`. */
function runMarked(marks: readonly string[], program: string | undefined, call: ProgramCall): Output {
  const at = call.argv.findIndex((word, index) => index > 0 && marks.includes(knownText(word) ?? ""));
  const argv = at < 0 ? [] : call.argv.slice(at + 1);
  const [only] = argv;
  if (program !== undefined) return runInner([text(program), ...argv], call);
  return argv.length === 1 && only !== undefined
    ? runInNewShell(only, call, { from: "argument", via: "shell" })
    : runInner(argv, call);
}

function isDashes(word: Value | undefined): boolean {
  return word !== undefined && knownText(word) === "--";
}

/** Behind `--`; without one behind the subcommand. */
function dashesFrom(call: ProgramCall, start: number): number {
  const found = call.argv.findIndex((word, index) => index >= start && isDashes(word));
  return found < 0 ? start : found + 1;
}

/** Where the wrapper's own words begin; undefined when the subcommand is none that runs a program. */
function skipSubcommand(subcommands: string | undefined, call: ProgramCall): number | undefined {
  if (subcommands === undefined) return 1;
  const word = knownText(wordAt(call.argv, 1));
  return word !== undefined && words(subcommands).includes(word) ? 2 : undefined;
}

/** `rimraf@5` is rimraf. Only the program word has a version. */
function withoutVersion(word: Value, index: number): Value {
  const known = index === 0 ? knownText(word) : undefined;
  return known === undefined ? word : text(known.replace(/(?<=.)@[^/]*$/, ""), word.origins);
}

/** Programs whose last words are another program with its arguments. */
export const prefixes: Field = {
  toldExcept:
    "perf valgrind strace direnv doppler op aws-vault mise asdf nvm bundle poetry uv conda xterm firejail systemd-run",
  programs: () => readPrefixWrappers().map(programOf),
};

function programOf(wrapper: PrefixWrapper): Program {
  const { names, pattern, options, cells } = wrapper;
  return {
    names,
    isGnu: true,
    is: cells.dangerous === undefined ? ["readsNothing"] : ["readsNothing", "dangerous"],
    options: cells.subcommands === undefined ? { ...options, stopsAtOperand: true } : options,
    run: call => runPrefix(wrapper, call),
    shellVariables: cells.variables ?? "",
    ...(cells.pipes === undefined ? {} : { shellOptions: { names: cells.pipes, prefix: /^[|!]/ } }),
    ...(cells.runs === undefined ? {} : { shellOptions: { names: cells.runs } }),
    ...(pattern === undefined ? {} : { pattern }),
  };
}
