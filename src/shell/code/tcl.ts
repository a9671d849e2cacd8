import { joinPath } from "../paths.ts";
import type { Value } from "../value.ts";
import { concatenate, describe, knownText, text, unknown } from "../value.ts";
import type { CodeCall, CodeContext, CodeReading } from "./code.ts";
import { type Effort, effortFor, step } from "./effort.ts";
import { literalValue, type Source, sourceOf } from "./source.ts";
import { C_ESCAPES, readEscape } from "./syntax/escapes.ts";

// Tcl, the language of expect: commands are words; braces hold text that a command may run as a body.

interface Run {
  readonly source: Source;
  readonly context: CodeContext;
  readonly effort: Effort;
  readonly calls: CodeCall[];
  readonly variables: Map<string, Value>;
  /** The program that `send` speaks to. */
  spawned: string | undefined;
  directory: Value | undefined;
  depth: number;
}

interface Cursor {
  readonly script: string;
  /** Where the script starts in the whole text. */
  readonly base: number;
  at: number;
}

interface Word {
  readonly value: Value;
  /** Braced text: not yet substituted, maybe a body. */
  readonly body: string | undefined;
  readonly at: number;
}

const DEEPEST = 24;
const SHELLS = /^(?:ba|z|da|k|c|tc|a|fi)?sh$|^(?:ssh|su|sudo|telnet|docker|kubectl|screen|tmux)$/;

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

/** The words of one command, up to a newline, a semicolon or `close`. */
function readWords(run: Run, cursor: Cursor, close: string | undefined): Word[] {
  const words: Word[] = [];
  const { script } = cursor;
  while (cursor.at < script.length && step(run.effort)) {
    const character = script.charAt(cursor.at);
    if (character === close) break;
    if (character === "\n" || character === ";") {
      cursor.at += 1;
      break;
    }
    if (character === " " || character === "\t" || character === "\r") cursor.at += 1;
    else if (character === "\\" && script.charAt(cursor.at + 1) === "\n") cursor.at += 2;
    else if (character === "#" && words.length === 0) {
      const end = script.indexOf("\n", cursor.at);
      cursor.at = end === -1 ? script.length : end;
    } else words.push(readWord(run, cursor, close));
  }
  return words;
}

function readWord(run: Run, cursor: Cursor, close: string | undefined): Word {
  const at = cursor.base + cursor.at;
  const first = cursor.script.charAt(cursor.at);
  if (first === "{") {
    const body = readBraced(run, cursor);
    return { value: literalValue(body, run.source), body, at: at + 1 };
  }
  if (first === '"') {
    cursor.at += 1;
    const value = readSubstituted(run, cursor, character => character === '"');
    cursor.at += 1;
    return { value, body: undefined, at };
  }
  const value = readSubstituted(run, cursor, character => /[\s;]/.test(character) || character === close);
  return { value, body: undefined, at };
}

function readBraced(run: Run, cursor: Cursor): string {
  const { script } = cursor;
  const start = cursor.at + 1;
  let depth = 0;
  while (cursor.at < script.length && step(run.effort)) {
    const character = script.charAt(cursor.at);
    cursor.at += 1;
    if (character === "\\") cursor.at += 1;
    else if (character === "{") depth += 1;
    else if (character === "}") {
      depth -= 1;
      if (depth === 0) return script.slice(start, cursor.at - 1);
    }
  }
  return script.slice(start);
}

/** Text with `$name`, `[command]` and backslashes replaced. */
function readSubstituted(run: Run, cursor: Cursor, isEnd: (character: string) => boolean): Value {
  const { script } = cursor;
  const values: Value[] = [];
  let literal = "";
  const flush = (value: Value): void => {
    values.push(literalValue(literal, run.source), value);
    literal = "";
  };
  while (cursor.at < script.length && step(run.effort)) {
    const character = script.charAt(cursor.at);
    if (isEnd(character)) break;
    if (character === "\\") {
      const unescaped = readEscape(script, cursor.at, C_ESCAPES);
      literal += unescaped.text;
      cursor.at = unescaped.end;
    } else if (character === "$") {
      const match = /^\$(?:\{([^}]{1,80})\}|([A-Za-z_]\w{0,80}(?:\([^)\s]{1,80}\))?))/.exec(
        script.slice(cursor.at, cursor.at + 170),
      );
      if (match === null) {
        literal += character;
        cursor.at += 1;
      } else {
        cursor.at += match[0].length;
        flush(variable(run, match[1] ?? match[2] ?? ""));
      }
    } else if (character === "[") flush(runBracketed(run, cursor));
    else {
      literal += character;
      cursor.at += 1;
    }
  }
  return concatenate([...values, literalValue(literal, run.source)]);
}

function variable(run: Run, name: string): Value {
  const environment = /^(?:::)?env\((\w+)\)$/.exec(name)?.[1];
  if (environment === undefined) return run.variables.get(name) ?? unknown("any", `$${name}`);
  const set = run.context.environment(environment);
  if (set !== undefined) return set;
  if (environment === "HOME") return text(run.context.home);
  return unknown("any", `$${environment}`, [{ kind: "environment", name: environment }]);
}

function runBracketed(run: Run, cursor: Cursor): Value {
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
  if (name === "foreach") bindLoop(run, words);
  for (const word of words) {
    if (word.body !== undefined) runScript(run, word.body, word.at);
    else if (name === "eval" || name === "uplevel") {
      const code = knownText(word.value);
      if (code !== undefined && words.length === 1) runScript(run, code, word.at);
    }
  }
  if (name !== "expect" && name !== "expect_before" && name !== "expect_after" && name !== "switch") return;
  for (const word of words) if (word.body !== undefined) runPairs(run, word);
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
