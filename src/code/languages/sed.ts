import { isKnown, type Origin, unknown } from "../../shell/index.ts";
import { textDatum } from "../meaning/datum.ts";
import { type EvaluationContext, standardInput } from "../meaning/evaluation-context.ts";
import { defineLanguage } from "../meaning/library-table.ts";
import { type ReadingBudget, step } from "../syntax/source.ts";
import { type Node, nameNode, textNode } from "../syntax/tree.ts";

// A sed script is read for the commands that leave the text: `e`, `w`, `W`, `r`, `R`, `s///e`, `s///w`.

/** Where the reader stands in the script. */
interface Cursor {
  readonly script: string;
  readonly budget: ReadingBudget;
  at: number;
}

function parseSed(script: string, budget: ReadingBudget): readonly Node[] {
  const cursor: Cursor = { script, budget, at: 0 };
  const nodes: Node[] = [];
  while (cursor.at < script.length && step(budget)) nodes.push(...readCommand(cursor));
  return nodes;
}

function readCommand(cursor: Cursor): Node[] {
  skipWhile(cursor, /[\s;{}]/);
  skipAddress(cursor);
  skipWhile(cursor, /[\s!{]/);
  const at = cursor.at;
  const command = cursor.script.charAt(at);
  cursor.at += 1;
  switch (command) {
    case "#":
      takeLine(cursor);
      return [];
    case "s":
      return readSubstitution(cursor, at);
    case "y":
      takeDelimited(cursor, 2);
      return [];
    case "e": {
      const line = takeLine(cursor).trim();
      return [call("e", line === "" ? PATTERN_SPACE : textNode(line), at)];
    }
    case "w":
    case "W":
    case "r":
    case "R":
      return [call(command.toLowerCase(), textNode(takeLine(cursor).trim()), at)];
    case "a":
    case "i":
    case "c":
      skipText(cursor);
      return [];
    case "b":
    case "t":
    case "T":
    case ":":
      skipWhile(cursor, /[^;\n}]/);
      return [];
    default:
      return [];
  }
}

function call(name: string, value: Node, at: number): Node {
  return { kind: "call", callee: nameNode(name), arguments: [{ value }], at };
}

/** What the pattern space may hold: a line of the input, or a part of it. */
const PATTERN_SPACE = nameNode("line");
const PART_OF_IT = nameNode("part");

/** `s/regexp/replacement/flags`; with `e` the result is a command. */
function readSubstitution(cursor: Cursor, at: number): Node[] {
  const delimiter = cursor.script.charAt(cursor.at);
  const [pattern = "", replacement = ""] = takeDelimited(cursor, 2);
  const flagsAt = cursor.at;
  skipWhile(cursor, /[0-9gpiImMe]/);
  const nodes: Node[] = [];
  if (cursor.script.slice(flagsAt, cursor.at).includes("e")) {
    nodes.push(call("e", { kind: "text", pieces: substituted(pattern, replacement, delimiter) }, at));
  }
  if (cursor.script.charAt(cursor.at) === "w") {
    cursor.at += 1;
    nodes.push(call("w", textNode(takeLine(cursor).trim()), at));
  }
  return nodes;
}

/** The line after `s`: known when the whole line is replaced by plain text, else framed by unknowns. */
function substituted(pattern: string, replacement: string, delimiter: string): (string | Node)[] {
  const parts = replacementParts(replacement, delimiter);
  return /^\^?\.\*\$?$/.test(pattern) ? parts : [PART_OF_IT, ...parts, PART_OF_IT];
}

/** Literal text of a replacement; `&` and `\1` stand for input. */
function replacementParts(replacement: string, delimiter: string): (string | Node)[] {
  const parts: (string | Node)[] = [];
  let literal = "";
  for (let at = 0; at < replacement.length; at += 1) {
    const character = replacement.charAt(at);
    const next = replacement.charAt(at + 1);
    const isReference = character === "&" || (character === "\\" && /[0-9]/.test(next));
    if (isReference) {
      parts.push(literal, PATTERN_SPACE);
      literal = "";
    } else if (character === "\\") literal += next === "n" ? "\n" : next === delimiter ? delimiter : next;
    else literal += character;
    if (character === "\\") at += 1;
  }
  return [...parts, literal];
}

function skipAddress(cursor: Cursor): void {
  const { script } = cursor;
  for (let count = 0; count < 2; count += 1) {
    const character = script.charAt(cursor.at);
    if (character === "/") takeDelimited(cursor, 1);
    else if (character === "\\" && script.charAt(cursor.at + 1) !== "") {
      cursor.at += 1;
      takeDelimited(cursor, 1);
    } else skipWhile(cursor, /[0-9$~+]/);
    skipWhile(cursor, /[IM ]/);
    if (script.charAt(cursor.at) !== ",") return;
    cursor.at += 1;
    skipWhile(cursor, / /);
  }
}

/** `count` parts behind the delimiter at hand, which may be any character. */
function takeDelimited(cursor: Cursor, count: number): string[] {
  const { script } = cursor;
  const delimiter = script.charAt(cursor.at);
  const parts: string[] = [];
  cursor.at += 1;
  for (let part = 0; part < count; part += 1) {
    const start = cursor.at;
    let isInClass = false;
    while (cursor.at < script.length) {
      const character = script.charAt(cursor.at);
      if (character === "\\") cursor.at += 1;
      else if (character === "[" && part === 0) isInClass = true;
      else if (character === "]") isInClass = false;
      else if (character === delimiter && !isInClass) break;
      else if (character === "\n" && part === 0) break;
      cursor.at += 1;
    }
    parts.push(script.slice(start, cursor.at));
    cursor.at += 1;
  }
  return parts;
}

function takeLine(cursor: Cursor): string {
  const end = cursor.script.indexOf("\n", cursor.at);
  const line = cursor.script.slice(cursor.at, end === -1 ? undefined : end);
  cursor.at = end === -1 ? cursor.script.length : end + 1;
  return line;
}

/** Text goes on while lines end in a backslash. */
function skipText(cursor: Cursor): void {
  while (takeLine(cursor).endsWith("\\") && cursor.at < cursor.script.length && step(cursor.budget));
}

function skipWhile(cursor: Cursor, characters: RegExp): void {
  while (cursor.at < cursor.script.length && characters.test(cursor.script.charAt(cursor.at))) cursor.at += 1;
}

function originsOfInput({ inputs }: EvaluationContext): readonly Origin[] {
  return inputs.stdin !== undefined && isKnown(inputs.stdin) ? [] : [{ kind: "input" }];
}

export const SED = defineLanguage({
  id: "sed",
  parse: parseSed,
  functions: () => [
    ["e", "runsShell", "0"],
    ["w", "writes", "0"],
    ["r", "reads", "0"],
  ],
  constants: () => [
    ["line", standardInput],
    ["part", context => textDatum(unknown("any", "pattern space", originsOfInput(context)))],
  ],
});
