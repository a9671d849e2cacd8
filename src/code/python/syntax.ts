import { KEEPING_ESCAPES } from "../syntax/escapes.ts";
import { PLAIN_HOOKS, piecesNode, readExpression } from "../syntax/expressions.ts";
import type { Grammar, InfixTable } from "../syntax/grammar.ts";
import { augments, level } from "../syntax/grammar.ts";
import type { Reader } from "../syntax/reader.ts";
import { isNext, nested, peek, take, takeIf } from "../syntax/reader.ts";
import { readQuoted } from "../syntax/strings.ts";
import type { Lexicon, Scan, SpecialToken, TokenPiece } from "../syntax/tokens.ts";
import { readInterpolation } from "../syntax/tokens.ts";
import type { Node } from "../syntax/tree.ts";
import { NOTHING, nameNode } from "../syntax/tree.ts";

export const LEXICON: Lexicon = {
  lineComments: ["#"],
  blockComments: [],
  marks: [
    "**=",
    "//=",
    ">>=",
    "<<=",
    "...",
    "->",
    ":=",
    "==",
    "!=",
    "<=",
    ">=",
    "<>",
    "**",
    "//",
    "<<",
    ">>",
  ].concat(["+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@="]),
  nameCharacters: "",
  hasBackslashContinuation: true,
  readSpecial: readString,
};

const STRING_START = /^([rbuft]{0,2})("""|'''|"|')/i;

function readString(scan: Scan): SpecialToken | undefined {
  if (!"\"'rRbBuUfFtT".includes(scan.source.charAt(scan.at))) return undefined;
  const match = STRING_START.exec(scan.source.slice(scan.at, scan.at + 5));
  const quote = match?.[2];
  if (match === null || quote === undefined) return undefined;
  const prefix = (match[1] ?? "").toLowerCase();
  scan.at += match[0].length;
  const pieces = readQuoted(scan, {
    close: quote,
    escapes: prefix.includes("r") ? undefined : KEEPING_ESCAPES,
    endsAtLine: quote.length === 1,
    interpolate: prefix.includes("f") || prefix.includes("t") ? readReplacement : undefined,
  });
  return { kind: "text", text: "", pieces };
}

function readReplacement(scan: Scan): TokenPiece | undefined {
  const { source, at } = scan;
  if (source.startsWith("{{", at) || source.startsWith("}}", at)) {
    scan.at += 2;
    return source.charAt(at);
  }
  if (source.charAt(at) !== "{") return undefined;
  scan.at += 1;
  return readInterpolation(scan, "}") ?? "{";
}

/** Loosest first. Names of levels that other readers of Python ask for. */
export const PRECEDENCE = { assign: 1, condition: 2, or: 3, bitwise: 6 } as const;

const INFIX: InfixTable = new Map([
  ...level(PRECEDENCE.assign, "assign", "= :="),
  ...augments(PRECEDENCE.assign, "join", "+="),
  ...augments(PRECEDENCE.assign, "divide", "/="),
  ...augments(PRECEDENCE.assign, "format", "%="),
  ...augments(PRECEDENCE.assign, "number", "-= *= //= **= >>= <<="),
  ...augments(PRECEDENCE.assign, "other", "&= |= ^= @="),
  ...level(PRECEDENCE.condition, "python-if", "if"),
  ...level(PRECEDENCE.or, "choice", "or"),
  ...level(4, "both", "and"),
  ...level(5, "other", "in not is < > <= >= == != <>"),
  ...level(PRECEDENCE.bitwise, "other", "|"),
  ...level(7, "other", "^"),
  ...level(8, "other", "&"),
  ...level(9, "other", "<< >>"),
  ...level(10, "join", "+"),
  ...level(10, "number", "-"),
  ...level(11, "repeat", "*"),
  ...level(11, "divide", "/"),
  ...level(11, "format", "%"),
  ...level(11, "number", "//"),
  ...level(11, "other", "@"),
  ...level(12, "number", "**"),
]);

export const GRAMMAR: Grammar = {
  ...PLAIN_HOOKS,
  infix: INFIX,
  // `in` follows the infix `not`; `from` follows `yield`.
  prefixes: new Set(["await", "in", "yield", "from"]),
  negations: new Set(["-", "+", "~", "not"]),
  memberMarks: new Set(["."]),
  spreads: new Set(["*", "**"]),
  endsAtLine: true,
  allowsSpacedCall: true,
  parenthesesAreList: true,
  bracesAreRecord: true,
  readPrimary,
  readArgumentName,
  readItemSuffix: readComprehension,
};

function readPrimary(reader: Reader): Node | undefined {
  if (peek(reader).kind === "text") return readAdjacentTexts(reader);
  return isNext(reader, "lambda") ? readLambda(reader) : undefined;
}

/** `"rm" " -rf"` is one text. */
function readAdjacentTexts(reader: Reader): Node {
  const pieces: (string | Node)[] = [];
  do {
    const node = piecesNode(reader, take(reader));
    if (node.kind === "text") pieces.push(...node.pieces);
  } while (peek(reader).kind === "text" && (reader.brackets > 0 || !peek(reader).startsLine));
  return { kind: "text", pieces };
}

function readLambda(reader: Reader): Node {
  reader.at += 1;
  const parameters = readParameters(reader, ":");
  takeIf(reader, ":");
  const value = readExpression(reader, PRECEDENCE.condition);
  return { kind: "function", definition: { name: undefined, parameters, body: [{ kind: "return", value }] } };
}

/** Parameters up to `close`, which stays. Annotations are read and forgotten. */
export function readParameters(reader: Reader, close: ")" | ":"): Node[] {
  const parameters: Node[] = [];
  while (!isNext(reader, close) && peek(reader).kind !== "end" && reader.effort.left > 0) {
    const token = take(reader);
    if (token.kind !== "name") continue;
    const target = nameNode(token.text);
    if (close === ")" && takeIf(reader, ":")) readExpression(reader, PRECEDENCE.condition);
    parameters.push(
      takeIf(reader, "=")
        ? { kind: "assign", target, value: readExpression(reader, PRECEDENCE.condition) }
        : target,
    );
  }
  return parameters;
}

function readArgumentName(reader: Reader): string | undefined {
  const token = peek(reader);
  if (token.kind !== "name" || !isNext(reader, "=", 1)) return undefined;
  reader.at += 2;
  return token.text;
}

function readComprehension(reader: Reader, item: Node): Node {
  if (isNext(reader, "async") && isNext(reader, "for", 1)) reader.at += 1;
  if (!takeIf(reader, "for")) return item;
  return nested(reader, () => {
    const target = readTarget(reader);
    const over = takeIf(reader, "in") ? readExpression(reader, PRECEDENCE.or) : NOTHING;
    const conditions: Node[] = [];
    while (takeIf(reader, "if")) conditions.push(readExpression(reader, PRECEDENCE.or));
    return { kind: "each", target, over, body: [...conditions, readComprehension(reader, item)] };
  });
}

/** Loop variables: a name, or several with commas. */
export function readTarget(reader: Reader): Node {
  const first = readExpression(reader, PRECEDENCE.bitwise);
  if (!isNext(reader, ",")) return first;
  const items = [{ value: first }];
  while (takeIf(reader, ",") && !isNext(reader, "in")) {
    items.push({ value: readExpression(reader, PRECEDENCE.bitwise) });
  }
  return { kind: "list", items };
}
