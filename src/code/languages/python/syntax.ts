import { KEEPING_ESCAPES } from "../../syntax/escapes.ts";
import { DEFAULT_GRAMMAR, piecesNode, readExpression } from "../../syntax/expressions.ts";
import { augments, type InfixTable, level } from "../../syntax/grammar.ts";
import { type Grammar, isNext, nested, type Parser, peek, take, takeIf } from "../../syntax/parser.ts";
import { readQuoted } from "../../syntax/strings.ts";
import type { Lexer, LexerRules, SpecialToken, TokenPiece } from "../../syntax/tokens.ts";
import { readInterpolation } from "../../syntax/tokens.ts";
import { NOTHING, type Node, nameNode } from "../../syntax/tree.ts";

export const LEXER_RULES: LexerRules = {
  lineComments: ["#"],
  marks: "**= //= >>= <<= ... -> := == != <= >= <> ** // << >> += -= *= /= %= &= |= ^= @=",
  hasBackslashContinuation: true,
  readSpecial: readString,
};

const STRING_START = /^([rbuft]{0,2})("""|'''|"|')/i;

function readString(lexer: Lexer): SpecialToken | undefined {
  if (!"\"'rRbBuUfFtT".includes(lexer.source.charAt(lexer.at))) return undefined;
  const match = STRING_START.exec(lexer.source.slice(lexer.at, lexer.at + 5));
  const quote = match?.[2];
  if (match === null || quote === undefined) return undefined;
  const prefix = (match[1] ?? "").toLowerCase();
  lexer.at += match[0].length;
  const pieces = readQuoted(lexer, {
    close: quote,
    escapes: prefix.includes("r") ? undefined : KEEPING_ESCAPES,
    endsAtLine: quote.length === 1,
    interpolate: prefix.includes("f") || prefix.includes("t") ? readReplacement : undefined,
  });
  return { kind: "text", text: "", pieces };
}

function readReplacement(lexer: Lexer): TokenPiece | undefined {
  const { source, at } = lexer;
  if (source.startsWith("{{", at) || source.startsWith("}}", at)) {
    lexer.at += 2;
    return source.charAt(at);
  }
  if (source.charAt(at) !== "{") return undefined;
  lexer.at += 1;
  return readInterpolation(lexer, "}") ?? "{";
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
  ...level(PRECEDENCE.bitwise, "other", "| ^ & << >>"),
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
  ...DEFAULT_GRAMMAR,
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

function readPrimary(parser: Parser): Node | undefined {
  if (peek(parser).kind === "text") return readAdjacentTexts(parser);
  return isNext(parser, "lambda") ? readLambda(parser) : undefined;
}

/** `"rm" " -rf"` is one text. */
function readAdjacentTexts(parser: Parser): Node {
  const pieces: (string | Node)[] = [];
  do {
    const node = piecesNode(parser, take(parser));
    if (node.kind === "text") pieces.push(...node.pieces);
  } while (peek(parser).kind === "text" && (parser.brackets > 0 || !peek(parser).startsLine));
  return { kind: "text", pieces };
}

function readLambda(parser: Parser): Node {
  parser.at += 1;
  const parameters = readParameters(parser, ":");
  takeIf(parser, ":");
  const value = readExpression(parser, PRECEDENCE.condition);
  return { kind: "function", definition: { name: undefined, parameters, body: [{ kind: "return", value }] } };
}

/** Parameters up to `close`, which stays. Annotations are read and forgotten. */
export function readParameters(parser: Parser, close: ")" | ":"): Node[] {
  const parameters: Node[] = [];
  while (!isNext(parser, close) && peek(parser).kind !== "end" && parser.budget.left > 0) {
    const token = take(parser);
    if (token.kind !== "name") continue;
    const target = nameNode(token.text);
    if (close === ")" && takeIf(parser, ":")) readExpression(parser, PRECEDENCE.condition);
    parameters.push(
      takeIf(parser, "=")
        ? { kind: "assign", target, value: readExpression(parser, PRECEDENCE.condition) }
        : target,
    );
  }
  return parameters;
}

function readArgumentName(parser: Parser): string | undefined {
  const token = peek(parser);
  if (token.kind !== "name" || !isNext(parser, "=", 1)) return undefined;
  parser.at += 2;
  return token.text;
}

function readComprehension(parser: Parser, item: Node): Node {
  if (isNext(parser, "async") && isNext(parser, "for", 1)) parser.at += 1;
  if (!takeIf(parser, "for")) return item;
  return nested(parser, () => {
    const target = readTarget(parser);
    const over = takeIf(parser, "in") ? readExpression(parser, PRECEDENCE.or) : NOTHING;
    const conditions: Node[] = [];
    while (takeIf(parser, "if")) conditions.push(readExpression(parser, PRECEDENCE.or));
    return { kind: "each", target, over, body: [...conditions, readComprehension(parser, item)] };
  });
}

/** Loop variables: a name, or several with commas. */
export function readTarget(parser: Parser): Node {
  const first = readExpression(parser, PRECEDENCE.bitwise);
  if (!isNext(parser, ",")) return first;
  const items = [{ value: first }];
  while (takeIf(parser, ",") && !isNext(parser, "in")) {
    items.push({ value: readExpression(parser, PRECEDENCE.bitwise) });
  }
  return { kind: "list", items };
}
