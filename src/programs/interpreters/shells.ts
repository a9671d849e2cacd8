import { type OptionGrammar, type ParsedOptions, parseOptions } from "../../shell/options.ts";
import { knownText, type Value } from "../../shell/value.ts";
import type { Model, ProgramCall } from "../../shell/walk/call.ts";
import { environmentValueOf } from "../../shell/walk/call.ts";
import { positionalsFrom, runInNewShell } from "../../shell/walk/code-runs.ts";
import { appendOutput, NO_OUTPUT, type Output } from "../../shell/walk/output.ts";
import { runScript } from "../../shell/walk/scripts.ts";
import { asQuotedWord } from "../../shell/walk/start-up.ts";

const NAMES = "bash sh zsh dash ksh ksh93 mksh pdksh ash rbash yash csh tcsh hush osh nu xonsh elvish";

const OPTIONS: OptionGrammar = {
  flags: "-abefhiklmnprstuvxBCDEHPTc login norc noprofile posix noediting restricted verbose",
  values: "-oO rcfile init-file",
  stopsAtOperand: true,
};

const FISH: OptionGrammar = {
  flags: "-iNnPlvh login no-config interactive no-execute private",
  values: "-doDf command|c|C|init-command features profile",

  stopsAtOperand: true,
};

interface ShellOptions {
  readonly parsed: ParsedOptions;
  readonly hasCommand: boolean;
  readonly readsStdin: boolean;
}

/** `+x` and `+o name` stand among the options of a shell, too. */
function readOptions(call: ProgramCall): ShellOptions {
  let parsed = parseOptions(call.argv, OPTIONS);
  let hasCommand = parsed.has("c");
  let readsStdin = parsed.has("s");
  for (
    let [first] = parsed.operands;
    first !== undefined && parsed.endOfOptions === undefined;
    [first] = parsed.operands
  ) {
    const word = knownText(first.value);
    if (word === undefined || !/^\+[A-Za-z]+$/.test(word)) break;
    parsed = parseOptions(call.argv, OPTIONS, first.index + (/[oO]$/.test(word) ? 2 : 1));
    hasCommand ||= parsed.has("c");
    readsStdin ||= parsed.has("s");
  }
  return { parsed, hasCommand, readsStdin };
}

const runShell: Model = call => {
  const { parsed, hasCommand, readsStdin } = readOptions(call);
  const operands = parsed.operands.map(operand => operand.value);
  runStartFiles(parsed, call);
  const [first, ...rest] = operands;
  if (hasCommand) return first === undefined ? NO_OUTPUT : runCommandString(first, rest, call);
  const isStdin =
    readsStdin || first === undefined || (knownText(first) === "-" && parsed.endOfOptions === undefined);
  if (!isStdin) return runScript({ path: first, arguments: rest, by: "shell" }, call);
  return runStandardInput(readsStdin ? operands : [], call);
};

const runFish: Model = call => {
  const parsed = parseOptions(call.argv, FISH);
  const operands = parsed.operands.map(operand => operand.value);
  const [first, ...rest] = operands;
  const codes = parsed.valuesOf("command");
  if (codes.length > 0) return codes.map(code => runCommandString(code, operands, call)).reduce(appendOutput);
  if (first === undefined) return runStandardInput([], call);
  return runScript({ path: first, arguments: rest, by: "shell" }, call);
};

function runCommandString(code: Value, rest: readonly Value[], call: ProgramCall): Output {
  const [zero, ...values] = rest;
  const positionals = positionalsFrom(zero, values, call.isOpenEnded);
  return runInNewShell(code, call, { from: "argument", road: "shell" }, { positionals, stdin: call.stdin });
}

/** A shell without a script reads its commands from stdin; from a terminal there is nothing to judge. */
function runStandardInput(values: readonly Value[], call: ProgramCall): Output {
  if (call.stdin === undefined) return NO_OUTPUT;
  const [origin] = call.stdin.origins;
  const isFile =
    call.stdin.pieces.length === 1 &&
    call.stdin.pieces[0]?.kind === "unknown" &&
    call.stdin.origins.length === 1;
  if (isFile && origin?.kind === "file")
    return runScript({ path: origin.path, arguments: values, by: "shell" }, call);
  const positionals = positionalsFrom(undefined, values, call.isOpenEnded);
  return runInNewShell(call.stdin, call, { from: "stdin", road: "shell" }, { positionals });
}

/** Files and texts that a shell runs before anything else. */
function runStartFiles(parsed: ParsedOptions, call: ProgramCall): void {
  const named = ["BASH_ENV", "ENV"].map(name => environmentValueOf(call, name));
  for (const path of [...named, ...parsed.valuesOf("rcfile", "init-file")]) {
    if (path !== undefined && path.pieces.length > 0) runScript({ path, arguments: [], by: "shell" }, call);
  }
  for (const name of ["PS0", "PS1", "PS2", "PS4", "BASH_ENV", "ENV"]) {
    const prompt = knownText(environmentValueOf(call, name) ?? { pieces: [], origins: [] });
    if (prompt !== undefined && /\$\(|`/.test(prompt)) {
      runInNewShell(asQuotedWord(prompt), call, { from: "handler", road: "shell" });
    }
  }
  const beforePrompt = environmentValueOf(call, "PROMPT_COMMAND");
  if (beforePrompt !== undefined) runInNewShell(beforePrompt, call, { from: "handler", road: "shell" });
}

export const shellModels: readonly (readonly [string, Model])[] = [
  ...NAMES.split(" ").map(name => [name, runShell] as const),
  ["fish", runFish],
];
