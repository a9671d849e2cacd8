import type { CodeCall, CodeContext, CodeReading } from "../shell/code-calls.ts";
import type { Value } from "../shell/value.ts";
import { concatenate, knownText, text, unknown } from "../shell/value.ts";
import { type Effort, effortFor, step } from "./effort.ts";
import { literalValue, type Source, sourceOf } from "./source.ts";

interface Reading {
  readonly source: Source;
  readonly context: CodeContext;
  readonly effort: Effort;
  readonly calls: CodeCall[];
  at: number;
}

/** Commands that take the rest of the line as text. */
const TEXT_COMMANDS = new Set(["a", "i", "c"]);
const LABEL_COMMANDS = new Set(["b", "t", "T", ":"]);

/** Read a sed script for the commands that leave the text: `e`, `w`, `W`, `r`, `R`, `s///e`, `s///w`. */
export function readSed(code: Value, context: CodeContext): CodeReading {
  const source = sourceOf(code);
  const effort = effortFor(source.text.length, context.budget);
  const reading: Reading = { source, context, effort, calls: [], at: 0 };
  while (reading.at < source.text.length && step(effort)) readCommand(reading);
  return { calls: reading.calls, isComplete: !effort.isCutShort };
}

function readCommand(reading: Reading): void {
  const { text: script } = reading.source;
  skipWhile(reading, /[\s;{}]/);
  skipAddress(reading);
  skipWhile(reading, /[\s!{]/);
  const at = reading.at;
  const command = script.charAt(at);
  reading.at += 1;
  switch (command) {
    case "":
      return;
    case "#":
      takeLine(reading);
      return;
    case "s":
      readSubstitution(reading, at);
      return;
    case "y":
      skipDelimited(reading, 2);
      return;
    case "e": {
      const line = takeLine(reading).trim();
      const run = line === "" ? input(reading) : literalValue(line, reading.source);
      reading.calls.push({ kind: "shell", command: run, at });
      return;
    }
    case "w":
    case "W":
      noteWrite(reading, takeLine(reading).trim(), at);
      return;
    case "r":
    case "R":
      reading.calls.push({ kind: "read", path: literalValue(takeLine(reading).trim(), reading.source), at });
      return;
    default:
      if (TEXT_COMMANDS.has(command)) skipText(reading);
      else if (LABEL_COMMANDS.has(command)) skipWhile(reading, /[^;\n}]/);
  }
}

function noteWrite(reading: Reading, file: string, at: number): void {
  const path = literalValue(file, reading.source);
  reading.calls.push({ kind: "write", path, isAppend: false, content: undefined, at });
}

/** What the pattern space may hold: the input, when it is known. */
function input(reading: Reading): Value {
  return reading.context.stdin ?? unknown("any", "pattern space", [{ kind: "input" }]);
}

/** `s/regexp/replacement/flags`; with `e` the result is a command. */
function readSubstitution(reading: Reading, at: number): void {
  const { text: script } = reading.source;
  const delimiter = script.charAt(reading.at);
  const [pattern, replacement] = takeDelimited(reading, 2);
  const flagsAt = reading.at;
  skipWhile(reading, /[0-9gpiImMe]/);
  const flags = script.slice(flagsAt, reading.at);
  if (flags.includes("e")) {
    reading.calls.push({
      kind: "shell",
      command: substituted(reading, pattern ?? "", replacement ?? "", delimiter),
      at,
    });
  }
  if (script.charAt(reading.at) === "w") {
    reading.at += 1;
    noteWrite(reading, takeLine(reading).trim(), at);
  }
}

/** The line after `s`: known when the whole line is replaced by plain text, else framed by unknowns. */
function substituted(reading: Reading, pattern: string, replacement: string, delimiter: string): Value {
  const parts = replacementParts(replacement, delimiter).map(part =>
    part === undefined ? input(reading) : text(part),
  );
  if (/^\^?\.\*\$?$/.test(pattern)) return concatenate(parts);
  const known = reading.context.stdin === undefined ? undefined : knownText(reading.context.stdin);
  const rest = unknown("any", "pattern space", known === undefined ? [{ kind: "input" }] : []);
  return concatenate([rest, ...parts, rest]);
}

/** Literal runs of a replacement; undefined stands for `&` and `\1`. */
function replacementParts(replacement: string, delimiter: string): (string | undefined)[] {
  const parts: (string | undefined)[] = [];
  let literal = "";
  for (let at = 0; at < replacement.length; at += 1) {
    const character = replacement.charAt(at);
    const next = replacement.charAt(at + 1);
    const isReference = character === "&" || (character === "\\" && /[0-9]/.test(next));
    if (isReference) {
      parts.push(literal, undefined);
      literal = "";
    } else if (character === "\\") literal += next === "n" ? "\n" : next === delimiter ? delimiter : next;
    else literal += character;
    if (character === "\\") at += 1;
  }
  return [...parts, literal];
}

function skipAddress(reading: Reading): void {
  const { text: script } = reading.source;
  for (let count = 0; count < 2; count += 1) {
    const character = script.charAt(reading.at);
    if (character === "/") skipDelimited(reading, 1);
    else if (character === "\\" && script.charAt(reading.at + 1) !== "") {
      reading.at += 1;
      skipDelimited(reading, 1);
    } else skipWhile(reading, /[0-9$~+]/);
    skipWhile(reading, /[IM ]/);
    if (script.charAt(reading.at) !== ",") return;
    reading.at += 1;
    skipWhile(reading, / /);
  }
}

/** `count` parts behind the delimiter at hand, which may be any character. */
function takeDelimited(reading: Reading, count: number): string[] {
  const { text: script } = reading.source;
  const delimiter = script.charAt(reading.at);
  const parts: string[] = [];
  reading.at += 1;
  for (let part = 0; part < count; part += 1) {
    const start = reading.at;
    let isInClass = false;
    while (reading.at < script.length) {
      const character = script.charAt(reading.at);
      if (character === "\\") reading.at += 1;
      else if (character === "[" && part === 0) isInClass = true;
      else if (character === "]") isInClass = false;
      else if (character === delimiter && !isInClass) break;
      else if (character === "\n" && part === 0) break;
      reading.at += 1;
    }
    parts.push(script.slice(start, reading.at));
    reading.at += 1;
  }
  return parts;
}

function skipDelimited(reading: Reading, count: number): void {
  takeDelimited(reading, count);
}

function takeLine(reading: Reading): string {
  const { text: script } = reading.source;
  const end = script.indexOf("\n", reading.at);
  const line = script.slice(reading.at, end === -1 ? script.length : end);
  reading.at = end === -1 ? script.length : end + 1;
  return line;
}

/** Text goes on while lines end in a backslash. */
function skipText(reading: Reading): void {
  while (takeLine(reading).endsWith("\\") && reading.at < reading.source.text.length && step(reading.effort));
}

function skipWhile(reading: Reading, characters: RegExp): void {
  while (reading.at < reading.source.text.length && characters.test(reading.source.text.charAt(reading.at))) {
    reading.at += 1;
  }
}
