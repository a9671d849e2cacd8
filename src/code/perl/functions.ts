import { readBlock } from "../syntax/braces.ts";
import { readItems } from "../syntax/items.ts";
import type { Reader } from "../syntax/reader.ts";
import { isNext, peek } from "../syntax/reader.ts";
import type { Node } from "../syntax/tree.ts";

/** What follows `sub` and its name: a signature, if there is one, and the body. */
export function readFunction(reader: Reader, name: string | undefined): Node {
  const parameters = isNext(reader, "(") ? readItems(reader, ")").items.map(item => item.value) : [];
  while (!isNext(reader, "{") && !isNext(reader, ";") && peek(reader).kind !== "end") reader.at += 1;
  const body = isNext(reader, "{") ? readBlock(reader) : [];
  return { kind: "function", definition: { name, parameters, body } };
}
