import type { Effort } from "../effort.ts";
import { readBody, readConditional, readResult, readStatement, readStatements } from "../syntax/braces.ts";
import { C_ESCAPES } from "../syntax/escapes.ts";
import { PLAIN_HOOKS, readExpression } from "../syntax/expressions.ts";
import type { Grammar, InfixTable } from "../syntax/grammar.ts";
import { augments, level } from "../syntax/grammar.ts";
import { readItems, readItemsUntil } from "../syntax/items.ts";
import type { Reader } from "../syntax/reader.ts";
import { closerOf, createReader, isNext, peek, take, takeIf } from "../syntax/reader.ts";
import { readQuoted } from "../syntax/strings.ts";
import type { Lexicon, Scan, SpecialToken } from "../syntax/tokens.ts";
import { previousToken, tokenise } from "../syntax/tokens.ts";
import type { Node } from "../syntax/tree.ts";
import { NOTHING, nameNode, textNode } from "../syntax/tree.ts";

const LEXICON: Lexicon = {
  lineComments: ["#"],
  blockComments: [],
  marks: [
    "**=",
    "&&",
    "||",
    ">>",
    "|&",
    "==",
    "!=",
    "<=",
    ">=",
    "!~",
    "++",
    "--",
    "+=",
    "-=",
    "*=",
    "/=",
    "%=",
    "^=",
    "**",
  ],
  nameCharacters: "",
  hasBackslashContinuation: true,
  readSpecial,
};

function readSpecial(scan: Scan): SpecialToken | undefined {
  const character = scan.source.charAt(scan.at);
  if (character === '"') {
    scan.at += 1;
    return {
      kind: "text",
      text: "",
      pieces: readQuoted(scan, { close: '"', escapes: C_ESCAPES, endsAtLine: true }),
    };
  }
  if (character !== "/" || !isPatternPlace(scan)) return undefined;
  scan.at += 1;
  readQuoted(scan, { close: "/", escapes: undefined, endsAtLine: true });
  return { kind: "regexp", text: "", pieces: [] };
}

function isPatternPlace(scan: Scan): boolean {
  const before = previousToken(scan);
  if (before === undefined || before.kind !== "mark") return before === undefined;
  return ![")", "]"].includes(before.text);
}

/** Tighter than a comparison, so that `print a > "file"` stops at the file. */
const ABOVE_COMPARISON = 6;
const CONCATENATION = 7;

const INFIX: InfixTable = new Map([
  ...level(1, "assign", "="),
  ...augments(1, "other", "+= -= *= /= %= ^= **="),
  ...level(2, "ternary", "?"),
  ...level(3, "choice", "||"),
  ...level(4, "both", "&&"),
  ...level(5, "other", "~ !~ in < > <= >= == !="),
  ...level(5, "method", "| |&"),
  ...level(8, "other", "+ -"),
  ...level(9, "other", "* / %"),
  ...level(10, "other", "^ **"),
]);

const GRAMMAR: Grammar = {
  ...PLAIN_HOOKS,
  infix: INFIX,
  prefixes: new Set(),
  negations: new Set(["!", "-", "+", "++", "--"]),
  memberMarks: new Set(),
  spreads: new Set(),
  endsAtLine: true,
  allowsSpacedCall: false,
  parenthesesAreList: true,
  bracesAreRecord: false,
  readPrimary,
  readSuffix,
  statements: new Map<string, (reader: Reader) => Node>([
    ["if", readConditional],
    ["while", readConditional],
    ["else", readBody],
    ["do", readBody],
    ["for", readFor],
    ["function", readFunction],
    ["func", readFunction],
    ["return", readResult],
    ["print", readPrint],
    ["printf", readPrint],
  ]),
};

/** Cut an awk program into nodes: patterns stand in front of their blocks. */
export function parseAwk(source: string, effort: Effort): readonly Node[] {
  return readStatements(createReader(tokenise(source, LEXICON, effort), GRAMMAR, effort), () => false);
}

/** `$1` is a field of the input; `getline x < file` reads a file. */
function readPrimary(reader: Reader): Node | undefined {
  const token = peek(reader);
  if (isNext(reader, "$")) {
    reader.at += 1;
    const index = readExpression(reader, 11);
    return { kind: "call", callee: nameNode("$"), arguments: [{ value: index }], at: token.start };
  }
  if (!isNext(reader, "getline")) return undefined;
  reader.at += 1;
  const next = peek(reader);
  const name =
    next.kind === "name" && !next.startsLine && !INFIX.has(next.text) ? take(reader).text : undefined;
  // Whoever pipes into it finds the variable's name in the text.
  if (!takeIf(reader, "<")) return textNode(`getline ${name ?? "$0"}`);
  const file = readExpression(reader, ABOVE_COMPARISON);
  const read: Node = {
    kind: "call",
    callee: nameNode("getline"),
    arguments: [{ value: file }],
    at: token.start,
  };
  return name === undefined ? read : { kind: "assign", target: nameNode(name), value: read };
}

/** Values side by side are one text. */
function readSuffix(reader: Reader, value: Node): Node | undefined {
  const token = peek(reader);
  const isOperand =
    token.kind === "text" ||
    token.kind === "number" ||
    (token.kind === "name" && !INFIX.has(token.text) && token.text !== "getline") ||
    isNext(reader, "$") ||
    (isNext(reader, "(") && token.isSpaced);
  if (!isOperand || value === NOTHING || reader.isRestricted) return undefined;
  // One part at a time: the next is read by whoever reads this.
  reader.isRestricted = true;
  const next = readExpression(reader, CONCATENATION);
  reader.isRestricted = false;
  if (value.kind !== "operation") return { kind: "operation", operation: "join", operands: [value, next] };
  value.operands.push(next);
  return value;
}

/** `print a, b > file`, `print | "cmd"` */
function readPrint(reader: Reader): Node {
  const word = reader.tokens[reader.at - 1];
  const at = word?.start ?? 0;
  const isDone = (): boolean => endsPrint(reader);
  const isWhole = isNext(reader, "(") && isRedirectAfter(reader);
  const items = isWhole
    ? readItems(reader, ")").items
    : readItemsUntil(reader, isDone, ABOVE_COMPARISON).items;
  const redirect = peek(reader);
  if (redirect.kind !== "mark" || ![">", ">>", "|", "|&"].includes(redirect.text) || redirect.startsLine) {
    return { kind: "other", parts: items.map(item => item.value) };
  }
  reader.at += 1;
  const target = readExpression(reader, ABOVE_COMPARISON);
  return {
    kind: "call",
    callee: nameNode(`${word?.text ?? "print"}${redirect.text}`),
    arguments: [{ value: target }, ...items],
    at,
  };
}

function isRedirectAfter(reader: Reader): boolean {
  const next = reader.tokens[closerOf(reader, reader.at) + 1];
  return next?.kind === "mark" && [">", ">>", "|", "|&", ";", "}"].includes(next.text);
}

function endsPrint(reader: Reader): boolean {
  const token = peek(reader);
  if (token.kind === "end" || (token.startsLine && reader.tokens[reader.at - 1]?.text !== ",")) return true;
  return token.kind === "mark" && [";", "}", ">", ">>", "|", "|&", ")"].includes(token.text);
}

function readFor(reader: Reader): Node {
  if (!isNext(reader, "(")) return NOTHING;
  const close = closerOf(reader, reader.at);
  reader.at += 1;
  reader.brackets += 1;
  const header = readStatements(reader, () => reader.at >= close);
  reader.brackets -= 1;
  takeIf(reader, ")");
  return { kind: "block", body: [...header, readStatement(reader)], isConditional: true };
}

function readFunction(reader: Reader): Node {
  const name = take(reader).text;
  const parameters = isNext(reader, "(") ? readItems(reader, ")").items.map(item => item.value) : [];
  const body = [readStatement(reader)];
  return { kind: "function", definition: { name, parameters, body } };
}
