import {
  dropKnown,
  knownPrefix,
  knownText,
  type Output,
  text,
  unknownOutput,
  type Value,
} from "../../shell/index.ts";
import type { Field, ParsedCall } from "../model/program.ts";
import { runInterpreterCode } from "../model/run-code.ts";
import { recordCodeEffect } from "./file-access.ts";

/** Editors that take commands as words or on their input. */
export const editors: Field = {
  programs: () => [
    {
      names: "vim vi nvim ex view gvim rvim vimdiff",
      options: {
        flags: "-bdEelLmMnNRsvyZ clean noplugin headless not-a-term",
        values: "-SuiTwWtq c|cmd",
        optional: "-oOpV",
        abbreviates: false,
      },
      run: runVim,
    },
    { names: "ed red", options: { flags: "-svE", values: "p" }, run: runEd, shellLines: /^[ \t]*!(.*)$/gm },
  ],
};

/** Commands stand in `-c`, in words like `+normal…`, and in stdin for `ex` and `-s`. */
function runVim(call: ParsedCall): Output {
  const { options, operands } = call;
  const isCommand = (value: Value) => knownPrefix(value).startsWith("+");
  const commands = operands.filter(isCommand).map(value => dropKnown(value, 1));
  const files = operands.filter(value => !isCommand(value));
  for (const code of [...options.valuesOf("c"), ...commands])
    runInterpreterCode("vim", code, files, call, { from: "argument" });
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
