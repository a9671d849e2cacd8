import { step } from "../effort.ts";
import { readBody, readConditional, readResult, readStatement } from "../syntax/braces.ts";
import { readExpression } from "../syntax/expressions.ts";
import type { Reader } from "../syntax/reader.ts";
import { closerOf, isNext, peek, take, takeIf } from "../syntax/reader.ts";
import type { Node } from "../syntax/tree.ts";
import { NOTHING } from "../syntax/tree.ts";
import { readClass, readFunction } from "./functions.ts";

type ReadStatement = (reader: Reader) => Node;

export const STATEMENTS: ReadonlyMap<string, ReadStatement> = new Map<string, ReadStatement>([
  ["function", readNamedFunction],
  ["class", readClass],
  ["if", readConditional],
  ["elseif", readConditional],
  ["while", readConditional],
  ["switch", readConditional],
  ["catch", readConditional],
  ["else", readBody],
  ["try", readBody],
  ["finally", readBody],
  ["do", readBody],
  ["for", readFor],
  ["foreach", readForeach],
  ["return", readResult],
  ["case", readExpression],
  ["namespace", skipToEnd],
  ["use", skipToEnd],
  ["global", skipToEnd],
  ["declare", skipToEnd],
]);

export function isStatement(reader: Reader): boolean {
  const word = peek(reader).text;
  if (word === "function") return peek(reader, 1).kind === "name" || isNext(reader, "&", 1);
  return !isNext(reader, "=>", 1) && !isNext(reader, "::", 1);
}

function readNamedFunction(reader: Reader): Node {
  takeIf(reader, "&");
  return readFunction(reader, take(reader).text);
}

function skipToEnd(reader: Reader): Node {
  while (!isNext(reader, ";") && !isNext(reader, "{") && peek(reader).kind !== "end" && step(reader.effort))
    reader.at += 1;
  return NOTHING;
}

/** `foreach ($list as $key => $item) …` */
function readForeach(reader: Reader): Node {
  if (!isNext(reader, "(")) return NOTHING;
  const close = closerOf(reader, reader.at);
  reader.at += 1;
  const over = readExpression(reader);
  takeIf(reader, "as");
  let target = readExpression(reader);
  if (takeIf(reader, "=>")) target = readExpression(reader);
  while (reader.at < close && peek(reader).kind !== "end") reader.at += 1;
  takeIf(reader, ")");
  return { kind: "each", target, over, body: [readStatement(reader)] };
}

function readFor(reader: Reader): Node {
  if (!isNext(reader, "(")) return NOTHING;
  const close = closerOf(reader, reader.at);
  reader.at += 1;
  const header: Node[] = [];
  while (reader.at < close && peek(reader).kind !== "end" && step(reader.effort)) {
    const before = reader.at;
    header.push(readExpression(reader));
    if (reader.at === before) reader.at += 1;
  }
  takeIf(reader, ")");
  return { kind: "block", body: [...header, readStatement(reader)], isConditional: true };
}
