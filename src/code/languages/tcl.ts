import type { CodeContext, CodeReading } from "../../shell/code-calls.ts";
import { joinPath } from "../../shell/paths.ts";
import { concatenate, describe, knownText, text, unknown, type Value } from "../../shell/value.ts";
import { createReadingBudget, step } from "../syntax/reading-budget.ts";
import { sourceOf } from "../syntax/source.ts";
import { wordSet } from "../syntax/words.ts";
import type { Cursor, EvaluationContext, Word } from "./tcl-words.ts";
import { MAX_DEPTH, readWords, variable } from "./tcl-words.ts";

const SHELLS = /^(?:ba|z|da|k|c|tc|a|fi)?sh$|^(?:ssh|su|sudo|telnet|docker|kubectl|screen|tmux)$/;

// Tcl, the language of expect: commands are words; braces hold text that a command may run as a body.

/** Read an expect or Tcl script. */
export function readTcl(code: Value, inputs: CodeContext): CodeReading {
  const source = sourceOf(code);
  const budget = createReadingBudget(source.text.length, inputs.budget);
  const context: EvaluationContext = {
    source,
    inputs,
    budget,
    calls: [],
    variables: new Map(),
    spawned: undefined,
    directory: undefined,
    depth: 0,
  };
  runScript(context, source.text, 0);
  return { calls: context.calls, isComplete: !budget.isCutShort };
}

function runScript(context: EvaluationContext, script: string, base: number): void {
  if (context.depth >= MAX_DEPTH) {
    context.budget.isCutShort = true;
    return;
  }
  context.depth += 1;
  const cursor: Cursor = { script, base, at: 0 };
  while (cursor.at < script.length && step(context.budget)) {
    const words = readWords(context, cursor, undefined);
    if (words.length > 0) runCommand(context, words);
  }
  context.depth -= 1;
}

export function runBracketed(context: EvaluationContext, cursor: Cursor): Value {
  cursor.at += 1;
  if (context.depth >= MAX_DEPTH) {
    context.budget.isCutShort = true;
    return unknown("any", "[…]");
  }
  context.depth += 1;
  let result: Value = unknown("any", "[…]");
  while (
    cursor.at < cursor.script.length &&
    cursor.script.charAt(cursor.at) !== "]" &&
    step(context.budget)
  ) {
    const words = readWords(context, cursor, "]");
    if (words.length > 0) result = runCommand(context, words);
  }
  cursor.at += 1;
  context.depth -= 1;
  return result;
}

const BODY_COMMANDS = wordSet(
  "if while for foreach proc catch eval expect expect_before expect_after switch try after trap interact uplevel while1 namespace",
);

function runCommand(context: EvaluationContext, words: readonly Word[]): Value {
  const [first, ...rest] = words;
  if (first === undefined) return text("");
  const name = knownText(first.value)?.replace(/^::/, "");
  const values = rest.map(word => word.value);
  const [operand] = values;
  const at = first.at;
  switch (name) {
    case "spawn":
    case "exec": {
      const argv = skipFlags(values);
      if (argv.length > 0)
        context.calls.push({ kind: "spawn", argv, isOpenEnded: false, cwd: context.directory, at });
      if (name === "spawn" && argv[0] !== undefined) context.spawned = programOf(argv[0]);
      return unknown("any", "[exec]");
    }
    case "system":
      context.calls.push({ kind: "shell", command: joinWords(values), cwd: context.directory, at });
      return unknown("any", "[system]");
    case "send":
      noteSend(context, skipFlags(values), at);
      return text("");
    case "set":
      if (operand === undefined) return text("");
      if (values[1] === undefined) return variable(context, describe(operand));
      context.variables.set(describe(operand), values[1]);
      return values[1];
    case "file":
      noteFile(context, values, at);
      return unknown("any", "[file]");
    case "open":
      noteOpen(context, values, at);
      return unknown("any", "[open]");
    case "source":
      if (operand !== undefined) context.calls.push({ kind: "read", path: operand, at });
      return text("");
    case "cd":
      context.directory = joinPath(
        context.directory ?? context.inputs.cwd,
        operand ?? text(context.inputs.home),
      );
      context.calls.push({ kind: "directory", path: context.directory, at });
      return text("");
    case "pwd":
      return context.directory ?? context.inputs.cwd;
    default:
      if (name !== undefined && BODY_COMMANDS.has(name)) runBodies(context, name, rest);
      return unknown("any", `[${name ?? "…"}]`);
  }
}

/** Braced words of these commands run; patterns of `expect` among them do no harm when read as commands. */
function runBodies(context: EvaluationContext, name: string, words: readonly Word[]): void {
  if (name === "eval" || name === "uplevel") {
    runJoined(context, words);
    return;
  }
  if (name === "foreach") bindLoop(context, words);
  for (const word of words) if (word.body !== undefined) runScript(context, word.body, word.at);
  if (name !== "expect" && name !== "expect_before" && name !== "expect_after" && name !== "switch") return;
  for (const word of words) if (word.body !== undefined) runPairs(context, word);
}

/** `eval exec rm $x`: the words, put together, are a script; where one is not known they are still a command. */
function runJoined(context: EvaluationContext, words: readonly Word[]): void {
  const isLevel = words.length > 1 && /^#?\d+$/.test(knownText(words[0]?.value ?? text("")) ?? "");
  const operands = isLevel ? words.slice(1) : words;
  const code = knownText(
    joinWords(operands.map(({ body, value }) => (body === undefined ? value : text(body)))),
  );
  if (code === undefined) runCommand(context, operands);
  else runScript(context, code, operands[0]?.at ?? 0);
}

/** `{ "pattern" { body } "pattern" { body } }` */
function runPairs(context: EvaluationContext, word: Word): void {
  const cursor: Cursor = { script: word.body ?? "", base: word.at, at: 0 };
  while (cursor.at < cursor.script.length && step(context.budget)) {
    for (const inner of readWords(context, cursor, undefined)) {
      if (inner.body !== undefined) runScript(context, inner.body, inner.at);
    }
  }
}

function bindLoop(context: EvaluationContext, words: readonly Word[]): void {
  const [name, list] = words;
  if (name === undefined) return;
  const items = list === undefined ? undefined : knownText(list.value)?.trim().split(/\s+/);
  const [only] = items ?? [];
  const value =
    items?.length === 1 && only !== undefined ? text(only) : unknown("any", `$${describe(name.value)}`);
  context.variables.set(describe(name.value), value);
}

function skipFlags(values: readonly Value[]): Value[] {
  const start = values.findIndex(value => knownText(value)?.startsWith("-") !== true);
  if (start === -1) return [];
  return values.slice(start);
}

function joinWords(values: readonly Value[]): Value {
  return concatenate(values.flatMap((value, index) => (index === 0 ? [value] : [text(" "), value])));
}

function programOf(value: Value): string {
  const word = knownText(value) ?? "";
  return word.slice(word.lastIndexOf("/") + 1);
}

/** What is sent to a shell is a command line. */
function noteSend(context: EvaluationContext, values: readonly Value[], at: number): void {
  if (context.spawned === undefined || !SHELLS.test(context.spawned) || values.length === 0) return;
  const line = joinWords(values);
  const known = knownText(line);
  const command = known === undefined ? line : text(known.replace(/[\r\n]+$/, "").replaceAll("\r", "\n"));
  context.calls.push({ kind: "shell", command, at });
}

function noteFile(context: EvaluationContext, values: readonly Value[], at: number): void {
  const [action, ...rest] = values;
  const operands = skipFlags(rest);
  const word = action === undefined ? undefined : knownText(action);
  if (word === "delete") {
    const isRecursive = rest.some(value => knownText(value) === "-force");
    for (const path of operands) context.calls.push({ kind: "delete", path, isRecursive, at });
  } else if (word === "rename" || word === "copy") {
    const to = operands.at(-1);
    const kind = word === "rename" ? "move" : "copy";
    for (const from of operands.slice(0, -1))
      if (to !== undefined) context.calls.push({ kind, from, to, at });
  }
}

/** `open "|cmd"`, `open path w` */
function noteOpen(context: EvaluationContext, values: readonly Value[], at: number): void {
  const [path, mode] = values;
  if (path === undefined) return;
  const known = knownText(path);
  if (known?.startsWith("|") === true) {
    context.calls.push({ kind: "shell", command: text(known.slice(1).trim()), cwd: context.directory, at });
    return;
  }
  const letters = mode === undefined ? "r" : (knownText(mode) ?? "r+");
  if (/[wa+]/.test(letters)) {
    context.calls.push({ kind: "write", path, isAppend: letters.includes("a"), content: undefined, at });
  } else context.calls.push({ kind: "read", path, at });
}
