import { splitAssignment } from "../../shell/builtins/declarations.ts";
import type { EnvironmentEntry } from "../../shell/facts.ts";
import { parseOptions } from "../../shell/options.ts";
import { joinPath } from "../../shell/paths.ts";
import { knownText, text, unknown, type Value, wordAt } from "../../shell/value.ts";
import type { Model, ProgramCall } from "../../shell/walk/call.ts";
import { runInNewShell, unknownOutput } from "../../shell/walk/code-runs.ts";
import { runInner } from "../../shell/walk/inner.ts";
import { NO_OUTPUT, type Output } from "../../shell/walk/output.ts";
import { PREFIX_WRAPPERS, type PrefixWrapper } from "./prefix-table.ts";

/** Runs the rest of the words as a program, after the options and operands that belong to the wrapper. */
export function runPrefix(spec: PrefixWrapper, call: ProgramCall): Output {
  if (spec.marks !== undefined) return runMarked(spec, spec.marks, call);
  const start = skipSubcommand(spec, call);
  if (start === undefined) return [unknownOutput(call)];
  const parsed = parseOptions(call.argv, { ...spec.options, stopsAtOperand: true }, start);
  if (spec.silencedBy !== undefined && parsed.has(...spec.silencedBy)) return [unknownOutput(call)];
  const first = parsed.operands[0]?.index ?? call.argv.length;
  let index = spec.isAfterDashes === true ? dashesFrom(call, start) : first + (spec.operands ?? 0);
  if (spec.hasLateOptions === true) {
    index =
      parseOptions(call.argv, { ...spec.options, stopsAtOperand: true }, index).operands[0]?.index ??
      call.argv.length;
  } else if (spec.operands !== undefined && isDashes(call.argv[index])) index += 1;
  const environment: EnvironmentEntry[] = [];
  while (spec.hasAssignments === true && index < call.argv.length) {
    const entry = splitAssignment(wordAt(call.argv, index));
    if (entry?.value === undefined) break;
    environment.push(entry);
    index += 1;
  }
  const directory = spec.directory === undefined ? undefined : parsed.valueOf(...spec.directory);
  const changes: Partial<ProgramCall> = {
    environment: [...call.environment, ...environment],
    isElevated: call.isElevated || spec.elevates === true,
    cwd:
      directory === undefined
        ? spec.losesDirectory === true
          ? unknown("any", "the current directory")
          : call.cwd
        : joinPath(call.cwd, directory),
  };
  const argv = call.argv.slice(index);
  if (argv.length > 0)
    return runInner(spec.isPackage === true ? argv.map(withoutVersion) : argv, call, changes);
  const startsShell =
    spec.shellFlags !== undefined && (spec.shellFlags.length === 0 || parsed.has(...spec.shellFlags));
  return startsShell ? runInner([text("sh")], call, changes) : NO_OUTPUT;
}

/** `xterm -e cmd args`, `capsh -- -c cmd`. */
function runMarked(spec: PrefixWrapper, marks: readonly string[], call: ProgramCall): Output {
  const at = call.argv.findIndex((word, index) => index > 0 && marks.includes(knownText(word) ?? ""));
  const words = at < 0 ? [] : call.argv.slice(at + 1);
  const [only] = words;
  if (spec.program !== undefined) return runInner([text(spec.program), ...words], call);
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
function skipSubcommand(spec: PrefixWrapper, call: ProgramCall): number | undefined {
  if (spec.subcommands === undefined) return 1;
  const word = knownText(wordAt(call.argv, 1));
  return word !== undefined && spec.subcommands.includes(word) ? 2 : undefined;
}

/** `rimraf@5` is rimraf. Only the program word has a version. */
function withoutVersion(word: Value, index: number): Value {
  const known = index === 0 ? knownText(word) : undefined;
  return known === undefined ? word : text(known.replace(/(?<=.)@[^/]*$/, ""), word.origins);
}

const LOADER: PrefixWrapper = {
  names: "",
  options: { values: "library-path preload audit argv0" },
};

/** The dynamic loader runs the program it is given: `/lib64/ld-linux-x86-64.so.2 /bin/rm`. */
export function loaderModel(program: string): Model | undefined {
  return /^ld(?:-[\w.-]+)?\.so(?:\.\d+)?$/.test(program) ? call => runPrefix(LOADER, call) : undefined;
}

export const prefixModels: readonly (readonly [string, Model])[] = PREFIX_WRAPPERS.flatMap(spec =>
  spec.names.split(" ").map(name => [name, (call: ProgramCall) => runPrefix(spec, call)] as const),
);
