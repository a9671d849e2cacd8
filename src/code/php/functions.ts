import { step } from "../effort.ts";
import { readBlock } from "../syntax/braces.ts";
import { readExpression } from "../syntax/expressions.ts";
import type { Reader } from "../syntax/reader.ts";
import { closerOf, isNext, peek, take, takeIf } from "../syntax/reader.ts";
import type { Node } from "../syntax/tree.ts";
import { nameNode, textNode } from "../syntax/tree.ts";

/** Parameters, `use (…)`, result type and body of a function; `=>` gives a single expression. */
export function readFunction(reader: Reader, name: string | undefined): Node {
  takeIf(reader, "&");
  const parameters = isNext(reader, "(") ? readParameters(reader) : [];
  while (
    !isNext(reader, "{") &&
    !isNext(reader, "=>") &&
    !isNext(reader, ";") &&
    peek(reader).kind !== "end"
  ) {
    reader.at = isNext(reader, "(") ? closerOf(reader, reader.at) + 1 : reader.at + 1;
  }
  const body: readonly Node[] = takeIf(reader, "=>")
    ? [{ kind: "return", value: readExpression(reader, 3) }]
    : isNext(reader, "{")
      ? readBlock(reader)
      : [];
  return { kind: "function", definition: { name, parameters, body } };
}

function readParameters(reader: Reader): Node[] {
  const close = closerOf(reader, reader.at);
  reader.at += 1;
  const parameters: Node[] = [];
  while (reader.at < close && peek(reader).kind !== "end" && step(reader.effort)) {
    const token = take(reader);
    if (token.kind !== "name" || !token.text.startsWith("$")) continue;
    const target = nameNode(token.text);
    parameters.push(
      takeIf(reader, "=") ? { kind: "assign", target, value: readExpression(reader, 4) } : target,
    );
  }
  takeIf(reader, ")");
  return parameters;
}

/** A class is a record of its functions and first values. */
export function readClass(reader: Reader): Node {
  const name = take(reader).text;
  while (!isNext(reader, "{") && peek(reader).kind !== "end" && step(reader.effort)) reader.at += 1;
  const close = closerOf(reader, reader.at);
  reader.at += 1;
  const entries: (readonly [Node, Node])[] = [];
  while (reader.at < close && peek(reader).kind !== "end" && step(reader.effort)) {
    const token = take(reader);
    if (token.text === "function") {
      takeIf(reader, "&");
      const method = take(reader).text;
      entries.push([textNode(method), readFunction(reader, undefined)]);
    } else if (token.text.startsWith("$") && takeIf(reader, "=")) {
      entries.push([textNode(token.text.slice(1)), readExpression(reader)]);
    }
  }
  takeIf(reader, "}");
  return { kind: "assign", target: nameNode(name), value: { kind: "record", entries } };
}
