import { type OptionGrammar, parseOptions } from "../../shell/options.ts";
import { dropKnown, knownPrefix, knownText, text, type Value } from "../../shell/value.ts";
import type { Model, ProgramCall } from "../../shell/walk/call.ts";
import { unknownOutput } from "../../shell/walk/code-runs.ts";
import { runInterpreterCode } from "./run-code.ts";

const VIM: OptionGrammar = {
  flags: "-bdEelLmMnNRsvyZ clean noplugin headless not-a-term",
  values: "-SuiTwWtq c|cmd",
  optional: "-oOpV",

  abbreviates: false,
};

/** Editor commands stand in `-c`, in words like `+normal…`, and in stdin for `ex` and `-s`. */
const runVim: Model = call => {
  const parsed = parseOptions(call.argv, VIM);
  const operands = parsed.operands.map(operand => operand.value);
  const plus = operands.filter(value => knownPrefix(value).startsWith("+")).map(value => dropKnown(value, 1));
  const files = operands.filter(value => !knownPrefix(value).startsWith("+"));
  for (const code of [...parsed.valuesOf("c"), ...plus]) runCommands(code, files, call, "argument");
  const readsStdin =
    parsed.has("s", "e", "E") || knownText(call.argv[0] ?? { pieces: [], origins: [] })?.endsWith("ex");
  if (readsStdin === true && call.stdin !== undefined) runCommands(call.stdin, files, call, "stdin");
  return [unknownOutput(call)];
};

function runCommands(
  code: Value,
  files: readonly Value[],
  call: ProgramCall,
  from: "argument" | "stdin",
): void {
  runInterpreterCode("vim", code, files, call, { from, road: "code" });
}

/** `ed FILE` takes its commands from stdin; a `w` there writes the file, or the one it names. */
const runEd: Model = call => {
  const parsed = parseOptions(call.argv, { flags: "-svE", values: "-p" });
  const file = parsed.operands[0]?.value;
  if (call.stdin === undefined) return [unknownOutput(call)];
  const known = knownText(call.stdin);
  const written =
    known === undefined
      ? [undefined]
      : [...known.matchAll(/^[\d,.$;%+-]*(?:w|wq|W)(?:[ \t]+([^!\s]\S*))?[ \t]*$/gm)].map(match => match[1]);
  for (const name of new Set(written)) {
    const path = name === undefined ? file : text(name);
    if (path === undefined) continue;
    call.scope.session.codeEffects.push({
      call: { kind: "write", path, isAppend: false, content: undefined, at: 0 },
      invocation: call.id,
      span: call.span,
    });
  }
  return [unknownOutput(call)];
};

const DENO: OptionGrammar = {
  flags: "-ApTq print allow-all quiet no-check check",
  values: "-cL ext config import-map log-level",
  optional: "allow-read allow-write allow-net allow-env allow-run allow-sys allow-ffi",
};

const runDeno: Model = call => {
  const subcommand = knownText(call.argv[1] ?? { pieces: [], origins: [] });
  const [first, ...rest] = parseOptions(call.argv, DENO, 2).operands.map(operand => operand.value);
  if (subcommand === "eval" && first !== undefined) {
    return runInterpreterCode("javascript", first, rest, call, { from: "argument", road: "code" });
  }
  const readsStdin =
    subcommand === undefined || subcommand === "-" || (first !== undefined && knownText(first) === "-");
  if (!readsStdin || call.stdin === undefined) return [unknownOutput(call)];
  return runInterpreterCode("javascript", call.stdin, rest, call, { from: "stdin", road: "code" });
};

export const editorModels: readonly (readonly [string, Model])[] = [
  ...["vim", "vi", "nvim", "ex", "view", "gvim", "rvim", "vimdiff"].map(name => [name, runVim] as const),
  ["ed", runEd],
  ["red", runEd],
  ["deno", runDeno],
];
