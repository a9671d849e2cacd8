import { step } from "../effort.ts";
import { readExpression } from "../syntax/expressions.ts";
import { readItems, readItemsUntil } from "../syntax/items.ts";
import type { Reader } from "../syntax/reader.ts";
import { isNext, nested, outsideBrackets, peek, take, takeIf } from "../syntax/reader.ts";
import type { Node } from "../syntax/tree.ts";
import { NOTHING, nameNode } from "../syntax/tree.ts";

const ENDS: ReadonlySet<string> = new Set(["end"]);
const PARTS: ReadonlySet<string> = new Set(["end", "else", "elsif", "when", "in", "rescue", "ensure"]);
const BRACE: ReadonlySet<string> = new Set(["}"]);

export function readStatements(reader: Reader, stops: ReadonlySet<string>): Node[] {
  const nodes: Node[] = [];
  while (peek(reader).kind !== "end" && step(reader.effort)) {
    const token = peek(reader);
    if ((token.kind === "name" || token.kind === "mark") && stops.has(token.text)) break;
    const before = reader.at;
    nodes.push(readStatement(reader));
    if (reader.at === before) reader.at += 1;
  }
  return nodes;
}

/** An expression with its modifiers: `rm x if y`. */
function readStatement(reader: Reader): Node {
  if (takeIf(reader, ";")) return NOTHING;
  let node = readMultiple(reader);
  while (!peek(reader).startsLine && isModifier(reader) && step(reader.effort)) {
    reader.at += 1;
    node = { kind: "block", body: [readExpression(reader), node], isConditional: true };
  }
  return node;
}

function isModifier(reader: Reader): boolean {
  return ["if", "unless", "while", "until", "rescue"].some(word => isNext(reader, word));
}

/** `a, b = c, d` */
function readMultiple(reader: Reader): Node {
  const first = readExpression(reader);
  if (!isNext(reader, ",") || first.kind !== "name") return first;
  const items = [{ value: first as Node }];
  while (takeIf(reader, ",") && step(reader.effort)) {
    const next = readExpression(reader);
    if (next.kind !== "assign") {
      items.push({ value: next });
      continue;
    }
    items.push({ value: next.target });
    return { kind: "assign", target: { kind: "list", items }, value: next.value };
  }
  return { kind: "list", items };
}

type ReadKeyword = (reader: Reader) => Node;

const KEYWORD_READERS: ReadonlyMap<string, ReadKeyword> = new Map<string, ReadKeyword>([
  ["if", readBranches],
  ["unless", readBranches],
  ["case", readBranches],
  ["begin", readBranches],
  ["while", readLoop],
  ["until", readLoop],
  ["for", readFor],
  ["def", readDefinition],
  ["class", readContainer],
  ["module", readContainer],
  ["return", readReturn],
  ["->", readLambda],
]);

/** Everything that starts with a keyword is a value in Ruby. */
export function readKeyword(reader: Reader): Node | undefined {
  const token = peek(reader);
  if (token.kind !== "name" && token.kind !== "mark") return undefined;
  const read = KEYWORD_READERS.get(token.text);
  if (read === undefined || isNext(reader, ":", 1)) return undefined;
  return nested(reader, () => {
    reader.at += 1;
    return outsideBrackets(reader, () => read(reader));
  });
}

/** if, case and begin with all their parts; which of them runs, nobody knows. */
function readBranches(reader: Reader): Node {
  const parts: Node[] = [];
  do {
    const isHeadless = peek(reader).startsLine || isNext(reader, ";");
    const head = isHeadless
      ? []
      : readItemsUntil(
          reader,
          () =>
            peek(reader).startsLine ||
            isNext(reader, ";") ||
            isNext(reader, "then") ||
            peek(reader).kind === "end",
        ).items.map(item => item.value);
    takeIf(reader, "then");
    parts.push({ kind: "block", body: [...head, ...readStatements(reader, PARTS)], isConditional: true });
  } while (!isNext(reader, "end") && take(reader).kind !== "end" && step(reader.effort));
  takeIf(reader, "end");
  return { kind: "choice", options: parts };
}

function readHead(reader: Reader): Node {
  const outer = reader.isRestricted;
  reader.isRestricted = true;
  const head = readExpression(reader);
  reader.isRestricted = outer;
  takeIf(reader, "do");
  return head;
}

function readLoop(reader: Reader): Node {
  const head = readHead(reader);
  const body = readStatements(reader, ENDS);
  takeIf(reader, "end");
  return { kind: "block", body: [head, ...body], isConditional: true };
}

function readFor(reader: Reader): Node {
  const names: Node[] = [];
  while (!isNext(reader, "in") && peek(reader).kind !== "end" && !peek(reader).startsLine) {
    const token = take(reader);
    if (token.kind === "name") names.push(nameNode(token.text));
  }
  takeIf(reader, "in");
  const over = readHead(reader);
  const body = readStatements(reader, ENDS);
  takeIf(reader, "end");
  const [only] = names;
  const target: Node =
    names.length === 1 && only !== undefined
      ? only
      : { kind: "list", items: names.map(value => ({ value })) };
  return { kind: "each", target, over, body };
}

function readDefinition(reader: Reader): Node {
  let name = take(reader).text;
  while (takeIf(reader, ".")) name = take(reader).text;
  const parameters = isNext(reader, "(")
    ? readItems(reader, ")").items
    : readItemsUntil(reader, () => peek(reader).startsLine || isNext(reader, ";") || isNext(reader, "="))
        .items;
  const targets = parameters.map(
    ({ value, name: keyword }): Node =>
      keyword === undefined ? value : { kind: "assign", target: nameNode(keyword), value },
  );
  const isOneLine = takeIf(reader, "=");
  const body = isOneLine ? [readExpression(reader)] : readBody(reader);
  return { kind: "function", definition: { name, parameters: targets, body } };
}

/** Statements up to `end`, with rescue and ensure parts. */
function readBody(reader: Reader): Node[] {
  const body: Node[] = [];
  do body.push(...readStatements(reader, PARTS));
  while (!isNext(reader, "end") && take(reader).kind !== "end" && step(reader.effort));
  takeIf(reader, "end");
  return body;
}

/** The methods of a class or module become plain functions. */
function readContainer(reader: Reader): Node {
  while (!peek(reader).startsLine && !isNext(reader, ";") && peek(reader).kind !== "end") reader.at += 1;
  return { kind: "block", body: readBody(reader), isConditional: false };
}

function readReturn(reader: Reader): Node {
  const isEmpty = peek(reader).startsLine || isNext(reader, ";") || isNext(reader, "}") || isModifier(reader);
  return { kind: "return", value: isEmpty ? NOTHING : readExpression(reader) };
}

function readLambda(reader: Reader): Node {
  const parameters = isNext(reader, "(") ? readItems(reader, ")").items.map(item => item.value) : [];
  return readBlockBody(reader, parameters);
}

/** `{ |x| … }` or `do |x| … end` */
export function readBlockFunction(reader: Reader): Node {
  return nested(reader, () => readBlockBody(reader, undefined));
}

function readBlockBody(reader: Reader, given: readonly Node[] | undefined): Node {
  const isBrace = takeIf(reader, "{");
  if (!isBrace) takeIf(reader, "do");
  return outsideBrackets(reader, () => {
    const outer = reader.isRestricted;
    reader.isRestricted = false;
    const parameters = given ?? readBlockParameters(reader);
    const body = isBrace ? readStatements(reader, BRACE) : readBody(reader);
    if (isBrace) takeIf(reader, "}");
    reader.isRestricted = outer;
    // `it` and `_1` name the only parameter that was not named.
    const implicit = parameters.length === 0 ? [nameNode("it")] : parameters;
    return { kind: "function", definition: { name: undefined, parameters: implicit, body } };
  });
}

/** `|a, b|` of a block. */
function readBlockParameters(reader: Reader): Node[] {
  if (!takeIf(reader, "|")) return [];
  const parameters: Node[] = [];
  while (!isNext(reader, "|") && peek(reader).kind !== "end" && !peek(reader).startsLine) {
    if (isNext(reader, "(")) {
      parameters.push({ kind: "list", items: readItems(reader, ")").items });
      continue;
    }
    const token = peek(reader);
    reader.at += 1;
    if (token.kind === "name") parameters.push({ kind: "name", name: token.text });
  }
  takeIf(reader, "|");
  return parameters;
}
