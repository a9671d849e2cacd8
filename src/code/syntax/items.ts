import { step } from "../effort.ts";
import { readExpression } from "./expressions.ts";
import type { Reader } from "./reader.ts";
import { isAtEnd, isNext, peek, takeIf } from "./reader.ts";
import type { Argument, Node } from "./tree.ts";
import { textNode } from "./tree.ts";

export interface Items {
  readonly items: Argument[];
  readonly hasComma: boolean;
  readonly hasColon: boolean;
}

/** Items between the bracket at hand and `close`, both consumed. */
export function readItems(reader: Reader, close: string): Items {
  const { isRestricted } = reader;
  reader.isRestricted = false;
  reader.at += 1;
  reader.brackets += 1;
  const result = readItemsUntil(reader, () => isNext(reader, close) || isAtEnd(reader));
  reader.brackets -= 1;
  reader.isRestricted = isRestricted;
  takeIf(reader, close);
  return result;
}

/**
 * Comma-separated items up to where `isDone` holds, of operators at least as tight as `minimum`; what cannot
 * be read is stepped over.
 */
export function readItemsUntil(reader: Reader, isDone: () => boolean, minimum = 0): Items {
  const items: Argument[] = [];
  let hasComma = false;
  let hasColon = false;
  while (!isDone() && step(reader.effort)) {
    if (takeIf(reader, ",")) {
      hasComma = true;
      continue;
    }
    if (takeIf(reader, ":")) {
      hasColon = true;
      continue;
    }
    const before = reader.at;
    const item = readItem(reader, minimum);
    if (reader.at > before) {
      items.push(item);
      continue;
    }
    // Another bracket's closer: ours is missing, leave it to its owner.
    if (isForeignCloser(reader)) break;
    reader.at += 1;
  }
  return { items, hasComma, hasColon };
}

function isForeignCloser(reader: Reader): boolean {
  return isNext(reader, ")") || isNext(reader, "]") || isNext(reader, "}");
}

function readItem(reader: Reader, minimum: number): Argument {
  const token = peek(reader);
  if (token.kind === "mark" && reader.grammar.spreads.has(token.text)) {
    reader.at += 1;
    return { value: readExpression(reader, minimum), isSpread: true };
  }
  const name = reader.grammar.readArgumentName(reader);
  if (name !== undefined) return { value: readExpression(reader, minimum), name };
  const value = reader.grammar.readItemSuffix(reader, readExpression(reader, minimum));
  if (!takeIf(reader, "=>")) return { value };
  const paired = readExpression(reader, minimum);
  const key = literalKey(value);
  return key === undefined ? { value: paired } : { value: paired, name: key };
}

function literalKey(node: Node): string | undefined {
  if (node.kind === "name") return node.name;
  const only = node.kind === "text" && node.pieces.length === 1 ? node.pieces[0] : undefined;
  return typeof only === "string" ? only : undefined;
}

export function readRecord(reader: Reader): Node {
  reader.at += 1;
  reader.brackets += 1;
  const entries: (readonly [Node | undefined, Node])[] = [];
  while (!isNext(reader, "}") && !isAtEnd(reader) && step(reader.effort)) {
    if (takeIf(reader, ",")) continue;
    const before = reader.at;
    entries.push(readEntry(reader));
    if (reader.at > before) continue;
    if (isForeignCloser(reader)) break;
    reader.at += 1;
  }
  reader.brackets -= 1;
  takeIf(reader, "}");
  return { kind: "record", entries };
}

function readEntry(reader: Reader): readonly [Node | undefined, Node] {
  const token = peek(reader);
  if (token.kind === "mark" && reader.grammar.spreads.has(token.text)) {
    reader.at += 1;
    return [undefined, readExpression(reader)];
  }
  const key = reader.grammar.readItemSuffix(reader, readExpression(reader));
  if (takeIf(reader, ":") || takeIf(reader, "=>")) {
    const value = reader.grammar.readItemSuffix(reader, readExpression(reader));
    return [key.kind === "name" ? textNode(key.name) : key, value];
  }
  // `{ a }`, `{ a = 1 }` and sets: the value names itself.
  const own = key.kind === "assign" ? key.target : key;
  return [own.kind === "name" ? textNode(own.name) : undefined, key];
}
