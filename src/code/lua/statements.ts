import { step } from "../effort.ts";
import { readExpression } from "../syntax/expressions.ts";
import type { Reader } from "../syntax/reader.ts";
import { isNext, nested, outsideBrackets, peek, take, takeIf } from "../syntax/reader.ts";
import type { Node } from "../syntax/tree.ts";
import { NOTHING, nameNode } from "../syntax/tree.ts";

const STOPS: ReadonlySet<string> = new Set(["end", "else", "elseif", "until"]);

/** Statements up to `end` and its kin, which stays; at top level a stray one is stepped over. */
export function readStatements(reader: Reader, isTop: boolean): Node[] {
  const nodes: Node[] = [];
  while (peek(reader).kind !== "end" && step(reader.effort)) {
    const token = peek(reader);
    if (!isTop && token.kind === "name" && STOPS.has(token.text)) break;
    const before = reader.at;
    nodes.push(readStatement(reader));
    if (reader.at === before) reader.at += 1;
  }
  return nodes;
}

function readStatement(reader: Reader): Node {
  if (takeIf(reader, ";")) return NOTHING;
  const token = peek(reader);
  const read = token.kind === "name" ? STATEMENTS.get(token.text) : undefined;
  if (read === undefined) return readSimple(reader);
  return nested(reader, () => {
    reader.at += 1;
    return outsideBrackets(reader, () => read(reader));
  });
}

/** `a, b = c, d`: the first of each is enough to follow. */
function readSimple(reader: Reader): Node {
  const first = readExpression(reader);
  if (!isNext(reader, ",")) return first;
  const items = [{ value: first }];
  while (takeIf(reader, ",") && step(reader.effort)) items.push({ value: readExpression(reader) });
  return { kind: "other", parts: items.map(item => item.value) };
}

type ReadStatement = (reader: Reader) => Node;

const STATEMENTS: ReadonlyMap<string, ReadStatement> = new Map<string, ReadStatement>([
  ["local", readLocal],
  ["function", readNamedFunction],
  ["if", readIf],
  ["while", readLoop],
  ["for", readFor],
  ["do", readDo],
  ["repeat", readRepeat],
  ["return", readReturn],
]);

function readLocal(reader: Reader): Node {
  if (takeIf(reader, "function")) return readNamedFunction(reader);
  return readSimple(reader);
}

function readNamedFunction(reader: Reader): Node {
  let name = take(reader).text;
  while (takeIf(reader, ".") || takeIf(reader, ":")) name = take(reader).text;
  return readFunction(reader, name);
}

export function readFunction(reader: Reader, name: string | undefined): Node {
  const parameters: Node[] = [];
  takeIf(reader, "(");
  while (!isNext(reader, ")") && peek(reader).kind !== "end" && step(reader.effort)) {
    const token = take(reader);
    if (token.kind === "name") parameters.push(nameNode(token.text));
  }
  takeIf(reader, ")");
  const body = outsideBrackets(reader, () => readUntilEnd(reader));
  return { kind: "function", definition: { name, parameters, body } };
}

function readUntilEnd(reader: Reader): Node[] {
  let body: Node[] = [];
  nested(reader, () => {
    body = readStatements(reader, false);
    return NOTHING;
  });
  takeIf(reader, "end");
  return body;
}

function readIf(reader: Reader): Node {
  const parts: Node[] = [];
  do {
    const condition = isNext(reader, "then") ? NOTHING : readExpression(reader);
    takeIf(reader, "then");
    parts.push({ kind: "block", body: [condition, ...readStatements(reader, false)], isConditional: true });
  } while (takeIf(reader, "elseif") && step(reader.effort));
  if (takeIf(reader, "else"))
    parts.push({ kind: "block", body: readStatements(reader, false), isConditional: true });
  takeIf(reader, "end");
  return { kind: "block", body: parts, isConditional: false };
}

function readLoop(reader: Reader): Node {
  const condition = readExpression(reader);
  takeIf(reader, "do");
  return { kind: "block", body: [condition, ...readUntilEnd(reader)], isConditional: true };
}

function readDo(reader: Reader): Node {
  return { kind: "block", body: readUntilEnd(reader), isConditional: false };
}

function readRepeat(reader: Reader): Node {
  const body = readStatements(reader, false);
  const condition = takeIf(reader, "until") ? readExpression(reader) : NOTHING;
  return { kind: "block", body: [...body, condition], isConditional: true };
}

/** `for _, item in ipairs(list) do`: the last name is the item. */
function readFor(reader: Reader): Node {
  const names: string[] = [];
  while (
    !isNext(reader, "in") &&
    !isNext(reader, "=") &&
    peek(reader).kind !== "end" &&
    step(reader.effort)
  ) {
    const token = take(reader);
    if (token.kind === "name") names.push(token.text);
  }
  reader.at += 1;
  const over = readExpression(reader);
  while (takeIf(reader, ",") && step(reader.effort)) readExpression(reader);
  takeIf(reader, "do");
  return { kind: "each", target: nameNode(names.at(-1) ?? "_"), over, body: readUntilEnd(reader) };
}

function readReturn(reader: Reader): Node {
  const isEmpty = isNext(reader, "end") || isNext(reader, ";") || peek(reader).kind === "end";
  return { kind: "return", value: isEmpty ? NOTHING : readSimple(reader) };
}
