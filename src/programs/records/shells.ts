import {
  appendOutput,
  asQuotedWord,
  dropKnown,
  findEnvironmentValue,
  joinValues,
  knownPrefix,
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
  writtenEntry,
} from "../../shell/index.ts";
import { type Field, type ParsedCall, program } from "../model/program.ts";
import { runInterpreterCode } from "../model/run-code.ts";
import { recordCodeEffect } from "./file-access.ts";
import { followUnreadCode } from "./other-languages.ts";

const OPTIONS: OptionGrammar = {
  flags: "-abefhiklmnprstuvxBCDEHPTc login norc noprofile posix noediting restricted verbose help version",
  values: "-oO rcfile init-file",
  stopsAtOperand: true,
};

/** Shells: their code is an argument, a file or stdin. */
export const shells: Field = {
  tellsChanges: true,
  programs: () => [
    program("bash sh zsh dash ksh ash", "shell readsNothing dangerous guessed", {
      options: OPTIONS,
      // The text behind -c is read as the rest of the command is; start-up files are not.
      complete: {
        names: "bash sh dash",
        except:
          "a b f h i k l m n p r s t v x B C D E H P T o O login norc noprofile posix noediting restricted verbose rcfile init-file",
        gap: ({ options, program: name }) =>
          options.has("c") ? undefined : { kind: "code", what: name, why: "it runs a file or its input" },
      },
      run: runShell,
    }),
    program("ksh93 mksh pdksh rbash yash csh tcsh hush osh", "shell readsNothing", {
      options: OPTIONS,
      run: runShell,
    }),
    program("fish", "shell readsNothing dangerous changesMore", {
      options: {
        flags: "-iNnPlvh login no-config interactive no-execute private help version",
        values: "-doDf command|c|C|init-command features profile",
        stopsAtOperand: true,
      },
      run: runFish,
    }),
    program(". source", "readsNothing sources usesFiles"),
    program("read", "readsNothing readsLine"),
    program(
      "export declare local readonly typeset set unset alias unalias exit return cd pushd popd trap shift eval exec :",
      "readsNothing",
    ),
    program("ysh rc es scsh nu xonsh elvish", "shell changesMore", { run: runRareShell }),
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
  if (code === undefined) return [unknownOutput(call)];
  // Some of them speak a language that is more than a shell's.
  followUnreadCode(knownText(code) ?? "", call);
  return runCommandString(code, [], call);
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
  const named = ["BASH_ENV", "ENV"].map(name => findEnvironmentValue(call, name));
  for (const path of [...named, ...parsed.valuesOf("rcfile", "init-file")]) {
    if (path === undefined || path.pieces.length === 0) continue;
    // What this command wrote has run already, as any file that a variable names.
    const isWritten = named.includes(path) && writtenEntry(path, call.cwd, call.scope) !== undefined;
    if (!isWritten) runScript({ path, arguments: [], by: "shell" }, call);
  }
  for (const name of ["PS0", "PS1", "PS2", "PS4", "BASH_ENV", "ENV"]) {
    const prompt = knownText(findEnvironmentValue(call, name) ?? { pieces: [], origins: [] });
    if (prompt !== undefined && /\$\(|`/.test(prompt)) {
      runInNewShell(asQuotedWord(prompt), call, { from: "handler", via: "shell" });
    }
  }
  const beforePrompt = findEnvironmentValue(call, "PROMPT_COMMAND");
  if (beforePrompt !== undefined) runInNewShell(beforePrompt, call, { from: "handler", via: "shell" });
}

/** Editors that take commands as words or on their input. */
export const editors: Field = {
  programs: () => [
    program("vim vi nvim ex view gvim rvim vimdiff", "usesFiles", {
      options: {
        flags: "-bdEelLmMnNRsvyZ clean noplugin headless not-a-term",
        values: "-SuiTwWtq c|cmd",
        optional: "-oOpV",
        abbreviates: false,
      },
      run: runVim,
    }),
    program("ed red", "", {
      options: { flags: "-svE", values: "p" },
      run: runEd,
      shellLines: /^[ \t]*!(.*)$/gm,
    }),
  ],
};

/** Commands stand in `-c`, in words like `+normal…`, and in stdin for `ex` and `-s`. */
function runVim(call: ParsedCall): Output {
  const { options, operands } = call;
  const isCommand = (value: Value) => knownPrefix(value).startsWith("+");
  const commands = operands.filter(isCommand).map(value => dropKnown(value, 1));
  const files = operands.filter(value => !isCommand(value));
  // They are lines of one program: what one opens another writes.
  const codes = [...options.valuesOf("c"), ...commands];
  if (codes.length > 0) runInterpreterCode("vim", joinValues(codes, "\n"), files, call, { from: "argument" });
  const readsStdin = options.has("s", "e", "E") || call.program === "ex";
  if (readsStdin && call.stdin !== undefined)
    runInterpreterCode("vim", call.stdin, files, call, { from: "stdin" });
  return [unknownOutput(call)];
}

/** `ed FILE` takes its commands from stdin; a `w` there writes the file, or the one it names. */
function runEd(call: ParsedCall): Output {
  if (call.stdin === undefined) return [unknownOutput(call)];
  const known = knownText(call.stdin);
  const written =
    known === undefined
      ? [undefined]
      : [...known.matchAll(/^[\d,.$;%+-]*(?:w|wq|W)(?:[ \t]+([^!\s]\S*))?[ \t]*$/gm)].map(match => match[1]);
  for (const name of new Set(written)) {
    const path = name === undefined ? call.operands[0] : text(name);
    if (path === undefined) continue;
    recordCodeEffect({ kind: "write", path, isAppend: false, content: undefined, at: 0 }, call);
  }
  return [unknownOutput(call)];
}
