import type { Effort } from "../effort.ts";
import { step } from "../effort.ts";
import type { Token } from "./tokens.ts";
import { endToken } from "./tokens.ts";
import type { Argument, Node, Operation } from "./tree.ts";
import { NOTHING, nameNode, textNode } from "./tree.ts";

/** What an infix operator makes of its operands. */
export type Infix =
  | {
      readonly precedence: number;
      readonly means: Operation | "choice" | "both" | "other" | "ternary" | "python-if";
    }
  | { readonly precedence: number; readonly means: "assign" | "method" }
  | {
      readonly precedence: number;
      readonly means: "augment";
      readonly operation: Operation | "choice" | "other";
    };

/** How expressions of one language differ from another's. */
export interface Grammar {
  readonly infix: ReadonlyMap<string, Infix>;
  /** Words and marks in front of a value that leave it as it is: `await`, `new`. */
  readonly prefixes: ReadonlySet<string>;
  /** Those that make something else of it: `not`, `!`. */
  readonly negations: ReadonlySet<string>;
  readonly memberMarks: ReadonlySet<string>;
  readonly spreads: ReadonlySet<string>;
  /** A newline outside brackets ends an expression. */
  readonly endsAtLine: boolean;
  /** `f (x)` is a call. */
  readonly allowsSpacedCall: boolean;
  /** `(a, b)` is a list; otherwise its value is the last item. */
  readonly parenthesesAreList: boolean;
  /** `{` at the place of a value opens a record. */
  readonly bracesAreRecord: boolean;
  /** A primary of this language alone (lambda, function, heredoc ...), or `undefined` without moving. */
  readonly readPrimary: (reader: Reader) => Node | undefined;
  /** Something after a complete value (tagged template, argument without parentheses), or `undefined`. */
  readonly readSuffix: (reader: Reader, value: Node, start: number) => Node | undefined;
  /** What a value is after all that belongs to it was read. */
  readonly finish: (reader: Reader, value: Node, start: number) => Node;
  /** The name of a named argument, consumed with its mark; or `undefined` without moving. */
  readonly readArgumentName: (reader: Reader) => string | undefined;
  /** Something after an item in brackets, such as a comprehension. */
  readonly readItemSuffix: (reader: Reader, item: Node) => Node;
  /** What a keyword at the start of a statement begins; the keyword is consumed already. */
  readonly statements: ReadonlyMap<string, (reader: Reader) => Node>;
  /** Is the keyword at hand really one, or a name that looks like it? */
  readonly isStatement: (reader: Reader) => boolean;
  /** A statement without a keyword. */
  readonly readSimple: (reader: Reader) => Node;
}

/** Where the parser stands in a list of tokens. */
export interface Reader {
  readonly tokens: readonly Token[];
  readonly grammar: Grammar;
  readonly effort: Effort;
  at: number;
  depth: number;
  brackets: number;
  /** What follows a value belongs to somebody else: the block of a loop head, the next part of a chain. */
  isRestricted: boolean;
}

const DEEPEST_NESTING = 64;
const END = endToken(0);

export function createReader(tokens: readonly Token[], grammar: Grammar, effort: Effort): Reader {
  return { tokens, grammar, effort, at: 0, depth: 0, brackets: 0, isRestricted: false };
}

export function peek(reader: Reader, ahead = 0): Token {
  return reader.tokens[reader.at + ahead] ?? END;
}

export function take(reader: Reader): Token {
  const token = peek(reader);
  reader.at += 1;
  return token;
}

/** Is the next token this word or mark (never a string that happens to spell it)? */
export function isNext(reader: Reader, text: string, ahead = 0): boolean {
  const token = peek(reader, ahead);
  return token.text === text && (token.kind === "mark" || token.kind === "name");
}

export function takeIf(reader: Reader, text: string): boolean {
  if (!isNext(reader, text)) return false;
  reader.at += 1;
  return true;
}

export function isAtEnd(reader: Reader): boolean {
  return peek(reader).kind === "end" || reader.effort.left <= 0;
}

/** Read with one more level of nesting; too deep means give up on this part, and say so. */
export function nested(reader: Reader, read: () => Node): Node {
  if (reader.depth >= DEEPEST_NESTING) {
    reader.effort.isCutShort = true;
    return NOTHING;
  }
  reader.depth += 1;
  const node = read();
  reader.depth -= 1;
  return node;
}

/** Read something in which newlines count again, such as a block inside brackets. */
export function outsideBrackets<Result>(reader: Reader, read: () => Result): Result {
  const brackets = reader.brackets;
  reader.brackets = 0;
  const result = read();
  reader.brackets = brackets;
  return result;
}

export type InfixTable = ReadonlyMap<string, Infix>;

/** Operators of one level, separated by blanks. */
export function level(
  precedence: number,
  means: Exclude<Infix["means"], "augment">,
  operators: string,
): [string, Infix][] {
  return operators.split(" ").map(operator => [operator, { precedence, means }]);
}

/** Operators such as `+=`, separated by blanks. */
export function augments(
  precedence: number,
  operation: Operation | "choice" | "other",
  operators: string,
): [string, Infix][] {
  return operators.split(" ").map(operator => [operator, { precedence, means: "augment", operation }]);
}

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

/** Does a line break end the expression before the next token? */
export function endsHere(reader: Reader): boolean {
  const token = peek(reader);
  if (token.kind === "end") return true;
  if (!token.startsLine || !reader.grammar.endsAtLine || reader.brackets > 0) return false;
  return !(token.kind === "mark" && reader.grammar.memberMarks.has(token.text) && token.text !== "::");
}

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

function combine(operation: Operation | "choice" | "both" | "other", left: Node, right: Node): Node {
  if (operation === "choice") return choice(left, right);
  if (operation === "both") return { kind: "choice", options: [left, right], areAllTrue: true };
  if (operation === "other") return { kind: "other", parts: [left, right] };
  // A long chain is one node that grows, so that it costs no more than its parts.
  if (left.kind === "operation" && left.operation === operation) {
    left.operands.push(right);
    return left;
  }
  return { kind: "operation", operation, operands: [left, right] };
}

function choice(left: Node, right: Node): Node {
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

function readPrimary(reader: Reader): Node {
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

function readRecord(reader: Reader): Node {
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

const OPENERS: ReadonlyMap<string, string> = new Map([
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
]);
const matchesByTokens = new WeakMap<readonly Token[], Int32Array>();

/** Index of the token that closes the bracket at `at`; the end of the text when none does. */
export function closerOf(reader: Reader, at: number): number {
  let matches = matchesByTokens.get(reader.tokens);
  if (matches === undefined) {
    matches = matchBrackets(reader.tokens);
    matchesByTokens.set(reader.tokens, matches);
  }
  return matches[at] ?? reader.tokens.length;
}

function matchBrackets(tokens: readonly Token[]): Int32Array {
  const matches = new Int32Array(tokens.length).fill(tokens.length);
  const open: number[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== "mark") continue;
    if (OPENERS.has(token.text)) open.push(index);
    else if (token.text === ")" || token.text === "]" || token.text === "}") {
      const opener = open.pop();
      if (opener !== undefined) matches[opener] = index;
    }
  }
  return matches;
}
