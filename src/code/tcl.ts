import type { CodeContext, CodeReading } from "../shell/code-calls.ts";
import { joinPath } from "../shell/paths.ts";
import type { Value } from "../shell/value.ts";
import { concatenate, describe, knownText, text, unknown } from "../shell/value.ts";
import { effortFor, step } from "./effort.ts";
import { sourceOf } from "./source.ts";
import type { Cursor, Run, Word } from "./tcl-words.ts";
import { DEEPEST, readWords, variable } from "./tcl-words.ts";

const SHELLS = /^(?:ba|z|da|k|c|tc|a|fi)?sh$|^(?:ssh|su|sudo|telnet|docker|kubectl|screen|tmux)$/;

// Tcl, the language of expect: commands are words; braces hold text that a command may run as a body.

/** Read an expect or Tcl script. */
export function readTcl(code: Value, context: CodeContext): CodeReading {
  const source = sourceOf(code);
  const effort = effortFor(source.text.length, context.budget);
  const run: Run = {
    source,
    context,
    effort,
    calls: [],
    variables: new Map(),
    spawned: undefined,
    directory: undefined,
    depth: 0,
  };
  runScript(run, source.text, 0);
  return { calls: run.calls, isComplete: !effort.isCutShort };
}

function runScript(run: Run, script: string, base: number): void {
  if (run.depth >= DEEPEST) {
    run.effort.isCutShort = true;
    return;
  }
  run.depth += 1;
  const cursor: Cursor = { script, base, at: 0 };
  while (cursor.at < script.length && step(run.effort)) {
    const words = readWords(run, cursor, undefined);
    if (words.length > 0) runCommand(run, words);
  }
  run.depth -= 1;
}

export function runBracketed(run: Run, cursor: Cursor): Value {
  cursor.at += 1;
  if (run.depth >= DEEPEST) {
    run.effort.isCutShort = true;
    return unknown("any", "[…]");
  }
  run.depth += 1;
  let result: Value = unknown("any", "[…]");
  while (cursor.at < cursor.script.length && cursor.script.charAt(cursor.at) !== "]" && step(run.effort)) {
    const words = readWords(run, cursor, "]");
    if (words.length > 0) result = runCommand(run, words);
  }
  cursor.at += 1;
  run.depth -= 1;
  return result;
}

const BODY_COMMANDS = new Set([
  "if",
  "while",
  "for",
  "foreach",
  "proc",
  "catch",
  "eval",
  "expect",
  "expect_before",
  "expect_after",
  "switch",
  "try",
  "after",
  "trap",
  "interact",
  "uplevel",
  "while1",
  "namespace",
]);

function runCommand(run: Run, words: readonly Word[]): Value {
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
        run.calls.push({ kind: "spawn", argv, isOpenEnded: false, cwd: run.directory, at });
      if (name === "spawn" && argv[0] !== undefined) run.spawned = programOf(argv[0]);
      return unknown("any", "[exec]");
    }
    case "system":
      run.calls.push({ kind: "shell", command: joinWords(values), cwd: run.directory, at });
      return unknown("any", "[system]");
    case "send":
      noteSend(run, skipFlags(values), at);
      return text("");
    case "set":
      if (operand === undefined) return text("");
      if (values[1] === undefined) return variable(run, describe(operand));
      run.variables.set(describe(operand), values[1]);
      return values[1];
    case "file":
      noteFile(run, values, at);
      return unknown("any", "[file]");
    case "open":
      noteOpen(run, values, at);
      return unknown("any", "[open]");
    case "source":
      if (operand !== undefined) run.calls.push({ kind: "read", path: operand, at });
      return text("");
    case "cd":
      run.directory = joinPath(run.directory ?? run.context.cwd, operand ?? text(run.context.home));
      run.calls.push({ kind: "directory", path: run.directory, at });
      return text("");
    case "pwd":
      return run.directory ?? run.context.cwd;
    default:
      if (name !== undefined && BODY_COMMANDS.has(name)) runBodies(run, name, rest);
      return unknown("any", `[${name ?? "…"}]`);
  }
}

/** Braced words of these commands run; patterns of `expect` among them do no harm when read as commands. */
function runBodies(run: Run, name: string, words: readonly Word[]): void {
  if (name === "eval" || name === "uplevel") {
    runJoined(run, words);
    return;
  }
  if (name === "foreach") bindLoop(run, words);
  for (const word of words) if (word.body !== undefined) runScript(run, word.body, word.at);
  if (name !== "expect" && name !== "expect_before" && name !== "expect_after" && name !== "switch") return;
  for (const word of words) if (word.body !== undefined) runPairs(run, word);
}

/** `eval exec rm $x`: the words, put together, are a script; where one is not known they are still a command. */
function runJoined(run: Run, words: readonly Word[]): void {
  const isLevel = words.length > 1 && /^#?\d+$/.test(knownText(words[0]?.value ?? text("")) ?? "");
  const operands = isLevel ? words.slice(1) : words;
  const code = knownText(
    joinWords(operands.map(({ body, value }) => (body === undefined ? value : text(body)))),
  );
  if (code === undefined) runCommand(run, operands);
  else runScript(run, code, operands[0]?.at ?? 0);
}

/** `{ "pattern" { body } "pattern" { body } }` */
function runPairs(run: Run, word: Word): void {
  const cursor: Cursor = { script: word.body ?? "", base: word.at, at: 0 };
  while (cursor.at < cursor.script.length && step(run.effort)) {
    for (const inner of readWords(run, cursor, undefined)) {
      if (inner.body !== undefined) runScript(run, inner.body, inner.at);
    }
  }
}

function bindLoop(run: Run, words: readonly Word[]): void {
  const [name, list] = words;
  if (name === undefined) return;
  const items = list === undefined ? undefined : knownText(list.value)?.trim().split(/\s+/);
  const [only] = items ?? [];
  const value =
    items?.length === 1 && only !== undefined ? text(only) : unknown("any", `$${describe(name.value)}`);
  run.variables.set(describe(name.value), value);
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
function noteSend(run: Run, values: readonly Value[], at: number): void {
  if (run.spawned === undefined || !SHELLS.test(run.spawned) || values.length === 0) return;
  const line = joinWords(values);
  const known = knownText(line);
  const command = known === undefined ? line : text(known.replace(/[\r\n]+$/, "").replaceAll("\r", "\n"));
  run.calls.push({ kind: "shell", command, at });
}

function noteFile(run: Run, values: readonly Value[], at: number): void {
  const [action, ...rest] = values;
  const operands = skipFlags(rest);
  const word = action === undefined ? undefined : knownText(action);
  if (word === "delete") {
    const isRecursive = rest.some(value => knownText(value) === "-force");
    for (const path of operands) run.calls.push({ kind: "delete", path, isRecursive, at });
  } else if (word === "rename" || word === "copy") {
    const to = operands.at(-1);
    const kind = word === "rename" ? "move" : "copy";
    for (const from of operands.slice(0, -1)) if (to !== undefined) run.calls.push({ kind, from, to, at });
  }
}

/** `open "|cmd"`, `open path w` */
function noteOpen(run: Run, values: readonly Value[], at: number): void {
  const [path, mode] = values;
  if (path === undefined) return;
  const known = knownText(path);
  if (known?.startsWith("|") === true) {
    run.calls.push({ kind: "shell", command: text(known.slice(1).trim()), cwd: run.directory, at });
    return;
  }
  const letters = mode === undefined ? "r" : (knownText(mode) ?? "r+");
  if (/[wa+]/.test(letters)) {
    run.calls.push({ kind: "write", path, isAppend: letters.includes("a"), content: undefined, at });
  } else run.calls.push({ kind: "read", path, at });
}
