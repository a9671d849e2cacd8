import { wordSet } from "../../../shell/index.ts";
import { readBlock } from "../../syntax/braces.ts";
import { bareKey, readExpression, readItems, readRecord } from "../../syntax/expressions.ts";
import {
  closerOf,
  isNext,
  nested,
  type Parser,
  peek,
  readBetween,
  skipTo,
  take,
  takeIf,
} from "../../syntax/parser.ts";
import {
  type FunctionDefinition,
  NOTHING,
  type Node,
  nameNode,
  type RecordEntry,
  sequence,
  textNode,
} from "../../syntax/tree.ts";

/** `(a, b) => …` or `a => …` */
export function readArrow(parser: Parser): Node {
  const parameters = isNext(parser, "(") ? readParameters(parser) : [nameNode(take(parser).text)];
  if (takeIf(parser, ":")) skipType(parser);
  takeIf(parser, "=>");
  const body: readonly Node[] = isNext(parser, "{")
    ? readBlock(parser)
    : [{ kind: "return", value: readExpression(parser, 1) }];
  return functionNode({ name: undefined, parameters, body });
}

/** `function name(a) {…}` */
export function readFunction(parser: Parser): Node {
  parser.at += 1;
  takeIf(parser, "*");
  const name = peek(parser).kind === "name" ? take(parser).text : undefined;
  return functionNode({ name, ...readSignatureAndBody(parser) });
}

function functionNode(definition: FunctionDefinition): Node {
  return { kind: "function", definition };
}

function readSignatureAndBody(parser: Parser): Pick<FunctionDefinition, "parameters" | "body"> {
  if (isNext(parser, "<")) skipTo(parser, "(");
  const parameters = readParameters(parser);
  if (takeIf(parser, ":")) skipType(parser);
  return { parameters, body: isNext(parser, "{") ? readBlock(parser) : [] };
}

function readParameters(parser: Parser): Node[] {
  return isNext(parser, "(") ? readBetween(parser, readParameter).flat() : [];
}

function readParameter(parser: Parser): Node[] {
  if (takeIf(parser, ",") || takeIf(parser, "...")) return [];
  // Precedence above assignment, so that the default is not swallowed before a type was skipped.
  const target = readExpression(parser, 3);
  takeIf(parser, "?");
  if (takeIf(parser, ":")) skipType(parser);
  return [takeIf(parser, "=") ? { kind: "assign", target, value: readExpression(parser, 1) } : target];
}

const MODIFIERS = wordSet("async get set static public private protected readonly override");

/** `{ a: 1, b, ["c"]: 2, d() {…}, ...e }` */
export function readObject(parser: Parser): Node {
  return readRecord(parser, readEntry);
}

function readEntry(parser: Parser): RecordEntry {
  if (takeIf(parser, "...")) return [undefined, readExpression(parser, 1)];
  skipModifiers(parser);
  const key = readKey(parser);
  if (takeIf(parser, ":")) return [key, nested(parser, () => readExpression(parser, 1))];
  if (isNext(parser, "("))
    return [key, nested(parser, () => functionNode({ name: undefined, ...readSignatureAndBody(parser) }))];
  const own = key.kind === "text" && typeof key.pieces[0] === "string" ? nameNode(key.pieces[0]) : NOTHING;
  if (takeIf(parser, "=")) return [key, { kind: "assign", target: own, value: readExpression(parser, 1) }];
  return [key, own];
}

function skipModifiers(parser: Parser): void {
  while (
    MODIFIERS.has(peek(parser).text) &&
    (peek(parser, 1).kind === "name" || isNext(parser, "[", 1) || isNext(parser, "*", 1))
  ) {
    parser.at += 1;
  }
  takeIf(parser, "*");
}

function readKey(parser: Parser): Node {
  if (isNext(parser, "[")) return readItems(parser, "]").items[0]?.value ?? NOTHING;
  const token = peek(parser);
  if (token.kind === "name" || token.kind === "number") {
    parser.at += 1;
    return textNode(token.text);
  }
  return bareKey(readExpression(parser, 3));
}

/** A class is a record of its functions and first values. */
export function readClass(parser: Parser): Node {
  parser.at += 1;
  const name = peek(parser).kind === "name" && !isNext(parser, "extends") ? take(parser).text : undefined;
  skipTo(parser, "{");
  const entries = readBetween(parser, () => (takeIf(parser, ";") ? [] : [readClassMember(parser)])).flat();
  const record: Node = { kind: "record", entries };
  return name === undefined ? record : { kind: "assign", target: nameNode(name), value: record };
}

function readClassMember(parser: Parser): RecordEntry {
  skipModifiers(parser);
  if (isNext(parser, "{")) return [undefined, sequence(...readBlock(parser))];
  const key = readKey(parser);
  takeIf(parser, "?");
  if (isNext(parser, "(") || isNext(parser, "<")) {
    return [key, nested(parser, () => functionNode({ name: undefined, ...readSignatureAndBody(parser) }))];
  }
  if (takeIf(parser, ":")) skipType(parser);
  return [key, takeIf(parser, "=") ? readExpression(parser, 1) : NOTHING];
}

const TYPE_ENDS = wordSet(", ) ] } = ; => { && || ? : .");

/** Step over a type: it says nothing about what runs. Brackets are jumped. */
export function skipType(parser: Parser): void {
  const first = parser.at;
  while (peek(parser).kind !== "end" && parser.budget.left > 0) {
    const token = peek(parser);
    if (token.startsLine && parser.at > first) return;
    const isBracket = token.kind === "mark" && ["(", "[", "{", "<"].includes(token.text);
    if (isBracket && (token.text !== "{" || parser.at === first)) {
      parser.at = token.text === "<" ? parser.at + 1 : closerOf(parser, parser.at) + 1;
      continue;
    }
    if (token.kind === "mark" && TYPE_ENDS.has(token.text)) return;
    parser.at += 1;
  }
}
