import { step } from "../effort.ts";
import { readBody, readConditional, readResult, readStatement, readStatements } from "../syntax/braces.ts";
import { readExpression } from "../syntax/expressions.ts";
import { readItems } from "../syntax/items.ts";
import type { Reader } from "../syntax/reader.ts";
import { closerOf, isNext, peek, take, takeIf } from "../syntax/reader.ts";
import type { Node } from "../syntax/tree.ts";
import { NOTHING, nameNode } from "../syntax/tree.ts";
import { readFunction } from "./functions.ts";

type ReadStatement = (reader: Reader) => Node;

export const STATEMENTS: ReadonlyMap<string, ReadStatement> = new Map<string, ReadStatement>([
  ["sub", readNamedFunction],
  ["if", readConditional],
  ["unless", readConditional],
  ["elsif", readConditional],
  ["while", readConditional],
  ["until", readConditional],
  ["else", readBody],
  ["for", readFor],
  ["foreach", readFor],
  ["return", readResult],
  ["use", skipToEnd],
  ["no", skipToEnd],
  ["package", skipToEnd],
  ["BEGIN", readBody],
  ["END", readBody],
  ["INIT", readBody],
]);

export function isStatement(reader: Reader): boolean {
  return !isNext(reader, "=>", 1) && !(peek(reader).text === "sub" && peek(reader, 1).kind !== "name");
}

/** A statement with its modifier: `unlink for @files`. */
export function readSimple(reader: Reader): Node {
  const node = readExpression(reader);
  const word = peek(reader);
  if (word.kind !== "name") return node;
  if (word.text === "for" || word.text === "foreach") {
    reader.at += 1;
    return { kind: "each", target: nameNode("$_"), over: readExpression(reader), body: [node] };
  }
  if (!["if", "unless", "while", "until"].includes(word.text)) return node;
  reader.at += 1;
  return { kind: "block", body: [readExpression(reader), node], isConditional: true };
}

function readNamedFunction(reader: Reader): Node {
  return readFunction(reader, take(reader).text);
}

/** Imports say only where names come from; the names are known anyway. */
function skipToEnd(reader: Reader): Node {
  while (!isNext(reader, ";") && !isNext(reader, "{") && peek(reader).kind !== "end" && step(reader.effort))
    reader.at += 1;
  return NOTHING;
}

function readFor(reader: Reader): Node {
  takeIf(reader, "my");
  takeIf(reader, "our");
  const token = peek(reader);
  const target = token.kind === "name" ? nameNode(take(reader).text) : nameNode("$_");
  if (!isNext(reader, "(")) return NOTHING;
  const isCounting = hasSemicolon(reader);
  if (isCounting) {
    const close = closerOf(reader, reader.at);
    reader.at += 1;
    const header = readStatements(reader, () => reader.at >= close);
    takeIf(reader, ")");
    return { kind: "block", body: [...header, readStatement(reader)], isConditional: true };
  }
  const over: Node = { kind: "list", items: readItems(reader, ")").items };
  return { kind: "each", target, over, body: [readStatement(reader)] };
}

/** Looks only as far as the head of a counting loop can reach. */
function hasSemicolon(reader: Reader): boolean {
  const close = Math.min(closerOf(reader, reader.at), reader.at + 64);
  for (let at = reader.at; at < close; at += 1) if (reader.tokens[at]?.text === ";") return true;
  return false;
}
