import { type Grammar, Parser, readExpression } from "./parser.ts";
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
  const parser = new Parser(tokenise(source, rules, budget), grammar, budget);
  return parser.readMany(readStatement);
}

/** `{ … }` */
export function readBlock(parser: Parser): Node[] {
  return parser.outsideBrackets(() => {
    const close = parser.findCloser(parser.at);
    parser.at += 1;
    const nodes = parser.readMany(readStatement, () => parser.at >= close);
    parser.takeIf("}");
    return nodes;
  });
}

export function readStatement(parser: Parser): Node {
  if (parser.takeIf(";")) return NOTHING;
  if (parser.isNext("{")) {
    return parser.nested(() => sequence(...readBlock(parser)));
  }
  const token = parser.peek();
  const { statements, isStatement, readSimple } = parser.grammar;
  const read = token.kind === "name" ? statements.get(token.text) : undefined;
  if (read === undefined || !isStatement(parser)) return readSimple(parser);
  return parser.nested(() => {
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
  return parser.isNext("(") ? parser.readBetween(readExpression) : [];
}

/** `return …` */
export function readResult(parser: Parser): Node {
  const isEmpty = parser.isNext(";") || parser.isNext("}") || parser.peek().kind === "end";
  return { kind: "return", value: isEmpty ? NOTHING : readExpression(parser) };
}

/** A declaration that says nothing about what runs. */
export function skipWord(): Node {
  return NOTHING;
}

export function skipStatement(parser: Parser): Node {
  parser.skipTo(";", "{");
  return NOTHING;
}
