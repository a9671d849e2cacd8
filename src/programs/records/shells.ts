import {
  appendOutput,
  asQuotedWord,
  environmentValueOf,
  knownText,
  NO_OUTPUT,
  type OptionGrammar,
  type Output,
  type ParsedOptions,
  type ProgramCall,
  parseOptions,
  positionalsFrom,
  repairShell,
  runInNewShell,
  runScript,
  text,
  unknownOutput,
  type Value,
  wordAt,
} from "../../shell/index.ts";
import type { Field, ParsedCall } from "../model/program.ts";
import { programs } from "../model/program-table.ts";

const OPTIONS: OptionGrammar = {
  flags: "-abefhiklmnprstuvxBCDEHPTc login norc noprofile posix noediting restricted verbose help version",
  values: "-oO rcfile init-file",
  stopsAtOperand: true,
};

/** Shells: their code is an argument, a file or stdin. */
export const shells: Field = {
  toldExcept: "fish ysh",
  programs: () => [
    ...programs(
      `
    bash sh zsh dash ksh ash | is shell readsNothing dangerous
    ksh93 mksh pdksh rbash yash csh tcsh hush osh nu xonsh elvish | is shell readsNothing
    fish | is shell readsNothing dangerous | flags -iNnPlvh login no-config interactive no-execute private help
        version | values -doDf command|c|C|init-command features profile | ends at operand
    . source | is readsNothing sources
    read | is readsNothing readsLine
  `,
      {
        bash: { options: OPTIONS, run: runShell },
        ksh93: { options: OPTIONS, run: runShell },
        fish: { run: runFish },
      },
    ),
    // Words of the shell itself, behind programs that know no shell.
    {
      names: `export declare local readonly typeset set unset alias unalias exit return cd pushd popd trap shift eval exec
        command :`,
      is: ["readsNothing"],
    },
    // Their own grammar is not read; what they share with the others is enough.
    { names: "ysh rc es scsh", is: ["shell"], run: runRareShell },
  ],
};

interface ShellOptions {
  readonly parsed: ParsedOptions;
  readonly hasCommand: boolean;
  readonly readsStdin: boolean;
  /** only the syntax is looked at */
  readonly isCheck: boolean;
}

/** `+x` and `+o name` stand among the options of a shell, too. */
function readOptions(call: ParsedCall): ShellOptions {
  let parsed = call.options;
  let hasCommand = parsed.has("c");
  let readsStdin = parsed.has("s");
  let isCheck = checksSyntax(parsed);
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
    isCheck = (isCheck && !/n|[oO]$/.test(word)) || checksSyntax(parsed);
  }
  // Interactive shells know no such thing.
  return { parsed, hasCommand, readsStdin, isCheck: isCheck && !call.options.has("i") && !parsed.has("i") };
}

function checksSyntax(parsed: ParsedOptions): boolean {
  return parsed.has("n") || parsed.valuesOf("o").some(value => knownText(value) === "noexec");
}

function runShell(call: ParsedCall): Output {
  const { parsed, hasCommand, readsStdin, isCheck } = readOptions(call);
  const operands = parsed.operandValues;
  runStartFiles(parsed, call);
  if (isCheck) return NO_OUTPUT;
  // `sh -c - CMD`: a dash ends the options.
  const isDash = hasCommand && operands.length > 1 && knownText(wordAt(operands, 0)) === "-";
  const [first, ...rest] = isDash ? operands.slice(1) : operands;
  if (hasCommand) return first === undefined ? NO_OUTPUT : runCommandString(first, rest, call);
  const isStdin =
    readsStdin || first === undefined || (knownText(first) === "-" && parsed.endOfOptions === undefined);
  if (!isStdin) return runScript({ path: first, arguments: rest, by: "shell" }, call);
  return runStandardInput(readsStdin ? operands : [], call);
}

function runFish(call: ParsedCall): Output {
  const { operands } = call;
  const [first, ...rest] = operands;
  if (call.options.has("n", "no-execute")) return NO_OUTPUT;
  const codes = call.options.valuesOf("command");
  if (codes.length > 0)
    return codes.map(code => runCommandString(fishText(code), operands, call)).reduce(appendOutput);
  if (first === undefined) return runStandardInput([], call);
  return runScript({ path: first, arguments: rest, by: "shell" }, call);
}

/** Text of fish as bash would say it. */
function fishText(code: Value): Value {
  const known = knownText(code);
  return known === undefined ? code : text(repairShell(known, true).text, code.origins);
}

function runRareShell(call: ParsedCall): Output {
  const at = call.argv.findIndex(word => /^(-[a-z]*c|--commands?)$/.test(knownText(word) ?? ""));
  const code = at < 0 ? undefined : call.argv[at + 1];
  return code === undefined ? [unknownOutput(call)] : runCommandString(code, [], call);
}

function runCommandString(code: Value, rest: readonly Value[], call: ProgramCall): Output {
  const [zero, ...values] = rest;
  const positionals = positionalsFrom(zero, values, call.isOpenEnded);
  return runInNewShell(code, call, { from: "argument", via: "shell" }, { positionals, stdin: call.stdin });
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
  return runInNewShell(call.stdin, call, { from: "stdin", via: "shell" }, { positionals });
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
      runInNewShell(asQuotedWord(prompt), call, { from: "handler", via: "shell" });
    }
  }
  const beforePrompt = environmentValueOf(call, "PROMPT_COMMAND");
  if (beforePrompt !== undefined) runInNewShell(beforePrompt, call, { from: "handler", via: "shell" });
}
