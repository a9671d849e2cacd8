import { LUA_ESCAPES } from "../syntax/escapes.ts";
import { PLAIN_HOOKS, piecesNode } from "../syntax/expressions.ts";
import type { Grammar, InfixTable } from "../syntax/grammar.ts";
import { augments, level } from "../syntax/grammar.ts";
import { readItems } from "../syntax/items.ts";
import type { Reader } from "../syntax/reader.ts";
import { isNext, peek } from "../syntax/reader.ts";
import { readQuoted } from "../syntax/strings.ts";
import type { Lexicon, Scan, SpecialToken } from "../syntax/tokens.ts";
import { lineEnd } from "../syntax/tokens.ts";
import type { Node } from "../syntax/tree.ts";
import { readFunction } from "./statements.ts";

export const LEXICON: Lexicon = {
  // Comments are taken by readSpecial, because `--[[` runs over lines.
  lineComments: [],
  blockComments: [],
  marks: ["...", "..", "::", "==", "~=", "<=", ">=", "//", "<<", ">>"],
  nameCharacters: "",
  hasBackslashContinuation: false,
  readSpecial,
};

function readSpecial(scan: Scan): SpecialToken | undefined {
  const { source } = scan;
  const character = source.charAt(scan.at);
  if (character === '"' || character === "'") {
    scan.at += 1;
    return {
      kind: "text",
      text: "",
      pieces: readQuoted(scan, { close: character, escapes: LUA_ESCAPES, endsAtLine: true }),
    };
  }
  if (character === "[") {
    const body = readLongBracket(scan);
    return body === undefined ? undefined : { kind: "text", text: "", pieces: [body] };
  }
  if (source.startsWith("--", scan.at)) {
    scan.at += 2;
    if (readLongBracket(scan) === undefined) scan.at = lineEnd(source, scan.at);
    return { kind: "mark", text: ";", pieces: [] };
  }
  return undefined;
}

/** `[[ … ]]`, `[==[ … ]==]`; undefined without moving when none starts here. */
function readLongBracket(scan: Scan): string | undefined {
  const { source, at } = scan;
  if (source.charAt(at) !== "[") return undefined;
  let end = at + 1;
  while (source.charAt(end) === "=") end += 1;
  if (source.charAt(end) !== "[") return undefined;
  const close = `]${"=".repeat(end - at - 1)}]`;
  const found = source.indexOf(close, end + 1);
  const bodyEnd = found === -1 ? source.length : found;
  scan.at = found === -1 ? source.length : found + close.length;
  return source.slice(end + 1, bodyEnd).replace(/^\r?\n/, "");
}

const INFIX: InfixTable = new Map([
  ...level(1, "assign", "="),
  ...augments(1, "other", "+="),
  ...level(2, "choice", "or"),
  ...level(3, "both", "and"),
  ...level(4, "other", "< > <= >= ~= =="),
  ...level(5, "other", "| ~ &"),
  ...level(6, "other", "<< >>"),
  ...level(7, "join", ".."),
  ...level(8, "other", "+ -"),
  ...level(9, "other", "* / // %"),
  ...level(10, "other", "^"),
]);

export const GRAMMAR: Grammar = {
  ...PLAIN_HOOKS,
  infix: INFIX,
  prefixes: new Set(["local"]),
  negations: new Set(["not", "-", "#", "~"]),
  memberMarks: new Set([".", ":"]),
  spreads: new Set(),
  endsAtLine: false,
  allowsSpacedCall: true,
  parenthesesAreList: false,
  bracesAreRecord: false,
  readPrimary,
  readSuffix,
};

function readPrimary(reader: Reader): Node | undefined {
  if (isNext(reader, "function")) {
    reader.at += 1;
    return readFunction(reader, undefined);
  }
  return isNext(reader, "{") ? readTable(reader) : undefined;
}

/** `{ "a", b = 1 }`: a list of its items, or a record when they have names. */
function readTable(reader: Reader): Node {
  const { items } = readItems(reader, "}");
  const isRecord = items.length > 0 && items.every(item => item.value.kind === "assign");
  if (!isRecord) return { kind: "list", items };
  return {
    kind: "record",
    entries: items.flatMap(({ value }) =>
      value.kind === "assign" ? [[keyOf(value.target), value.value] as const] : [],
    ),
  };
}

function keyOf(target: Node): Node {
  return target.kind === "name" ? { kind: "text", pieces: [target.name] } : target;
}

/** `f "text"`, `f { … }` */
function readSuffix(reader: Reader, value: Node, start: number): Node | undefined {
  const isCallee = value.kind === "name" || value.kind === "member" || value.kind === "call";
  const token = peek(reader);
  if (!isCallee || (value.kind === "name" && RESERVED.has(value.name))) return undefined;
  if (token.kind === "text") {
    reader.at += 1;
    return { kind: "call", callee: value, arguments: [{ value: piecesNode(reader, token) }], at: start };
  }
  if (!isNext(reader, "{")) return undefined;
  return { kind: "call", callee: value, arguments: [{ value: readTable(reader) }], at: start };
}

const RESERVED = new Set(
  "return if then else elseif do while for in repeat until end and or not local".split(" "),
);
