import { step } from "../effort.ts";
import { readExpression } from "./expressions.ts";
import type { Reader } from "./reader.ts";
import { closerOf, isNext, nested, outsideBrackets, peek, take, takeIf } from "./reader.ts";
import type { Node } from "./tree.ts";
import { NOTHING } from "./tree.ts";

// Statements of languages with `{ … }` blocks and `( … )` conditions. What a keyword starts is in the grammar.

/** Statements up to where `isDone` holds. Always moves on. */
export function readStatements(reader: Reader, isDone: () => boolean): Node[] {
  const nodes: Node[] = [];
  while (!isDone() && peek(reader).kind !== "end" && step(reader.effort)) {
    const before = reader.at;
    nodes.push(readStatement(reader));
    if (reader.at === before) reader.at += 1;
  }
  return nodes;
}

/** `{ … }` */
export function readBlock(reader: Reader): Node[] {
  const close = closerOf(reader, reader.at);
  reader.at += 1;
  const nodes = outsideBrackets(reader, () => readStatements(reader, () => reader.at >= close));
  takeIf(reader, "}");
  return nodes;
}

export function readStatement(reader: Reader): Node {
  if (takeIf(reader, ";")) return NOTHING;
  if (isNext(reader, "{")) {
    return nested(reader, () => ({ kind: "block", body: readBlock(reader), isConditional: false }));
  }
  const token = peek(reader);
  const { statements, isStatement, readSimple } = reader.grammar;
  const read = token.kind === "name" ? statements.get(token.text) : undefined;
  if (read === undefined || !isStatement(reader)) return readSimple(reader);
  return nested(reader, () => {
    reader.at += 1;
    return read(reader);
  });
}

/** `else …`, `try …` */
export function readBody(reader: Reader): Node {
  return { kind: "block", body: [readStatement(reader)], isConditional: true };
}

/** `if (…) …`, `while (…) …` */
export function readConditional(reader: Reader): Node {
  const condition = readCondition(reader);
  return { kind: "block", body: [condition, readStatement(reader)], isConditional: true };
}

/** `return …` */
export function readResult(reader: Reader): Node {
  const isEmpty = isNext(reader, ";") || isNext(reader, "}") || peek(reader).kind === "end";
  return { kind: "return", value: isEmpty ? NOTHING : readExpression(reader) };
}

/** One thing in parentheses; whatever else stands in them is stepped over. */
function readCondition(reader: Reader): Node {
  if (!isNext(reader, "(")) return NOTHING;
  const close = closerOf(reader, reader.at);
  reader.at += 1;
  reader.brackets += 1;
  const condition = readExpression(reader);
  reader.brackets -= 1;
  while (reader.at < close && peek(reader).kind !== "end") take(reader);
  takeIf(reader, ")");
  return condition;
}

/** A declaration that says nothing about what runs. */
export function skipWord(): Node {
  return NOTHING;
}
