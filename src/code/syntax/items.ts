import { readExpression } from "./expressions.ts";
import { isAtEnd, isNext, type Parser, peek, takeIf } from "./reader.ts";
import { step } from "./reading-budget.ts";
import { type Argument, type Node, textNode } from "./tree.ts";

export interface Items {
  readonly items: Argument[];
  readonly hasComma: boolean;
  readonly hasColon: boolean;
}

/** Items between the bracket at hand and `close`, both consumed. */
export function readItems(parser: Parser, close: string): Items {
  const { isRestricted } = parser;
  parser.isRestricted = false;
  parser.at += 1;
  parser.brackets += 1;
  const result = readItemsUntil(parser, () => isNext(parser, close) || isAtEnd(parser));
  parser.brackets -= 1;
  parser.isRestricted = isRestricted;
  takeIf(parser, close);
  return result;
}

/**
 * Comma-separated items up to where `isDone` holds, of operators at least as tight as `minimum`; what cannot
 * be read is stepped over.
 */
export function readItemsUntil(parser: Parser, isDone: () => boolean, minimum = 0): Items {
  const items: Argument[] = [];
  let hasComma = false;
  let hasColon = false;
  while (!isDone() && step(parser.budget)) {
    if (takeIf(parser, ",")) {
      hasComma = true;
      continue;
    }
    if (takeIf(parser, ":")) {
      hasColon = true;
      continue;
    }
    const before = parser.at;
    const item = readItem(parser, minimum);
    if (parser.at > before) {
      items.push(item);
      continue;
    }
    // Another bracket's closer: ours is missing, leave it to its owner.
    if (isForeignCloser(parser)) break;
    parser.at += 1;
  }
  return { items, hasComma, hasColon };
}

function isForeignCloser(parser: Parser): boolean {
  return isNext(parser, ")") || isNext(parser, "]") || isNext(parser, "}");
}

function readItem(parser: Parser, minimum: number): Argument {
  const token = peek(parser);
  if (token.kind === "mark" && parser.grammar.spreads.has(token.text)) {
    parser.at += 1;
    return { value: readExpression(parser, minimum), isSpread: true };
  }
  const name = parser.grammar.readArgumentName(parser);
  if (name !== undefined) return { value: readExpression(parser, minimum), name };
  const value = parser.grammar.readItemSuffix(parser, readExpression(parser, minimum));
  if (!takeIf(parser, "=>")) return { value };
  const paired = readExpression(parser, minimum);
  const key = literalKey(value);
  return key === undefined ? { value: paired } : { value: paired, name: key };
}

function literalKey(node: Node): string | undefined {
  if (node.kind === "name") return node.name;
  const only = node.kind === "text" && node.pieces.length === 1 ? node.pieces[0] : undefined;
  return typeof only === "string" ? only : undefined;
}

export function readRecord(parser: Parser): Node {
  parser.at += 1;
  parser.brackets += 1;
  const entries: (readonly [Node | undefined, Node])[] = [];
  while (!isNext(parser, "}") && !isAtEnd(parser) && step(parser.budget)) {
    if (takeIf(parser, ",")) continue;
    const before = parser.at;
    entries.push(readEntry(parser));
    if (parser.at > before) continue;
    if (isForeignCloser(parser)) break;
    parser.at += 1;
  }
  parser.brackets -= 1;
  takeIf(parser, "}");
  return { kind: "record", entries };
}

function readEntry(parser: Parser): readonly [Node | undefined, Node] {
  const token = peek(parser);
  if (token.kind === "mark" && parser.grammar.spreads.has(token.text)) {
    parser.at += 1;
    return [undefined, readExpression(parser)];
  }
  const key = parser.grammar.readItemSuffix(parser, readExpression(parser));
  if (takeIf(parser, ":") || takeIf(parser, "=>")) {
    const value = parser.grammar.readItemSuffix(parser, readExpression(parser));
    return [key.kind === "name" ? textNode(key.name) : key, value];
  }
  // `{ a }`, `{ a = 1 }` and sets: the value names itself.
  const own = key.kind === "assign" ? key.target : key;
  return [own.kind === "name" ? textNode(own.name) : undefined, key];
}
