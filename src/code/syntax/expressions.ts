import { step } from "../effort.ts";
import type { Infix, Outcome } from "./grammar.ts";
import { readItems, readRecord } from "./items.ts";
import type { Reader } from "./reader.ts";
import { endsHere, isNext, nested, peek, take, takeIf } from "./reader.ts";
import type { Token } from "./tokens.ts";
import { endToken } from "./tokens.ts";
import type { Node } from "./tree.ts";
import { NOTHING, nameNode, textNode } from "./tree.ts";

/** Hooks for languages that have nothing of the kind. */
export const PLAIN_HOOKS = {
  readPrimary: () => undefined,
  readSuffix: () => undefined,
  finish: (_reader: Reader, value: Node) => value,
  readArgumentName: () => undefined,
  readItemSuffix: (_reader: Reader, item: Node) => item,
  statements: new Map<string, (reader: Reader) => Node>(),
  isStatement: () => true,
  readSimple: (reader: Reader) => readExpression(reader),
};

export function readExpression(reader: Reader, minimum = 0): Node {
  return nested(reader, () => continueExpression(reader, readUnary(reader), minimum));
}

/** What follows a value already read: operators and their right sides. */
export function continueExpression(reader: Reader, value: Node, minimum: number): Node {
  return nested(reader, () => {
    let left = value;
    while (!endsHere(reader) && step(reader.effort)) {
      const token = peek(reader);
      const infix =
        token.kind === "mark" || token.kind === "name" ? reader.grammar.infix.get(token.text) : undefined;
      if (infix === undefined || infix.precedence < minimum) break;
      reader.at += 1;
      left = readInfix(reader, left, infix);
    }
    return left;
  });
}

function readInfix(reader: Reader, left: Node, infix: Infix): Node {
  switch (infix.means) {
    case "method": {
      const operator = reader.tokens[reader.at - 1];
      const callee: Node = { kind: "member", object: left, name: operator?.text ?? "" };
      const right = readExpression(reader, infix.precedence + 1);
      return { kind: "call", callee, arguments: [{ value: right }], at: operator?.start ?? 0 };
    }
    case "assign":
      return { kind: "assign", target: left, value: readExpression(reader, infix.precedence) };
    case "augment": {
      const right = readExpression(reader, infix.precedence);
      return { kind: "assign", target: left, value: combine(infix.operation, left, right) };
    }
    case "ternary": {
      const yes = readExpression(reader, infix.precedence);
      if (!takeIf(reader, ":")) return choice(left, yes);
      return effectThenChoice(left, yes, readExpression(reader, infix.precedence));
    }
    case "python-if": {
      const condition = readExpression(reader, infix.precedence + 1);
      if (!takeIf(reader, "else")) return { kind: "other", parts: [left, condition] };
      return effectThenChoice(condition, left, readExpression(reader, infix.precedence));
    }
    default:
      return combine(infix.means, left, readExpression(reader, infix.precedence + 1));
  }
}

function combine(operation: Outcome | "both", left: Node, right: Node): Node {
  if (operation === "choice") return choice(left, right);
  if (operation === "both") return { kind: "choice", options: [left, right], areAllTrue: true };
  if (operation === "other") return { kind: "other", parts: [left, right] };
  if (operation === "number") return { kind: "other", parts: [left, right], isNumber: true };
  // A long chain is one node that grows, so that it costs no more than its parts.
  if (left.kind === "operation" && left.operation === operation) {
    left.operands.push(right);
    return left;
  }
  return { kind: "operation", operation, operands: [left, right] };
}

export function choice(left: Node, right: Node): Node {
  if (left.kind !== "choice" || left.areAllTrue === true) return { kind: "choice", options: [left, right] };
  left.options.push(right);
  return left;
}

/** The condition counts for its calls only; the value is one of the two branches. */
function effectThenChoice(condition: Node, yes: Node, no: Node): Node {
  return {
    kind: "block",
    body: [condition, { kind: "choice", options: [yes, no] }],
    isConditional: false,
  };
}

function readUnary(reader: Reader): Node {
  const token = peek(reader);
  const isPrefix = token.kind === "mark" || token.kind === "name";
  if (isPrefix && reader.grammar.prefixes.has(token.text)) {
    reader.at += 1;
    return nested(reader, () => readUnary(reader));
  }
  if (isPrefix && reader.grammar.negations.has(token.text)) {
    reader.at += 1;
    const number = peek(reader);
    if (token.text === "-" && number.kind === "number") {
      reader.at += 1;
      return { kind: "number", text: `-${number.text}` };
    }
    return { kind: "other", parts: [nested(reader, () => readUnary(reader))] };
  }
  const start = token.start;
  return readPostfix(reader, readPrimary(reader), start);
}

export function readPrimary(reader: Reader): Node {
  const own = reader.grammar.readPrimary(reader);
  if (own !== undefined) return own;
  const token = peek(reader);
  switch (token.kind) {
    case "text":
      return readTexts(reader);
    case "command": {
      reader.at += 1;
      return commandNode(reader, token);
    }
    case "words":
      reader.at += 1;
      return { kind: "list", items: wordsOf(token).map(word => ({ value: textNode(word) })) };
    case "number":
      reader.at += 1;
      return { kind: "number", text: token.text };
    case "name":
      reader.at += 1;
      return nameNode(token.text);
    case "regexp":
      reader.at += 1;
      return NOTHING;
    case "mark":
      return readBracketed(reader, token);
    default:
      return NOTHING;
  }
}

function readBracketed(reader: Reader, token: Token): Node {
  if (token.text === "(") {
    const { items, hasComma } = readItems(reader, ")");
    const only = items[0];
    if (items.length === 1 && only !== undefined && !hasComma && only.isSpread !== true) return only.value;
    if (reader.grammar.parenthesesAreList || items.length === 0) return { kind: "list", items };
    return { kind: "block", body: items.map(item => item.value), isConditional: false };
  }
  if (token.text === "[") return { kind: "list", items: readItems(reader, "]").items };
  if (token.text === "{" && reader.grammar.bracesAreRecord) return readRecord(reader);
  // A closer or a separator belongs to somebody else; anything else is stepped over.
  if (!CLOSERS.has(token.text)) reader.at += 1;
  return NOTHING;
}

const CLOSERS = new Set([")", "]", "}", ",", ";", ":", "=>"]);

/** Backticks and their kin: a call of the pseudo-function "`" with the text. */
export function commandNode(reader: Reader, token: Token): Node {
  return {
    kind: "call",
    callee: nameNode("`"),
    arguments: [{ value: piecesNode(reader, token) }],
    at: token.start,
  };
}

/** Adjacent string literals are one text where the language has no other meaning for them. */
function readTexts(reader: Reader): Node {
  const first = take(reader);
  return piecesNode(reader, first);
}

/** The text of a string token, its interpolated code read as expressions. */
export function piecesNode(reader: Reader, token: Token): Node {
  const pieces = token.pieces.map(piece => {
    if (typeof piece === "string") return piece;
    const inner: Reader = { ...reader, tokens: [...piece, endToken(token.end)], at: 0, brackets: 1 };
    return nested(inner, () => readExpression(inner));
  });
  return { kind: "text", pieces };
}

function wordsOf(token: Token): string[] {
  return token.pieces
    .flatMap(piece => (typeof piece === "string" ? piece.split(/\s+/) : []))
    .filter(word => word !== "");
}

export function readPostfix(reader: Reader, value: Node, start: number): Node {
  let node = value;
  while (step(reader.effort) && !endsHere(reader)) {
    const token = peek(reader);
    if (token.kind === "mark") {
      if (reader.grammar.memberMarks.has(token.text)) {
        reader.at += 1;
        node = readMember(reader, node);
        continue;
      }
      if (token.text === "(" && (!token.isSpaced || reader.grammar.allowsSpacedCall)) {
        node = readCall(reader, node, start);
        continue;
      }
      if (token.text === "[" && (!token.isSpaced || reader.grammar.allowsSpacedCall)) {
        node = readIndex(reader, node, start);
        continue;
      }
    }
    const suffixed = reader.grammar.readSuffix(reader, node, start);
    if (suffixed === undefined) break;
    node = suffixed;
  }
  return reader.grammar.finish(reader, node, start);
}

/** `a[i]`, or `a[i:j]`, which is the method `slice` everywhere else. */
function readIndex(reader: Reader, object: Node, at: number): Node {
  const isFromStart = isNext(reader, ":", 1);
  const isReversed = isFromStart && isNext(reader, ":", 2) && isNext(reader, "-", 3);
  const { items, hasColon } = readItems(reader, "]");
  if (!hasColon) return { kind: "index", object, index: items[0]?.value ?? NOTHING };
  if (isReversed)
    return { kind: "call", callee: { kind: "member", object, name: "reversed" }, arguments: [], at };
  const bounds = isFromStart ? [{ value: { kind: "number", text: "0" } as const }, ...items] : items;
  return { kind: "call", callee: { kind: "member", object, name: "slice" }, arguments: bounds, at };
}

function readMember(reader: Reader, object: Node): Node {
  const token = peek(reader);
  if (token.kind === "name") {
    reader.at += 1;
    return { kind: "member", object, name: token.text };
  }
  // `a?.(x)`, `a?.[x]`, `$h->{x}`: the bracket says what it is.
  if (token.kind === "mark" && token.text === "{") {
    const { items } = readItems(reader, "}");
    return { kind: "index", object, index: bareKey(items[0]?.value) };
  }
  return object;
}

/** `{HOME}` as a key is the text "HOME". */
export function bareKey(key: Node | undefined): Node {
  if (key === undefined) return NOTHING;
  return key.kind === "name" ? textNode(key.name) : key;
}

export function readCall(reader: Reader, callee: Node, start: number): Node {
  const { items } = readItems(reader, ")");
  return { kind: "call", callee, arguments: items, at: start };
}
