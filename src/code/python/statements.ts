import { type Effort, step } from "../effort.ts";
import { continueExpression, readExpression } from "../syntax/expressions.ts";
import { readItemsUntil } from "../syntax/items.ts";
import type { Reader } from "../syntax/reader.ts";
import { createReader, isNext, nested, peek, take, takeIf } from "../syntax/reader.ts";
import type { Token } from "../syntax/tokens.ts";
import { tokenise } from "../syntax/tokens.ts";
import type { Argument, Node } from "../syntax/tree.ts";
import { NOTHING, nameNode, textNode } from "../syntax/tree.ts";
import { GRAMMAR, LEXICON, PRECEDENCE, readParameters, readTarget } from "./syntax.ts";

type ReadStatement = (reader: Reader, column: number) => Node;

const STATEMENTS: ReadonlyMap<string, ReadStatement> = new Map<string, ReadStatement>([
  ["import", readImport],
  ["from", readFromImport],
  ["def", readDefinition],
  ["class", readClass],
  ["for", readFor],
  ["with", readWith],
  ["if", readConditional],
  ["elif", readConditional],
  ["while", readConditional],
  ["else", readConditional],
  ["try", readConditional],
  ["except", readConditional],
  ["finally", readConditional],
  ["return", readReturn],
  ["yield", readReturn],
  ["exec", readExecStatement],
]);

/** Cut Python into nodes. */
export function parsePython(source: string, effort: Effort): readonly Node[] {
  const tokens = tokenise(source, LEXICON, effort);
  return readStatements(
    createReader(ASCII_ONLY.test(source) ? tokens : tokens.map(plainName), GRAMMAR, effort),
    0,
  );
}

const ASCII_ONLY = /^[\x00-\x7f]*$/;

/** Python reads names in their compatible form: `𝘰𝘴` is `os`. */
function plainName(token: Token): Token {
  return token.kind === "name" ? { ...token, text: token.text.normalize("NFKC") } : token;
}

/** Statements indented by at least `column`. */
function readStatements(reader: Reader, column: number): Node[] {
  const nodes: Node[] = [];
  while (peek(reader).kind !== "end" && step(reader.effort)) {
    const token = peek(reader);
    if (token.startsLine && token.column < column) break;
    const before = reader.at;
    nodes.push(readStatement(reader));
    if (reader.at === before) reader.at += 1;
  }
  return nodes;
}

function readStatement(reader: Reader): Node {
  if (takeIf(reader, ";") || takeIf(reader, "@")) return NOTHING;
  if (isNext(reader, "async") && peek(reader, 1).kind === "name") reader.at += 1;
  const token = peek(reader);
  // With parentheses `exec` is an ordinary call; assigned to, a keyword is an ordinary name.
  const isName = isNext(reader, "=", 1) || (token.text === "exec" && isNext(reader, "(", 1));
  const read = token.kind === "name" && !isName ? STATEMENTS.get(token.text) : undefined;
  if (read === undefined) return readSimple(reader);
  return nested(reader, () => {
    reader.at += 1;
    return read(reader, token.column);
  });
}

/** An expression, an assignment (also of several names, also annotated). */
function readSimple(reader: Reader): Node {
  let target = readTuple(reader);
  if (
    isNext(reader, ":") &&
    !peek(reader, 1).startsLine &&
    (target.kind === "name" || target.kind === "member")
  ) {
    reader.at += 1;
    const annotation = readExpression(reader, PRECEDENCE.condition);
    if (!isNext(reader, "=")) target = { kind: "other", parts: [target, annotation] };
  }
  if (!takeIf(reader, "=")) return continueExpression(reader, target, 0);
  return { kind: "assign", target, value: nested(reader, () => readSimple(reader)) };
}

/** `a, b` without parentheses is a list too. */
function readTuple(reader: Reader): Node {
  const first = readStarred(reader);
  const isAlone = !isNext(reader, ",") || peek(reader).startsLine;
  if (isAlone && first.isSpread !== true) return first.value;
  const items = [first];
  while (takeIf(reader, ",") && !peek(reader).startsLine && !isNext(reader, "=") && step(reader.effort)) {
    items.push(readStarred(reader));
  }
  return { kind: "list", items };
}

function readStarred(reader: Reader): Argument {
  const isSpread = takeIf(reader, "*");
  return { value: readExpression(reader, PRECEDENCE.condition), isSpread };
}

function readSuite(reader: Reader, column: number): Node[] {
  if (!takeIf(reader, ":")) return [];
  const token = peek(reader);
  if (token.startsLine) return token.column > column ? readStatements(reader, token.column) : [];
  const nodes: Node[] = [];
  while (!peek(reader).startsLine && step(reader.effort)) {
    const before = reader.at;
    nodes.push(readStatement(reader));
    if (reader.at === before) reader.at += 1;
  }
  return nodes;
}

function readConditional(reader: Reader, column: number): Node {
  const header = isNext(reader, ":") ? NOTHING : readExpression(reader);
  const bound = takeIf(reader, "as") ? take(reader) : undefined;
  const caught: Node[] =
    bound === undefined ? [] : [{ kind: "assign", target: nameNode(bound.text), value: NOTHING }];
  return { kind: "block", body: [header, ...caught, ...readSuite(reader, column)], isConditional: true };
}

function readFor(reader: Reader, column: number): Node {
  const target = readTarget(reader);
  const over = takeIf(reader, "in") ? readTuple(reader) : NOTHING;
  return { kind: "each", target, over, body: readSuite(reader, column) };
}

function readWith(reader: Reader, column: number): Node {
  const body: Node[] = [];
  const isGrouped = isNext(reader, "(");
  // `with (open(a) as f, open(b) as g):` is rare but legal; the bracket is simply passed over.
  if (isGrouped && hasAsInBrackets(reader)) reader.at += 1;
  while (!isNext(reader, ":") && peek(reader).kind !== "end" && step(reader.effort)) {
    const before = reader.at;
    const value = readExpression(reader);
    body.push(takeIf(reader, "as") ? { kind: "assign", target: readTarget(reader), value } : value);
    if (!takeIf(reader, ",") && !takeIf(reader, ")") && reader.at === before) reader.at += 1;
  }
  return { kind: "block", body: [...body, ...readSuite(reader, column)], isConditional: false };
}

/** Looks a bounded way ahead. */
function hasAsInBrackets(reader: Reader): boolean {
  for (let ahead = 1; ahead < 64; ahead += 1) {
    if (isNext(reader, "as", ahead)) return true;
    if (isNext(reader, ":", ahead) || peek(reader, ahead).kind === "end") return false;
  }
  return false;
}

function readDefinition(reader: Reader, column: number): Node {
  const name = take(reader).text;
  takeIf(reader, "(");
  reader.brackets += 1;
  const parameters = readParameters(reader, ")");
  reader.brackets -= 1;
  takeIf(reader, ")");
  if (takeIf(reader, "->")) readExpression(reader, PRECEDENCE.condition);
  return { kind: "function", definition: { name, parameters, body: readSuite(reader, column) } };
}

/** A class is a record of its functions; whatever else stands in its body runs where it stands. */
function readClass(reader: Reader, column: number): Node {
  const name = take(reader).text;
  if (takeIf(reader, "(")) {
    readItemsUntil(reader, () => isNext(reader, ")") || peek(reader).kind === "end");
    takeIf(reader, ")");
  }
  const body = readSuite(reader, column);
  const functions = body.filter(node => node.kind === "function");
  const rest = body.filter(node => node.kind !== "function");
  const record: Node = {
    kind: "record",
    entries: functions.map(node => [textNode(node.definition.name ?? ""), node] as const),
  };
  const made: Node = { kind: "assign", target: nameNode(name), value: record };
  return { kind: "block", body: [...rest, made], isConditional: false };
}

function readReturn(reader: Reader): Node {
  if (peek(reader).startsLine || isNext(reader, ";")) return { kind: "return", value: NOTHING };
  return { kind: "return", value: readTuple(reader) };
}

/** Python 2's `exec "code"`. */
function readExecStatement(reader: Reader): Node {
  const at = reader.tokens[reader.at - 1]?.start ?? 0;
  return { kind: "call", callee: nameNode("exec"), arguments: [{ value: readExpression(reader) }], at };
}

function readImport(reader: Reader): Node {
  const body: Node[] = [];
  do {
    const path = readModulePath(reader);
    const alias = takeIf(reader, "as") ? take(reader).text : undefined;
    const bound = alias ?? path.split(".", 1)[0] ?? path;
    body.push(bindModule(bound, alias === undefined ? bound : path));
  } while (takeIf(reader, ","));
  return { kind: "block", body, isConditional: false };
}

function readFromImport(reader: Reader): Node {
  const path = readModulePath(reader);
  const body: Node[] = [];
  if (!takeIf(reader, "import")) return NOTHING;
  const isGrouped = takeIf(reader, "(");
  while (step(reader.effort)) {
    const token = peek(reader);
    if (token.kind === "end" || (!isGrouped && token.startsLine)) break;
    if (token.text === "*") body.push(importEverything(path, token.start));
    if (token.kind !== "name" && token.text !== "*" && token.text !== ",") break;
    reader.at += 1;
    if (token.kind !== "name") continue;
    const alias = takeIf(reader, "as") ? take(reader).text : token.text;
    body.push(bindModule(alias, `${path}.${token.text}`));
  }
  if (isGrouped) takeIf(reader, ")");
  return { kind: "block", body, isConditional: false };
}

function importEverything(path: string, at: number): Node {
  return { kind: "call", callee: nameNode("import *"), arguments: [{ value: textNode(path) }], at };
}

function bindModule(name: string, path: string): Node {
  return { kind: "assign", target: nameNode(name), value: { kind: "reference", path } };
}

function readModulePath(reader: Reader): string {
  let path = "";
  while (takeIf(reader, ".")) path = "";
  while (peek(reader).kind === "name" && !isNext(reader, "import")) {
    path += take(reader).text;
    if (!takeIf(reader, ".")) break;
    path += ".";
  }
  return path;
}
