import { wordSet } from "../../../shell/index.ts";
import { parseStatements } from "../../syntax/braces.ts";
import { DEFAULT_GRAMMAR, readExpression, readItemsUntil } from "../../syntax/expressions.ts";
import { augments, type InfixTable, level } from "../../syntax/grammar.ts";
import { type Grammar, isNext, nested, type Parser, peek, take } from "../../syntax/parser.ts";
import type { ReadingBudget } from "../../syntax/reading-budget.ts";
import { type Node, nameNode } from "../../syntax/tree.ts";
import { isStatement, readFunction, STATEMENTS } from "./statements.ts";
import { LEXER_RULES, tagEnd } from "./tokens.ts";

const INFIX: InfixTable = new Map([
  ...level(1, "choice", "or xor"),
  ...level(1, "both", "and"),
  ...level(3, "assign", "="),
  ...augments(3, "join", ".="),
  ...augments(3, "choice", "??="),
  ...augments(3, "other", "+= -= *= /= %= &= |= ^= <<= >>= **="),
  ...level(4, "ternary", "?"),
  ...level(5, "choice", "?: ??"),
  ...level(6, "choice", "||"),
  ...level(7, "both", "&&"),
  ...level(8, "other", "| ^ & == != === !== <> <=> < > <= >= instanceof << >>"),
  ...level(12, "join", "."),
  ...level(13, "other", "+ -"),
  ...level(14, "other", "* / % **"),
]);

const GRAMMAR: Grammar = {
  ...DEFAULT_GRAMMAR,
  infix: INFIX,
  prefixes: new Set(["new", "clone", "@", "&", "yield", "throw", "static"]),
  negations: new Set(["!", "-", "+", "~", "++", "--"]),
  memberMarks: new Set(["->", "?->", "::"]),
  spreads: new Set(["..."]),
  allowsSpacedCall: true,
  readPrimary,
  readArgumentName,
  statements: STATEMENTS,
  isStatement,
};

/** Cut PHP into nodes. With an opening tag only what stands in tags is code; `php -r` has none, a page starts so. */
export function parsePhp(source: string, budget: ReadingBudget): readonly Node[] {
  if (/^\s*<[a-z!]/i.test(source.slice(0, 200)) && !source.includes("<?")) return [];
  const start = /<\?(?:php|=)/.test(source) ? tagEnd(source, 0) : 0;
  const blank = source.slice(0, start).replace(/[^\n]/g, " ");
  return parseStatements(blank + source.slice(start), LEXER_RULES, GRAMMAR, budget);
}

const CASTS = new Set(["string", "int", "integer", "array", "bool", "float", "object", "binary"]);
const OPERATORS_WITH_ARGUMENT = wordSet("echo print include include_once require require_once exit die");

function readPrimary(parser: Parser): Node | undefined {
  const token = peek(parser);
  if (isNext(parser, "(") && CASTS.has(peek(parser, 1).text) && isNext(parser, ")", 2)) {
    parser.at += 3;
    return readExpression(parser, 14);
  }
  if (token.kind !== "name") return undefined;
  if (token.text === "function" || token.text === "fn") {
    parser.at += 1;
    return nested(parser, () => readFunction(parser, undefined));
  }
  if (OPERATORS_WITH_ARGUMENT.has(token.text) && !isNext(parser, "(", 1)) {
    const { start, text } = take(parser);
    const { items } = readItemsUntil(parser, () => isNext(parser, ";") || peek(parser).kind === "end", 3);
    return { kind: "call", callee: nameNode(text), arguments: items, at: start };
  }
  return undefined;
}

/** `name: value` */
function readArgumentName(parser: Parser): string | undefined {
  const token = peek(parser);
  if (token.kind !== "name" || !isNext(parser, ":", 1) || /^\$/.test(token.text)) return undefined;
  parser.at += 2;
  return token.text;
}
