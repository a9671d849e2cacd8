import { readBlock } from "../../syntax/braces.ts";
import { readItems } from "../../syntax/items.ts";
import { isNext, type Parser, peek } from "../../syntax/reader.ts";
import type { Node } from "../../syntax/tree.ts";

/** What follows `sub` and its name: a signature, if there is one, and the body. */
export function readFunction(parser: Parser, name: string | undefined): Node {
  const parameters = isNext(parser, "(") ? readItems(parser, ")").items.map(item => item.value) : [];
  while (!isNext(parser, "{") && !isNext(parser, ";") && peek(parser).kind !== "end") parser.at += 1;
  const body = isNext(parser, "{") ? readBlock(parser) : [];
  return { kind: "function", definition: { name, parameters, body } };
}
