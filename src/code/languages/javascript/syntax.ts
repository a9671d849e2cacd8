import { wordSet } from "../../../shell/index.ts";
import { parseStatements } from "../../syntax/braces.ts";
import { C_ESCAPES } from "../../syntax/escapes.ts";
import { DEFAULT_GRAMMAR, piecesNode } from "../../syntax/expressions.ts";
import { augments, type InfixTable, level } from "../../syntax/grammar.ts";
import { closerOf, type Grammar, isNext, nested, type Parser, peek } from "../../syntax/parser.ts";
import type { ReadingBudget } from "../../syntax/reading-budget.ts";
import { PATTERN, readText } from "../../syntax/strings.ts";
import type { Lexer, LexerRules, SpecialToken, TokenPiece } from "../../syntax/tokens.ts";
import { lineEnd, previousToken, readInterpolation } from "../../syntax/tokens.ts";
import { callNode, type Node, SOME_NUMBER } from "../../syntax/tree.ts";
import { readArrow, readClass, readFunction, readObject, skipType } from "./functions.ts";
import { isStatement, STATEMENTS } from "./statements.ts";

const LEXER_RULES: LexerRules = {
  lineComments: ["//"],
  blockComments: [["/*", "*/"]],
  marks:
    ">>>= ... === !== **= <<= >>= >>> &&= ||= ??= => == != <= >= && || ?? ?. ++ -- += -= *= /= %= &= |= ^= << >> **",
  nameCharacters: "$#",
  readSpecial,
};

function readSpecial(lexer: Lexer): SpecialToken | undefined {
  const { source } = lexer;
  const character = source.charAt(lexer.at);
  if (character === '"' || character === "'")
    return readText(lexer, { escapes: C_ESCAPES, endsAtLine: true });
  if (character === "`")
    return { ...readText(lexer, { escapes: C_ESCAPES, interpolate: readSubstitution }), text: "`" };
  if (character === "/" && isRegexpPlace(lexer)) {
    lexer.at = regexpEnd(source, lexer.at);
    return PATTERN;
  }
  if (source.startsWith("#!", lexer.at) && lexer.at === 0) {
    lexer.at = lineEnd(source, 0);
    return { kind: "mark", text: ";", pieces: [] };
  }
  return undefined;
}

function readSubstitution(lexer: Lexer): TokenPiece | undefined {
  if (!lexer.source.startsWith("${", lexer.at)) return undefined;
  lexer.at += 2;
  return readInterpolation(lexer, "}") ?? "${";
}

const WORDS_BEFORE_REGEXP = wordSet("return typeof case in of delete void throw await yield");

const AMBIGUOUS_REACH = 80;

/** A slash after a value divides; anywhere else it opens a regular expression. */
function isRegexpPlace(lexer: Lexer): boolean {
  const before = previousToken(lexer);
  if (before === undefined) return true;
  // Behind a brace it may be either; where that decides what is text, the reading counts as incomplete.
  if (before.text === "}" && /["'`]/.test(lexer.source.slice(lexer.at, lexer.at + AMBIGUOUS_REACH))) {
    lexer.budget.isCutShort = true;
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
  ...level(9, "other", "| ^ & == != === !== < > <= >= in instanceof"),
  ...level(10, "other", "<< >> >>>"),
  ...level(11, "join", "+"),
  ...level(11, "number", "-"),
  ...level(12, "number", "* / %"),
  ...level(13, "number", "**"),
]);

const GRAMMAR: Grammar = {
  ...DEFAULT_GRAMMAR,
  infix: INFIX,
  prefixes: new Set(["await", "new", "yield"]),
  negations: new Set(["!", "-", "+", "~", "typeof", "void", "delete", "++", "--"]),
  memberMarks: new Set([".", "?."]),
  spreads: new Set(["..."]),
  allowsSpacedCall: true,
  bracesAreRecord: true,
  readPrimary,
  readSuffix,
  statements: STATEMENTS,
  isStatement,
};

const ESCAPED_WORD = /\\u(?:00([0-9a-f]{2})|\{0{0,4}([0-9a-f]{2})\})/gi;

/** Names may be spelled with escapes; letters mean the same inside strings, so they are replaced everywhere. */
function unescapeWord(escaped: string, short: string | undefined, long: string | undefined): string {
  const character = String.fromCharCode(Number.parseInt(short ?? long ?? "0", 16));
  return /[\w$]/.test(character) ? character : escaped;
}

/** Cut JavaScript or TypeScript into nodes. */
export function parseJavaScript(source: string, budget: ReadingBudget): readonly Node[] {
  const plain = source.includes("\\u") ? source.replace(ESCAPED_WORD, unescapeWord) : source;
  return parseStatements(plain, LEXER_RULES, GRAMMAR, budget);
}

function readPrimary(parser: Parser): Node | undefined {
  const token = peek(parser);
  if (token.kind === "mark") {
    if (token.text === "{") return nested(parser, () => readObject(parser));
    if (token.text === "(" && isArrowHead(parser)) return nested(parser, () => readArrow(parser));
    return undefined;
  }
  if (token.kind !== "name") return undefined;
  if (
    token.text === "async" &&
    !isNext(parser, "=>", 1) &&
    (peek(parser, 1).kind === "name" || isArrowAfterAsync(parser))
  ) {
    parser.at += 1;
    return readPrimary(parser);
  }
  if (isNext(parser, "=>", 1)) return nested(parser, () => readArrow(parser));
  if (token.text === "function") return nested(parser, () => readFunction(parser));
  if (token.text === "class") return nested(parser, () => readClass(parser));
  return undefined;
}

function isArrowAfterAsync(parser: Parser): boolean {
  return isNext(parser, "(", 1) && isArrowHead(parser, 1);
}

/** `(…) =>`, also with a result type in between. */
function isArrowHead(parser: Parser, ahead = 0): boolean {
  const after = closerOf(parser, parser.at + ahead) + 1;
  if (isNextAt(parser, after, "=>")) return true;
  if (!isNextAt(parser, after, ":")) return false;
  for (let at = after + 1; at < after + 10; at += 1) {
    if (isNextAt(parser, at, "=>")) return true;
    const token = parser.tokens[at];
    if (token === undefined || token.startsLine || [",", ";", "{", "?"].includes(token.text)) return false;
  }
  return false;
}

function isNextAt(parser: Parser, at: number, text: string): boolean {
  return parser.tokens[at]?.kind === "mark" && parser.tokens[at]?.text === text;
}

function readSuffix(parser: Parser, value: Node, start: number): Node | undefined {
  const token = peek(parser);
  if (token.kind === "text" && token.text === "`") {
    parser.at += 1;
    return callNode(value, [piecesNode(parser, token)], start);
  }
  if ((isNext(parser, "++") || isNext(parser, "--")) && !token.startsLine) {
    parser.at += 1;
    return { kind: "assign", target: value, value: SOME_NUMBER };
  }
  // TypeScript: `x as T`, `x satisfies T`, `x!`.
  if (token.kind === "name" && (token.text === "as" || token.text === "satisfies") && !token.startsLine) {
    parser.at += 1;
    skipType(parser);
    return value;
  }
  if (
    token.kind === "mark" &&
    token.text === "!" &&
    !token.isSpaced &&
    [".", ")", "[", ",", ";"].includes(peek(parser, 1).text)
  ) {
    parser.at += 1;
    return value;
  }
  return undefined;
}
