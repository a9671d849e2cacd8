import { C_ESCAPES } from "../syntax/escapes.ts";
import { PLAIN_HOOKS, piecesNode } from "../syntax/expressions.ts";
import type { Grammar, InfixTable } from "../syntax/grammar.ts";
import { augments, level } from "../syntax/grammar.ts";
import type { Reader } from "../syntax/reader.ts";
import { closerOf, isNext, nested, peek } from "../syntax/reader.ts";
import { readQuoted } from "../syntax/strings.ts";
import type { Lexicon, Scan, SpecialToken, TokenPiece } from "../syntax/tokens.ts";
import { lineEnd, previousToken, readInterpolation } from "../syntax/tokens.ts";
import type { Node } from "../syntax/tree.ts";
import { SOME_NUMBER } from "../syntax/tree.ts";
import { readArrow, readClass, readFunction, readObject } from "./functions.ts";
import { isStatement, STATEMENTS } from "./statements.ts";
import { skipType } from "./types.ts";

export const LEXICON: Lexicon = {
  lineComments: ["//"],
  blockComments: [["/*", "*/"]],
  marks: [
    ">>>=",
    "...",
    "===",
    "!==",
    "**=",
    "<<=",
    ">>=",
    ">>>",
    "&&=",
    "||=",
    "??=",
    "=>",
    "==",
    "!=",
    "<=",
    ">=",
  ].concat([
    "&&",
    "||",
    "??",
    "?.",
    "++",
    "--",
    "+=",
    "-=",
    "*=",
    "/=",
    "%=",
    "&=",
    "|=",
    "^=",
    "<<",
    ">>",
    "**",
  ]),
  nameCharacters: "$#",
  hasBackslashContinuation: false,
  readSpecial,
};

function readSpecial(scan: Scan): SpecialToken | undefined {
  const { source } = scan;
  const character = source.charAt(scan.at);
  if (character === '"' || character === "'") {
    scan.at += 1;
    const pieces = readQuoted(scan, { close: character, escapes: C_ESCAPES, endsAtLine: true });
    return { kind: "text", text: "", pieces };
  }
  if (character === "`") {
    scan.at += 1;
    const pieces = readQuoted(scan, { close: "`", escapes: C_ESCAPES, interpolate: readSubstitution });
    return { kind: "text", text: "`", pieces };
  }
  if (character === "/" && isRegexpPlace(scan)) {
    scan.at = regexpEnd(source, scan.at);
    return { kind: "regexp", text: "", pieces: [] };
  }
  if (source.startsWith("#!", scan.at) && scan.at === 0) {
    scan.at = lineEnd(source, 0);
    return { kind: "mark", text: ";", pieces: [] };
  }
  return undefined;
}

function readSubstitution(scan: Scan): TokenPiece | undefined {
  if (!scan.source.startsWith("${", scan.at)) return undefined;
  scan.at += 2;
  return readInterpolation(scan, "}") ?? "${";
}

const WORDS_BEFORE_REGEXP = new Set([
  "return",
  "typeof",
  "case",
  "in",
  "of",
  "delete",
  "void",
  "throw",
  "await",
  "yield",
]);

const AMBIGUOUS_REACH = 80;

/** A slash after a value divides; anywhere else it opens a regular expression. */
function isRegexpPlace(scan: Scan): boolean {
  const before = previousToken(scan);
  if (before === undefined) return true;
  // Behind a brace it may be either; where that decides what is text, nobody may rely on this reading.
  if (before.text === "}" && /["'`]/.test(scan.source.slice(scan.at, scan.at + AMBIGUOUS_REACH))) {
    scan.effort.isCutShort = true;
  }
  if (before.kind === "mark") return ![")", "]", "}", "++", "--"].includes(before.text);
  return before.kind === "name" && WORDS_BEFORE_REGEXP.has(before.text);
}

/** Unclosed, it ends with its line: nothing is read twice. */
function regexpEnd(source: string, start: number): number {
  let isInClass = false;
  let at = start + 1;
  for (; at < source.length; at += 1) {
    const character = source.charAt(at);
    if (character === "\n") return at;
    if (character === "\\") at += 1;
    else if (character === "[") isInClass = true;
    else if (character === "]") isInClass = false;
    else if (character === "/" && !isInClass) break;
  }
  at += 1;
  while (/[a-z]/.test(source.charAt(at))) at += 1;
  return at;
}

const INFIX: InfixTable = new Map([
  ...level(1, "assign", "="),
  ...augments(1, "join", "+="),
  ...augments(1, "choice", "||= ??= &&="),
  ...augments(1, "number", "-= *= /= %= &= |= ^= <<= >>= >>>= **="),
  ...level(2, "ternary", "?"),
  ...level(3, "choice", "|| ??"),
  ...level(4, "both", "&&"),
  ...level(5, "other", "|"),
  ...level(6, "other", "^"),
  ...level(7, "other", "&"),
  ...level(8, "other", "== != === !=="),
  ...level(9, "other", "< > <= >= in instanceof"),
  ...level(10, "other", "<< >> >>>"),
  ...level(11, "join", "+"),
  ...level(11, "number", "-"),
  ...level(12, "number", "* / %"),
  ...level(13, "number", "**"),
]);

export const GRAMMAR: Grammar = {
  ...PLAIN_HOOKS,
  infix: INFIX,
  prefixes: new Set(["await", "new", "yield"]),
  negations: new Set(["!", "-", "+", "~", "typeof", "void", "delete", "++", "--"]),
  memberMarks: new Set([".", "?."]),
  spreads: new Set(["..."]),
  endsAtLine: false,
  allowsSpacedCall: true,
  parenthesesAreList: false,
  bracesAreRecord: true,
  readPrimary,
  readSuffix,
  statements: STATEMENTS,
  isStatement,
};

function readPrimary(reader: Reader): Node | undefined {
  const token = peek(reader);
  if (token.kind === "mark") {
    if (token.text === "{") return nested(reader, () => readObject(reader));
    if (token.text === "(" && isArrowHead(reader)) return nested(reader, () => readArrow(reader));
    return undefined;
  }
  if (token.kind !== "name") return undefined;
  if (
    token.text === "async" &&
    !isNext(reader, "=>", 1) &&
    (peek(reader, 1).kind === "name" || isArrowAfterAsync(reader))
  ) {
    reader.at += 1;
    return readPrimary(reader);
  }
  if (isNext(reader, "=>", 1)) return nested(reader, () => readArrow(reader));
  if (token.text === "function") return nested(reader, () => readFunction(reader));
  if (token.text === "class") return nested(reader, () => readClass(reader));
  return undefined;
}

function isArrowAfterAsync(reader: Reader): boolean {
  return isNext(reader, "(", 1) && isArrowHead(reader, 1);
}

/** `(…) =>`, also with a result type in between. */
function isArrowHead(reader: Reader, ahead = 0): boolean {
  const after = closerOf(reader, reader.at + ahead) + 1;
  if (isNextAt(reader, after, "=>")) return true;
  if (!isNextAt(reader, after, ":")) return false;
  for (let at = after + 1; at < after + 10; at += 1) {
    if (isNextAt(reader, at, "=>")) return true;
    const token = reader.tokens[at];
    if (token === undefined || token.startsLine || [",", ";", "{", "?"].includes(token.text)) return false;
  }
  return false;
}

function isNextAt(reader: Reader, at: number, text: string): boolean {
  return reader.tokens[at]?.kind === "mark" && reader.tokens[at]?.text === text;
}

function readSuffix(reader: Reader, value: Node, start: number): Node | undefined {
  const token = peek(reader);
  if (token.kind === "text" && token.text === "`") {
    reader.at += 1;
    return { kind: "call", callee: value, arguments: [{ value: piecesNode(reader, token) }], at: start };
  }
  if ((isNext(reader, "++") || isNext(reader, "--")) && !token.startsLine) {
    reader.at += 1;
    return { kind: "assign", target: value, value: SOME_NUMBER };
  }
  // TypeScript: `x as T`, `x satisfies T`, `x!`.
  if (token.kind === "name" && (token.text === "as" || token.text === "satisfies") && !token.startsLine) {
    reader.at += 1;
    skipType(reader);
    return value;
  }
  if (
    token.kind === "mark" &&
    token.text === "!" &&
    !token.isSpaced &&
    [".", ")", "[", ",", ";"].includes(peek(reader, 1).text)
  ) {
    reader.at += 1;
    return value;
  }
  return undefined;
}
