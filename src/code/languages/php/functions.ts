import { readBlock } from "../../syntax/braces.ts";
import { readExpression } from "../../syntax/expressions.ts";
import { closerOf, isNext, type Parser, peek, take, takeIf } from "../../syntax/reader.ts";
import { step } from "../../syntax/reading-budget.ts";
import { type Node, nameNode, textNode } from "../../syntax/tree.ts";

/** Parameters, `use (…)`, result type and body of a function; `=>` gives a single expression. */
export function readFunction(parser: Parser, name: string | undefined): Node {
  takeIf(parser, "&");
  const parameters = isNext(parser, "(") ? readParameters(parser) : [];
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

function readParameters(parser: Parser): Node[] {
  const close = closerOf(parser, parser.at);
  parser.at += 1;
  const parameters: Node[] = [];
  while (parser.at < close && peek(parser).kind !== "end" && step(parser.budget)) {
    const token = take(parser);
    if (token.kind !== "name" || !token.text.startsWith("$")) continue;
    const target = nameNode(token.text);
    parameters.push(
      takeIf(parser, "=") ? { kind: "assign", target, value: readExpression(parser, 4) } : target,
    );
  }
  takeIf(parser, ")");
  return parameters;
}

/** A class is a record of its functions and first values. */
export function readClass(parser: Parser): Node {
  const name = take(parser).text;
  while (!isNext(parser, "{") && peek(parser).kind !== "end" && step(parser.budget)) parser.at += 1;
  const close = closerOf(parser, parser.at);
  parser.at += 1;
  const entries: (readonly [Node, Node])[] = [];
  while (parser.at < close && peek(parser).kind !== "end" && step(parser.budget)) {
    const token = take(parser);
    if (token.text === "function") {
      takeIf(parser, "&");
      const method = take(parser).text;
      entries.push([textNode(method), readFunction(parser, undefined)]);
    } else if (token.text.startsWith("$") && takeIf(parser, "=")) {
      entries.push([textNode(token.text.slice(1)), readExpression(parser)]);
    }
  }
  takeIf(parser, "}");
  return { kind: "assign", target: nameNode(name), value: { kind: "record", entries } };
}
