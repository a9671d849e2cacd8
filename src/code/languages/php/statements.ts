import {
  readBlock,
  readBody,
  readConditional,
  readResult,
  readStatement,
  skipStatement,
} from "../../syntax/braces.ts";
import { readExpression } from "../../syntax/expressions.ts";
import {
  closerOf,
  isNext,
  type Parser,
  peek,
  readBetween,
  skipTo,
  take,
  takeIf,
} from "../../syntax/parser.ts";
import { NOTHING, type Node, nameNode, textNode } from "../../syntax/tree.ts";
import { wordMap } from "../../syntax/words.ts";

type ReadStatement = (parser: Parser) => Node;

export const STATEMENTS = wordMap<ReadStatement>([
  ["function", readNamedFunction],
  ["class", readClass],
  ["if elseif while switch catch for", readConditional],
  ["else try finally do", readBody],
  ["foreach", readForeach],
  ["return", readResult],
  ["case", readExpression],
  ["namespace use global declare", skipStatement],
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

/** Parameters, `use (…)`, result type and body of a function; `=>` gives a single expression. */
export function readFunction(parser: Parser, name: string | undefined): Node {
  takeIf(parser, "&");
  const parameters = isNext(parser, "(") ? readBetween(parser, readParameter).flat() : [];
  while (
    !isNext(parser, "{") &&
    !isNext(parser, "=>") &&
    !isNext(parser, ";") &&
    peek(parser).kind !== "end"
  ) {
    parser.at = isNext(parser, "(") ? closerOf(parser, parser.at) + 1 : parser.at + 1;
  }
  const body: readonly Node[] = takeIf(parser, "=>")
    ? [{ kind: "return", value: readExpression(parser, 3) }]
    : isNext(parser, "{")
      ? readBlock(parser)
      : [];
  return { kind: "function", definition: { name, parameters, body } };
}

/** Types and modifiers are passed over. */
function readParameter(parser: Parser): Node[] {
  const token = take(parser);
  if (token.kind !== "name" || !token.text.startsWith("$")) return [];
  const target = nameNode(token.text);
  return [takeIf(parser, "=") ? { kind: "assign", target, value: readExpression(parser, 4) } : target];
}

/** A class is a record of its functions and first values. */
export function readClass(parser: Parser): Node {
  const name = take(parser).text;
  skipTo(parser, "{");
  const entries = readBetween(parser, (): [Node, Node][] => {
    const token = take(parser);
    if (token.text === "function") {
      takeIf(parser, "&");
      const method = take(parser).text;
      return [[textNode(method), readFunction(parser, undefined)]];
    }
    const isValue = token.text.startsWith("$") && takeIf(parser, "=");
    return isValue ? [[textNode(token.text.slice(1)), readExpression(parser)]] : [];
  }).flat();
  return { kind: "assign", target: nameNode(name), value: { kind: "record", entries } };
}
