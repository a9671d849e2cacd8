import {
  closerOf,
  createParser,
  type Grammar,
  isNext,
  nested,
  outsideBrackets,
  type Parser,
  peek,
  readBetween,
  readExpression,
  readMany,
  skipTo,
  takeIf,
} from "./parser.ts";
import type { ReadingBudget } from "./source.ts";
import { type LexerRules, tokenise } from "./tokens.ts";
import { conditional, NOTHING, type Node, sequence } from "./tree.ts";

// Statements of languages with `{ … }` blocks and `( … )` conditions. What a keyword starts is in the grammar.

/** Cut a text of such a language into nodes. */
export function parseStatements(
  source: string,
  rules: LexerRules,
  grammar: Grammar,
  budget: ReadingBudget,
): readonly Node[] {
  const parser = createParser(tokenise(source, rules, budget), grammar, budget);
  return readMany(parser, readStatement);
}

/** `{ … }` */
export function readBlock(parser: Parser): Node[] {
  return outsideBrackets(parser, () => {
    const close = closerOf(parser, parser.at);
    parser.at += 1;
    const nodes = readMany(parser, readStatement, () => parser.at >= close);
    takeIf(parser, "}");
    return nodes;
  });
}

export function readStatement(parser: Parser): Node {
  if (takeIf(parser, ";")) return NOTHING;
  if (isNext(parser, "{")) {
    return nested(parser, () => sequence(...readBlock(parser)));
  }
  const token = peek(parser);
  const { statements, isStatement, readSimple } = parser.grammar;
  const read = token.kind === "name" ? statements.get(token.text) : undefined;
  if (read === undefined || !isStatement(parser)) return readSimple(parser);
  return nested(parser, () => {
    parser.at += 1;
    return read(parser);
  });
}

/** `else …`, `try …` */
export function readBody(parser: Parser): Node {
  return conditional(readStatement(parser));
}

/** `if (…) …`, `while (…) …`, `for (…; …; …) …` */
export function readConditional(parser: Parser): Node {
  return conditional(...readHead(parser), readStatement(parser));
}

/** What stands in the parentheses at hand. */
function readHead(parser: Parser): Node[] {
  return isNext(parser, "(") ? readBetween(parser, readExpression) : [];
}

/** `return …` */
export function readResult(parser: Parser): Node {
  const isEmpty = isNext(parser, ";") || isNext(parser, "}") || peek(parser).kind === "end";
  return { kind: "return", value: isEmpty ? NOTHING : readExpression(parser) };
}

/** A declaration that says nothing about what runs. */
export function skipWord(): Node {
  return NOTHING;
}

export function skipStatement(parser: Parser): Node {
  skipTo(parser, ";", "{");
  return NOTHING;
}
