import { splitAssignment } from "../shell/builtins/declarations.ts";
import type { EnvironmentEntry } from "../shell/facts.ts";
import { parseOptions } from "../shell/options.ts";
import { joinPath } from "../shell/paths.ts";
import { NO_OUTPUT } from "../shell/state/output.ts";
import type { Output, ProgramCall } from "../shell/state/types.ts";
import { knownText, text, unknown, type Value, wordAt } from "../shell/value.ts";
import { runInNewShell, unknownOutput } from "../shell/walk/code-runs.ts";
import { runInner } from "../shell/walk/inner.ts";
import { PREFIX_WRAPPERS, type PrefixWrapper } from "./prefix-table.ts";
import type { Field } from "./program.ts";

/** Runs the rest of the words as a program, after the options and operands that belong to the wrapper. */
export function runPrefix(wrapper: PrefixWrapper, call: ProgramCall): Output {
  if (wrapper.marks !== undefined) return runMarked(wrapper, wrapper.marks, call);
  const start = skipSubcommand(wrapper, call);
  if (start === undefined) return [unknownOutput(call)];
  const parsed = parseOptions(call.argv, { ...wrapper.options, stopsAtOperand: true }, start);
  if (wrapper.silencedBy !== undefined && parsed.has(...wrapper.silencedBy)) return [unknownOutput(call)];
  const first = parsed.operands[0]?.index ?? call.argv.length;
  let index = wrapper.isAfterDashes === true ? dashesFrom(call, start) : first + (wrapper.operands ?? 0);
  if (wrapper.hasLateOptions === true) {
    index =
      parseOptions(call.argv, { ...wrapper.options, stopsAtOperand: true }, index).operands[0]?.index ??
      call.argv.length;
  } else if (wrapper.operands !== undefined && isDashes(call.argv[index])) index += 1;
  const environment: EnvironmentEntry[] = [];
  while (wrapper.hasAssignments === true && index < call.argv.length) {
    const entry = splitAssignment(wordAt(call.argv, index));
    if (entry?.value === undefined) break;
    environment.push(entry);
    index += 1;
  }
  const directory = wrapper.directory === undefined ? undefined : parsed.valueOf(...wrapper.directory);
  const changes: Partial<ProgramCall> = {
    environment: [...call.environment, ...environment],
    isElevated: call.isElevated || wrapper.elevates === true,
    cwd:
      directory === undefined
        ? wrapper.losesDirectory === true
          ? unknown("any", "the current directory")
          : call.cwd
        : joinPath(call.cwd, directory),
  };
  const argv = call.argv.slice(index);
  if (argv.length > 0)
    return runInner(wrapper.isPackage === true ? argv.map(withoutVersion) : argv, call, changes);
  const startsShell =
    wrapper.shellFlags !== undefined &&
    (wrapper.shellFlags.length === 0 || parsed.has(...wrapper.shellFlags));
  return startsShell ? runInner([text("sh")], call, changes) : NO_OUTPUT;
}

/** `xterm -e cmd args`, `capsh -- -c cmd`. */
function runMarked(wrapper: PrefixWrapper, marks: readonly string[], call: ProgramCall): Output {
  const at = call.argv.findIndex((word, index) => index > 0 && marks.includes(knownText(word) ?? ""));
  const words = at < 0 ? [] : call.argv.slice(at + 1);
  const [only] = words;
  if (wrapper.program !== undefined) return runInner([text(wrapper.program), ...words], call);
  return words.length === 1 && only !== undefined
    ? runInNewShell(only, call, { from: "argument", road: "shell" })
    : runInner(words, call);
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
function skipSubcommand(wrapper: PrefixWrapper, call: ProgramCall): number | undefined {
  if (wrapper.subcommands === undefined) return 1;
  const word = knownText(wordAt(call.argv, 1));
  return word !== undefined && wrapper.subcommands.includes(word) ? 2 : undefined;
}

/** `rimraf@5` is rimraf. Only the program word has a version. */
function withoutVersion(word: Value, index: number): Value {
  const known = index === 0 ? knownText(word) : undefined;
  return known === undefined ? word : text(known.replace(/(?<=.)@[^/]*$/, ""), word.origins);
}

/** Programs whose last words are another program with its arguments. */
export const prefixes: Field = {
  programs: PREFIX_WRAPPERS.map(wrapper => ({
    names: wrapper.names,
    isGnu: true,
    is: wrapper.is ?? ["readsNothing"],
    options:
      wrapper.subcommands === undefined ? { ...wrapper.options, stopsAtOperand: true } : wrapper.options,
    run: call => runPrefix(wrapper, call),
    ...(wrapper.shellVariables === undefined ? {} : { shellVariables: wrapper.shellVariables }),
    ...(wrapper.pattern === undefined ? {} : { pattern: wrapper.pattern }),
  })),
};
