import { readExpression } from "./expressions.ts";
import { closerOf, isNext, nested, outsideBrackets, type Parser, peek, take, takeIf } from "./reader.ts";
import { step } from "./reading-budget.ts";
import { NOTHING, type Node } from "./tree.ts";

// Statements of languages with `{ … }` blocks and `( … )` conditions. What a keyword starts is in the grammar.

/** Statements up to where `isDone` holds. Always moves on. */
export function readStatements(parser: Parser, isDone: () => boolean): Node[] {
  const nodes: Node[] = [];
  while (!isDone() && peek(parser).kind !== "end" && step(parser.budget)) {
    const before = parser.at;
    nodes.push(readStatement(parser));
    if (parser.at === before) parser.at += 1;
  }
  return nodes;
}

/** `{ … }` */
export function readBlock(parser: Parser): Node[] {
  const close = closerOf(parser, parser.at);
  parser.at += 1;
  const nodes = outsideBrackets(parser, () => readStatements(parser, () => parser.at >= close));
  takeIf(parser, "}");
  return nodes;
}

export function readStatement(parser: Parser): Node {
  if (takeIf(parser, ";")) return NOTHING;
  if (isNext(parser, "{")) {
    return nested(parser, () => ({ kind: "block", body: readBlock(parser), isConditional: false }));
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
  return { kind: "block", body: [readStatement(parser)], isConditional: true };
}

/** `if (…) …`, `while (…) …` */
export function readConditional(parser: Parser): Node {
  const condition = readCondition(parser);
  return { kind: "block", body: [condition, readStatement(parser)], isConditional: true };
}

/** `return …` */
export function readResult(parser: Parser): Node {
  const isEmpty = isNext(parser, ";") || isNext(parser, "}") || peek(parser).kind === "end";
  return { kind: "return", value: isEmpty ? NOTHING : readExpression(parser) };
}

/** One thing in parentheses; whatever else stands in them is stepped over. */
function readCondition(parser: Parser): Node {
  if (!isNext(parser, "(")) return NOTHING;
  const close = closerOf(parser, parser.at);
  parser.at += 1;
  parser.brackets += 1;
  const condition = readExpression(parser);
  parser.brackets -= 1;
  while (parser.at < close && peek(parser).kind !== "end") take(parser);
  takeIf(parser, ")");
  return condition;
}

/** A declaration that says nothing about what runs. */
export function skipWord(): Node {
  return NOTHING;
}
