import { unknown, wordSet } from "../../shell/index.ts";
import {
  type Datum,
  joined,
  knownDatumText,
  listDatum,
  literal,
  mapText,
  reference,
  separatedBy,
  textDatum,
} from "../meaning/datum.ts";
import {
  evaluateText,
  noteDelete,
  noteDirectory,
  noteMove,
  noteShell,
  noteSpawn,
  openFile,
} from "../meaning/effects.ts";
import {
  environmentDatum,
  expandTilde,
  homeDatum,
  type LibraryFunction,
  select,
  withArgument,
} from "../meaning/evaluation-context.ts";
import { invokeLibraryFunction } from "../meaning/invoke.ts";
import { defineLanguage } from "../meaning/library-table.ts";
import { type ReadingBudget, step } from "../syntax/source.ts";
import { C_ESCAPES, readEscape } from "../syntax/tokens.ts";
import { callNode, NOTHING, type Node, nameNode, sequence, textNode } from "../syntax/tree.ts";

// Tcl, the language of expect: commands are words; braces hold text that a command may run as a body.

/** Where the reader stands. `base` is the place of the script in the whole text. */
interface Cursor {
  readonly script: string;
  readonly base: number;
  readonly budget: ReadingBudget;
  readonly depth: number;
  at: number;
}

interface Word {
  readonly node: Node;
  /** Braced text: not yet substituted, maybe a body. */
  readonly body: string | undefined;
  readonly at: number;
}

const MAX_DEPTH = 24;

function parseTcl(script: string, budget: ReadingBudget): readonly Node[] {
  return readCommands({ script, base: 0, budget, depth: 0, at: 0 }, undefined);
}

/** Commands up to `close`, which is consumed. */
function readCommands(cursor: Cursor, close: string | undefined): Node[] {
  if (cursor.depth >= MAX_DEPTH) {
    cursor.budget.isCutShort = true;
    return [];
  }
  const nodes: Node[] = [];
  while (cursor.at < cursor.script.length && step(cursor.budget)) {
    if (cursor.script.charAt(cursor.at) === close) break;
    const words = readWords(cursor, close);
    if (words.length > 0) nodes.push(commandNode(words, cursor));
  }
  cursor.at += 1;
  return nodes;
}

function readBody(body: string, base: number, outer: Cursor): Node[] {
  return readCommands({ ...outer, script: body, base, depth: outer.depth + 1, at: 0 }, undefined);
}

/** The words of one command, up to a newline, a semicolon or `close`. */
function readWords(cursor: Cursor, close: string | undefined): Word[] {
  const words: Word[] = [];
  const { script } = cursor;
  while (cursor.at < script.length && step(cursor.budget)) {
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
    } else words.push(readWord(cursor, close));
  }
  return words;
}

function readWord(cursor: Cursor, close: string | undefined): Word {
  const at = cursor.base + cursor.at;
  const first = cursor.script.charAt(cursor.at);
  if (first === "{") {
    const body = readBraced(cursor);
    return { node: textNode(body), body, at: at + 1 };
  }
  if (first !== '"') {
    const isEnd = (character: string): boolean => /[\s;]/.test(character) || character === close;
    return { node: readSubstituted(cursor, isEnd), body: undefined, at };
  }
  cursor.at += 1;
  const node = readSubstituted(cursor, character => character === '"');
  cursor.at += 1;
  return { node, body: undefined, at };
}

function readBraced(cursor: Cursor): string {
  const { script } = cursor;
  const start = cursor.at + 1;
  let depth = 0;
  while (cursor.at < script.length && step(cursor.budget)) {
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

const VARIABLE = /^\$(?:\{([^}]{1,80})\}|([A-Za-z_]\w{0,80}(?:\([^)\s]{1,80}\))?))/;

/** Text with `$name`, `[command]` and backslashes in it. */
function readSubstituted(cursor: Cursor, isEnd: (character: string) => boolean): Node {
  const { script } = cursor;
  const pieces: (string | Node)[] = [];
  let text = "";
  while (cursor.at < script.length && step(cursor.budget)) {
    const character = script.charAt(cursor.at);
    if (isEnd(character)) break;
    const variable = character === "$" ? VARIABLE.exec(script.slice(cursor.at, cursor.at + 170)) : null;
    if (variable !== null) {
      cursor.at += variable[0].length;
      pieces.push(text, variableNode(variable[1] ?? variable[2] ?? ""));
      text = "";
    } else if (character === "[") {
      const inner = { ...cursor, depth: cursor.depth + 1, at: cursor.at + 1 };
      pieces.push(text, sequence(...readCommands(inner, "]")));
      cursor.at = Math.max(inner.at, cursor.at + 1);
      text = "";
    } else if (character === "\\") {
      const unescaped = readEscape(script, cursor.at, C_ESCAPES);
      text += unescaped.text;
      cursor.at = unescaped.end;
    } else {
      text += character;
      cursor.at += 1;
    }
  }
  return { kind: "text", pieces: [...pieces, text] };
}

/** `env(HOME)` is an environment variable. */
function variableNode(name: string): Node {
  const environment = /^(?:::)?env\((\w+)\)$/.exec(name)?.[1];
  if (environment === undefined) return nameNode(`$${name}`);
  return callNode("$env", [textNode(environment)], 0);
}

/** Commands that run their braced words; patterns of `expect` among them do no harm when read as commands. */
const BODY_COMMANDS = wordSet(
  "if while for foreach proc catch expect expect_before expect_after switch try after trap interact while1 namespace",
);
/** These have pairs of a pattern and a body in braces. */
const PAIR_COMMANDS = /^(?:expect|expect_before|expect_after|switch)$/;

function commandNode(words: readonly Word[], cursor: Cursor): Node {
  const [first, ...rest] = words;
  const name = readLiteral(first)?.replace(/^::/, "");
  const at = first?.at ?? 0;
  const [operand, value] = rest;
  const variable = name === "set" && rest.length < 3 ? readLiteral(operand) : undefined;
  if (variable !== undefined) {
    const target = variableNode(variable);
    return value === undefined ? target : { kind: "assign", target, value: value.node };
  }
  if (name === undefined || !BODY_COMMANDS.has(name)) {
    const callee = name === undefined ? (first?.node ?? NOTHING) : nameNode(name);
    return { kind: "call", callee, arguments: rest.map(({ node }) => ({ value: node })), at };
  }
  const bodies = rest.flatMap(word => readBodies(word, PAIR_COMMANDS.test(name), cursor));
  if (name === "foreach" && operand !== undefined) bodies.unshift(loopVariable(operand, value));
  return sequence(...bodies);
}

function readLiteral(word: Word | undefined): string | undefined {
  const pieces = word?.node.kind === "text" ? word.node.pieces : [];
  return pieces.length === 1 && typeof pieces[0] === "string" ? pieces[0] : undefined;
}

function readBodies(word: Word, hasPairs: boolean, cursor: Cursor): Node[] {
  if (word.body === undefined) return [word.node];
  const own = readBody(word.body, word.at, cursor);
  if (!hasPairs) return own;
  const inner: Cursor = { ...cursor, script: word.body, base: word.at, depth: cursor.depth + 1, at: 0 };
  while (inner.at < inner.script.length && step(inner.budget)) {
    for (const { body, at } of readWords(inner, undefined))
      if (body !== undefined) own.push(...readBody(body, at, inner));
  }
  return own;
}

/** A loop over one item is known, over several it may be any. */
function loopVariable(name: Word, list: Word | undefined): Node {
  const items = readLiteral(list)?.trim().split(/\s+/) ?? [];
  const target = variableNode(readLiteral(name) ?? "");
  return { kind: "assign", target, value: items.length === 1 ? textNode(items[0] ?? "") : NOTHING };
}

function withoutFlags(words: readonly Datum[]): readonly Datum[] {
  const start = words.findIndex(word => knownDatumText(word)?.startsWith("-") !== true);
  return start === -1 ? [] : words.slice(start);
}

function line(words: readonly Datum[]): Datum {
  return joined(separatedBy(literal(" "), words));
}

/** The name under which the program is kept that `send` speaks to. */
const SPAWNED = "spawned program";
const SHELLS = /^(?:ba|z|da|k|c|tc|a|fi)?sh$|^(?:ssh|su|sudo|telnet|docker|kubectl|screen|tmux)$/;

const spawns: LibraryFunction = (call, context) => {
  const argv = withoutFlags(call.positional);
  const [program] = argv;
  if (program === undefined) return undefined;
  if (call.name === "spawn") context.globals.names.set(SPAWNED, program);
  return reference("[exec]", noteSpawn(context, call, argv, false));
};

/** What is sent to a shell is a command line. */
const sends: LibraryFunction = (call, context) => {
  const program = knownDatumText(context.globals.names.get(SPAWNED)) ?? "";
  const words = withoutFlags(call.positional);
  if (words.length === 0 || !SHELLS.test(program.slice(program.lastIndexOf("/") + 1))) return undefined;
  const sent = line(words);
  const typed = knownDatumText(sent) === undefined ? sent : mapText(sent, typedLines);
  noteShell(context, call, typed);
  return undefined;
};

function typedLines(keys: string): string {
  return keys.replace(/(?<![\r\n])[\r\n]+$/, "").replaceAll("\r", "\n");
}

/** `eval exec rm $x`: the words, put together, are a script; where one is not known they are still a command. */
const evaluatesWords: LibraryFunction = (call, context) => {
  const hasLevel = call.positional.length > 1 && /^#?\d+$/.test(knownDatumText(call.positional[0]) ?? "");
  const [first = literal(""), ...positional] = call.positional.slice(hasLevel ? 1 : 0);
  const script = line([first, ...positional]);
  if (knownDatumText(script) !== undefined) return evaluateText(script, call, context);
  return invokeLibraryFunction(context, { ...call, name: knownDatumText(first) ?? "…", positional });
};

const usesFile = withArgument("0", (action, call, context) => {
  const rest = call.positional.slice(1);
  const paths = withoutFlags(rest);
  const word = knownDatumText(action);
  const isForced = rest.some(value => knownDatumText(value) === "-force");
  if (word === "delete") return noteDelete(context, call, listDatum(paths), isForced);
  const to = paths.at(-1);
  if (to === undefined || (word !== "rename" && word !== "copy")) return undefined;
  return noteMove(context, call, listDatum(paths.slice(0, -1)), to, word === "rename" ? "move" : "copy");
});

/** `open "|cmd"`, `open path w` */
const opensFile = withArgument("0", (path, call, context) => {
  const known = knownDatumText(path);
  if (known?.startsWith("|") === true)
    return reference("[open]", noteShell(context, call, literal(known.slice(1).trim())));
  const mode = select(call, "1") ?? literal("r");
  return openFile(context, call, path, knownDatumText(mode) ?? "w");
});

const readsVariable = withArgument("0", (given, _call, context) => {
  const name = knownDatumText(given) ?? "";
  const isKnown = name === "HOME" || context.inputs.environment(name) !== undefined;
  if (isKnown) return environmentDatum(context, name);
  return textDatum(unknown("any", `$${name}`, [{ kind: "environment", name }]));
});

/** What the commands of Tcl and expect do. */
export const TCL = defineLanguage({
  id: "expect",
  parse: parseTcl,
  toPath: expandTilde,
  functions: () => [
    ["spawn exec", spawns],
    ["system", (call, context) => reference("[system]", noteShell(context, call, line(call.positional)))],
    ["send", sends],
    ["eval uplevel", evaluatesWords],
    ["file", usesFile],
    ["open", opensFile],
    ["source", "reads", "0"],
    ["cd", (call, context) => noteDirectory(context, call, select(call, "0") ?? homeDatum(context))],
    ["pwd", "returns", "working directory"],
    ["$env", readsVariable],
  ],
  returnsLast: true,
});
