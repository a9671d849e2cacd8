import { type OptionSpec, optionNames, parseOptions } from "../options.ts";
import { dropKnown, knownPrefix, knownText, text, type Value } from "../value.ts";
import type { Call, Model } from "../walk/call.ts";
import { unknownOutput } from "../walk/code-runs.ts";
import { runInterpreterCode } from "./run-code.ts";

const VIM: OptionSpec = {
  flags: optionNames("bdEelLmMnNRsvyZ", "clean noplugin headless not-a-term"),
  values: optionNames("", "c cmd S u i T w W t q"),
  optional: ["o", "O", "p", "V"],
  as: { cmd: "c" },
  abbreviates: false,
};

/** Editor commands stand in `-c`, in words like `+normal…`, and in stdin for `ex` and `-s`. */
const runVim: Model = (call, id) => {
  const parsed = parseOptions(call.argv, VIM);
  const operands = parsed.operands.map(operand => operand.value);
  const plus = operands.filter(value => knownPrefix(value).startsWith("+")).map(value => dropKnown(value, 1));
  const files = operands.filter(value => !knownPrefix(value).startsWith("+"));
  for (const code of [...parsed.valuesOf("c"), ...plus]) runCommands(code, files, call, id, "argument");
  const readsStdin =
    parsed.has("s", "e", "E") || knownText(call.argv[0] ?? { pieces: [], origins: [] })?.endsWith("ex");
  if (readsStdin === true && call.stdin !== undefined) runCommands(call.stdin, files, call, id, "stdin");
  return [unknownOutput(call, id)];
};

function runCommands(
  code: Value,
  files: readonly Value[],
  call: Call,
  id: number,
  from: "argument" | "stdin",
): void {
  runInterpreterCode("vim", code, files, call, id, { from, road: "code" });
}

/** `ed FILE` takes its commands from stdin; a `w` there writes the file, or the one it names. */
const runEd: Model = (call, id) => {
  const parsed = parseOptions(call.argv, { flags: ["s", "v", "E"], values: ["p"] });
  const file = parsed.operands[0]?.value;
  if (call.stdin === undefined) return [unknownOutput(call, id)];
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
      invocation: id,
      span: call.span,
    });
  }
  return [unknownOutput(call, id)];
};

const DENO: OptionSpec = {
  flags: optionNames("", "A p print T allow-all quiet q no-check check"),
  values: optionNames("", "ext config c import-map L log-level"),
  optional: optionNames("", "allow-read allow-write allow-net allow-env allow-run allow-sys allow-ffi"),
};

const runDeno: Model = (call, id) => {
  const subcommand = knownText(call.argv[1] ?? { pieces: [], origins: [] });
  const [first, ...rest] = parseOptions(call.argv, DENO, 2).operands.map(operand => operand.value);
  if (subcommand === "eval" && first !== undefined) {
    return runInterpreterCode("javascript", first, rest, call, id, { from: "argument", road: "code" });
  }
  const readsStdin =
    subcommand === undefined || subcommand === "-" || (first !== undefined && knownText(first) === "-");
  if (!readsStdin || call.stdin === undefined) return [unknownOutput(call, id)];
  return runInterpreterCode("javascript", call.stdin, rest, call, id, { from: "stdin", road: "code" });
};

export const editorModels: readonly (readonly [string, Model])[] = [
  ...["vim", "vi", "nvim", "ex", "view", "gvim", "rvim", "vimdiff"].map(name => [name, runVim] as const),
  ["ed", runEd],
  ["red", runEd],
  ["deno", runDeno],
];
