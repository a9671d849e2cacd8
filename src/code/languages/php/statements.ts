import { readBody, readConditional, readResult, readStatement } from "../../syntax/braces.ts";
import { readExpression } from "../../syntax/expressions.ts";
import { closerOf, isNext, type Parser, peek, take, takeIf } from "../../syntax/reader.ts";
import { step } from "../../syntax/reading-budget.ts";
import { NOTHING, type Node } from "../../syntax/tree.ts";
import { wordMap } from "../../syntax/words.ts";
import { readClass, readFunction } from "./functions.ts";

type ReadStatement = (parser: Parser) => Node;

export const STATEMENTS = wordMap<ReadStatement>([
  ["function", readNamedFunction],
  ["class", readClass],
  ["if elseif while switch catch", readConditional],
  ["else try finally do", readBody],
  ["for", readFor],
  ["foreach", readForeach],
  ["return", readResult],
  ["case", readExpression],
  ["namespace use global declare", skipToEnd],
]);

export function isStatement(parser: Parser): boolean {
  const word = peek(parser).text;
  if (word === "function") return peek(parser, 1).kind === "name" || isNext(parser, "&", 1);
  return !isNext(parser, "=>", 1) && !isNext(parser, "::", 1);
}

function readNamedFunction(parser: Parser): Node {
  takeIf(parser, "&");
  return readFunction(parser, take(parser).text);
}

function skipToEnd(parser: Parser): Node {
  while (!isNext(parser, ";") && !isNext(parser, "{") && peek(parser).kind !== "end" && step(parser.budget))
    parser.at += 1;
  return NOTHING;
}

/** `foreach ($list as $key => $item) …` */
function readForeach(parser: Parser): Node {
  if (!isNext(parser, "(")) return NOTHING;
  const close = closerOf(parser, parser.at);
  parser.at += 1;
  const over = readExpression(parser);
  takeIf(parser, "as");
  let target = readExpression(parser);
  if (takeIf(parser, "=>")) target = readExpression(parser);
  while (parser.at < close && peek(parser).kind !== "end") parser.at += 1;
  takeIf(parser, ")");
  return { kind: "each", target, over, body: [readStatement(parser)] };
}

function readFor(parser: Parser): Node {
  if (!isNext(parser, "(")) return NOTHING;
  const close = closerOf(parser, parser.at);
  parser.at += 1;
  const header: Node[] = [];
  while (parser.at < close && peek(parser).kind !== "end" && step(parser.budget)) {
    const before = parser.at;
    header.push(readExpression(parser));
    if (parser.at === before) parser.at += 1;
  }
  takeIf(parser, ")");
  return { kind: "block", body: [...header, readStatement(parser)], isConditional: true };
}
