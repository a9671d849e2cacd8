import { step } from "../effort.ts";
import { readBlock } from "../syntax/braces.ts";
import { bareKey, readExpression } from "../syntax/expressions.ts";
import { readItems } from "../syntax/items.ts";
import type { Reader } from "../syntax/reader.ts";
import { closerOf, isNext, nested, peek, take, takeIf } from "../syntax/reader.ts";
import type { FunctionDefinition, Node } from "../syntax/tree.ts";
import { NOTHING, nameNode, textNode } from "../syntax/tree.ts";
import { skipType } from "./types.ts";

/** `(a, b) => …` or `a => …` */
export function readArrow(reader: Reader): Node {
  const parameters = isNext(reader, "(") ? readParameters(reader) : [nameNode(take(reader).text)];
  if (takeIf(reader, ":")) skipType(reader);
  takeIf(reader, "=>");
  const body: readonly Node[] = isNext(reader, "{")
    ? readBlock(reader)
    : [{ kind: "return", value: readExpression(reader, 1) }];
  return functionNode({ name: undefined, parameters, body });
}

/** `function name(a) {…}` */
export function readFunction(reader: Reader): Node {
  reader.at += 1;
  takeIf(reader, "*");
  const name = peek(reader).kind === "name" ? take(reader).text : undefined;
  return functionNode({ name, ...readSignatureAndBody(reader) });
}

function functionNode(definition: FunctionDefinition): Node {
  return { kind: "function", definition };
}

function readSignatureAndBody(reader: Reader): Pick<FunctionDefinition, "parameters" | "body"> {
  if (isNext(reader, "<")) while (!isNext(reader, "(") && peek(reader).kind !== "end") reader.at += 1;
  const parameters = readParameters(reader);
  if (takeIf(reader, ":")) skipType(reader);
  return { parameters, body: isNext(reader, "{") ? readBlock(reader) : [] };
}

function readParameters(reader: Reader): Node[] {
  const parameters: Node[] = [];
  if (!isNext(reader, "(")) return parameters;
  const close = closerOf(reader, reader.at);
  reader.at += 1;
  reader.brackets += 1;
  while (reader.at < close && peek(reader).kind !== "end" && step(reader.effort)) {
    const before = reader.at;
    if (takeIf(reader, ",") || takeIf(reader, "...")) continue;
    // Precedence above assignment, so that the default is not swallowed before a type was skipped.
    const target = readExpression(reader, 3);
    takeIf(reader, "?");
    if (takeIf(reader, ":")) skipType(reader);
    parameters.push(
      takeIf(reader, "=") ? { kind: "assign", target, value: readExpression(reader, 1) } : target,
    );
    if (reader.at === before) reader.at += 1;
  }
  reader.brackets -= 1;
  takeIf(reader, ")");
  return parameters;
}

const MODIFIERS = new Set([
  "async",
  "get",
  "set",
  "static",
  "public",
  "private",
  "protected",
  "readonly",
  "override",
]);

/** `{ a: 1, b, ["c"]: 2, d() {…}, ...e }` */
export function readObject(reader: Reader): Node {
  reader.at += 1;
  reader.brackets += 1;
  const entries: (readonly [Node | undefined, Node])[] = [];
  while (!isNext(reader, "}") && peek(reader).kind !== "end" && step(reader.effort)) {
    if (takeIf(reader, ",")) continue;
    const before = reader.at;
    entries.push(readEntry(reader));
    if (reader.at > before) continue;
    if (isNext(reader, ")") || isNext(reader, "]")) break;
    reader.at += 1;
  }
  reader.brackets -= 1;
  takeIf(reader, "}");
  return { kind: "record", entries };
}

function readEntry(reader: Reader): readonly [Node | undefined, Node] {
  if (takeIf(reader, "...")) return [undefined, readExpression(reader, 1)];
  skipModifiers(reader);
  const key = readKey(reader);
  if (takeIf(reader, ":")) return [key, nested(reader, () => readExpression(reader, 1))];
  if (isNext(reader, "("))
    return [key, nested(reader, () => functionNode({ name: undefined, ...readSignatureAndBody(reader) }))];
  const own = key.kind === "text" && typeof key.pieces[0] === "string" ? nameNode(key.pieces[0]) : NOTHING;
  if (takeIf(reader, "=")) return [key, { kind: "assign", target: own, value: readExpression(reader, 1) }];
  return [key, own];
}

function skipModifiers(reader: Reader): void {
  while (
    MODIFIERS.has(peek(reader).text) &&
    (peek(reader, 1).kind === "name" || isNext(reader, "[", 1) || isNext(reader, "*", 1))
  ) {
    reader.at += 1;
  }
  takeIf(reader, "*");
}

function readKey(reader: Reader): Node {
  if (isNext(reader, "[")) return readItems(reader, "]").items[0]?.value ?? NOTHING;
  const token = peek(reader);
  if (token.kind === "name" || token.kind === "number") {
    reader.at += 1;
    return textNode(token.text);
  }
  return bareKey(readExpression(reader, 3));
}

/** A class is a record of its functions and first values. */
export function readClass(reader: Reader): Node {
  reader.at += 1;
  const name = peek(reader).kind === "name" && !isNext(reader, "extends") ? take(reader).text : undefined;
  while (!isNext(reader, "{") && peek(reader).kind !== "end" && step(reader.effort)) reader.at += 1;
  const entries: (readonly [Node | undefined, Node])[] = [];
  const close = closerOf(reader, reader.at);
  reader.at += 1;
  while (reader.at < close && peek(reader).kind !== "end" && step(reader.effort)) {
    const before = reader.at;
    if (takeIf(reader, ";")) continue;
    entries.push(readClassMember(reader));
    if (reader.at === before) reader.at += 1;
  }
  takeIf(reader, "}");
  const record: Node = { kind: "record", entries };
  return name === undefined ? record : { kind: "assign", target: nameNode(name), value: record };
}

function readClassMember(reader: Reader): readonly [Node | undefined, Node] {
  skipModifiers(reader);
  if (isNext(reader, "{"))
    return [undefined, { kind: "block", body: readBlock(reader), isConditional: false }];
  const key = readKey(reader);
  takeIf(reader, "?");
  if (isNext(reader, "(") || isNext(reader, "<")) {
    return [key, nested(reader, () => functionNode({ name: undefined, ...readSignatureAndBody(reader) }))];
  }
  if (takeIf(reader, ":")) skipType(reader);
  return [key, takeIf(reader, "=") ? readExpression(reader, 1) : NOTHING];
}
