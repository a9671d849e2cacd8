import { type ReadingBudget, step } from "./source.ts";
import { endToken, type Token } from "./tokens.ts";
import {
  type Argument,
  callNode,
  type Infix,
  type InfixTable,
  NOTHING,
  type Node,
  nameNode,
  type OperatorResult,
  type RecordEntry,
  textNode,
} from "./tree.ts";

/** How expressions of one language differ from another's. */
export interface Grammar {
  readonly infix: InfixTable;
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
  readonly readPrimary: (parser: Parser) => Node | undefined;
  /** Something after a complete value (tagged template, argument without parentheses), or `undefined`. */
  readonly readSuffix: (parser: Parser, value: Node, start: number) => Node | undefined;
  /** What a value is after all that belongs to it was read. */
  readonly finish: (parser: Parser, value: Node, start: number) => Node;
  /** The name of a named argument, consumed with its mark; or `undefined` without moving. */
  readonly readArgumentName: (parser: Parser) => string | undefined;
  /** Something after an item in brackets, such as a comprehension. */
  readonly readItemSuffix: (parser: Parser, item: Node) => Node;
  /** What a keyword at the start of a statement begins; the keyword is consumed already. */
  readonly statements: ReadonlyMap<string, (parser: Parser) => Node>;
  /** Is the keyword at hand really one, or a name that looks like it? */
  readonly isStatement: (parser: Parser) => boolean;
  /** A statement without a keyword. */
  readonly readSimple: (parser: Parser) => Node;
}

const MAX_NESTING = 64;
const END = endToken(0);

/** Where the parser stands in a list of tokens. */
export class Parser {
  readonly tokens: readonly Token[];
  readonly grammar: Grammar;
  readonly budget: ReadingBudget;
  at = 0;
  depth = 0;
  brackets = 0;
  /** What follows a value is read elsewhere: the block of a loop head, the next part of a chain. */
  isRestricted = false;

  constructor(tokens: readonly Token[], grammar: Grammar, budget: ReadingBudget) {
    this.tokens = tokens;
    this.grammar = grammar;
    this.budget = budget;
  }

  peek(ahead = 0): Token {
    return this.tokens[this.at + ahead] ?? END;
  }

  take(): Token {
    const token = this.peek();
    this.at += 1;
    return token;
  }

  /** Is the next token this word or mark (never a string that happens to spell it)? */
  isNext(text: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.text === text && (token.kind === "mark" || token.kind === "name");
  }

  takeIf(text: string): boolean {
    if (!this.isNext(text)) return false;
    this.at += 1;
    return true;
  }

  isAtEnd(): boolean {
    return this.peek().kind === "end" || this.budget.left <= 0;
  }

  /** Reads items until `isDone` holds or the text ends; always moves on. */
  readMany<Item>(read: (parser: Parser) => Item, isDone = (): boolean => false): Item[] {
    const items: Item[] = [];
    while (!isDone() && this.peek().kind !== "end" && step(this.budget)) {
      const before = this.at;
      items.push(read(this));
      if (this.at === before) this.at += 1;
    }
    return items;
  }

  /** Reads items between the bracket at hand and the one that closes it; both are consumed. */
  readBetween<Item>(read: (parser: Parser) => Item): Item[] {
    const close = this.findCloser(this.at);
    this.at += 1;
    this.brackets += 1;
    const items = this.readMany(read, () => this.at >= close);
    this.brackets -= 1;
    if (this.at === close) this.at += 1;
    return items;
  }

  /** Steps over everything in front of one of these words or marks. */
  skipTo(...stops: readonly string[]): void {
    const isThere = (): boolean => stops.some(stop => this.isNext(stop));
    while (!isThere() && this.peek().kind !== "end" && step(this.budget)) this.at += 1;
  }

  /** Read with one more level of nesting; too deep means give up on this part, and say so. */
  nested(read: () => Node): Node {
    if (this.depth >= MAX_NESTING) {
      this.budget.isCutShort = true;
      return NOTHING;
    }
    this.depth += 1;
    const node = read();
    this.depth -= 1;
    return node;
  }

  /** Read something in which newlines count again, such as a block inside brackets. */
  outsideBrackets<Result>(read: () => Result): Result {
    const brackets = this.brackets;
    this.brackets = 0;
    const result = read();
    this.brackets = brackets;
    return result;
  }

  /** Does a line break end the expression before the next token? */
  endsHere(): boolean {
    const token = this.peek();
    if (token.kind === "end") return true;
    if (!token.startsLine || !this.grammar.endsAtLine || this.brackets > 0) return false;
    return !(token.kind === "mark" && this.grammar.memberMarks.has(token.text) && token.text !== "::");
  }

  /** Index of the token that closes the bracket at `at`; the end of the text when none does. */
  findCloser(at: number): number {
    let matches = matchesByTokens.get(this.tokens);
    if (matches === undefined) {
      matches = matchBrackets(this.tokens);
      matchesByTokens.set(this.tokens, matches);
    }
    return matches[at] ?? this.tokens.length;
  }
}

const OPENERS: ReadonlyMap<string, string> = new Map([
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
]);
const matchesByTokens = new WeakMap<readonly Token[], Int32Array>();

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

/** What a language has when it says nothing else. */
export const DEFAULT_GRAMMAR = {
  prefixes: new Set<string>(),
  memberMarks: new Set<string>(),
  spreads: new Set<string>(),
  endsAtLine: false,
  allowsSpacedCall: false,
  parenthesesAreList: false,
  bracesAreRecord: false,
  readPrimary: () => undefined,
  readSuffix: () => undefined,
  finish: (_parser: Parser, value: Node) => value,
  readArgumentName: () => undefined,
  readItemSuffix: (_parser: Parser, item: Node) => item,
  statements: new Map<string, (parser: Parser) => Node>(),
  isStatement: () => true,
  readSimple: (parser: Parser) => readExpression(parser),
};

export function readExpression(parser: Parser, minimum = 0): Node {
  return parser.nested(() => continueExpression(parser, readUnary(parser), minimum));
}

/** What follows a value already read: operators and their right sides. */
export function continueExpression(parser: Parser, value: Node, minimum: number): Node {
  return parser.nested(() => {
    let left = value;
    while (!parser.endsHere() && step(parser.budget)) {
      const token = parser.peek();
      const infix =
        token.kind === "mark" || token.kind === "name" ? parser.grammar.infix.get(token.text) : undefined;
      if (infix === undefined || infix.precedence < minimum) break;
      parser.at += 1;
      left = readInfix(parser, left, infix);
    }
    return left;
  });
}

function readInfix(parser: Parser, left: Node, infix: Infix): Node {
  switch (infix.means) {
    case "method": {
      const operator = parser.tokens[parser.at - 1];
      const callee: Node = { kind: "member", object: left, name: operator?.text ?? "" };
      const right = readExpression(parser, infix.precedence + 1);
      return { kind: "call", callee, arguments: [{ value: right }], at: operator?.start ?? 0 };
    }
    case "assign":
      return { kind: "assign", target: left, value: readExpression(parser, infix.precedence) };
    case "augment": {
      const right = readExpression(parser, infix.precedence);
      return { kind: "assign", target: left, value: combine(infix.operation, left, right) };
    }
    case "ternary": {
      const yes = readExpression(parser, infix.precedence);
      if (!parser.takeIf(":")) return choice(left, yes);
      return effectThenChoice(left, yes, readExpression(parser, infix.precedence));
    }
    case "python-if": {
      const condition = readExpression(parser, infix.precedence + 1);
      if (!parser.takeIf("else")) return { kind: "other", parts: [left, condition] };
      return effectThenChoice(condition, left, readExpression(parser, infix.precedence));
    }
    default:
      return combine(infix.means, left, readExpression(parser, infix.precedence + 1));
  }
}

function combine(operation: OperatorResult | "both", left: Node, right: Node): Node {
  if (operation === "choice") return choice(left, right);
  if (operation === "both") return { kind: "choice", options: [left, right], areAllTrue: true };
  if (operation === "other") return { kind: "other", parts: [left, right] };
  if (operation === "truth") return { kind: "other", parts: [left, right], isTruth: true };
  if (operation === "number") return { kind: "other", parts: [left, right], isNumber: true };
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

function readUnary(parser: Parser): Node {
  const token = parser.peek();
  const isPrefix = token.kind === "mark" || token.kind === "name";
  if (isPrefix && parser.grammar.prefixes.has(token.text)) {
    parser.at += 1;
    return parser.nested(() => readUnary(parser));
  }
  if (isPrefix && parser.grammar.negations.has(token.text)) {
    parser.at += 1;
    const number = parser.peek();
    if (token.text === "-" && number.kind === "number") {
      parser.at += 1;
      return { kind: "number", text: `-${number.text}` };
    }
    const negated = [parser.nested(() => readUnary(parser))];
    const isTruth = /^(?:!|not|typeof)$/.test(token.text);
    return { kind: "other", parts: negated, ...(isTruth ? { isTruth } : {}) };
  }
  const start = token.start;
  return readPostfix(parser, readPrimary(parser), start);
}

function readPrimary(parser: Parser): Node {
  const own = parser.grammar.readPrimary(parser);
  if (own !== undefined) return own;
  const token = parser.peek();
  switch (token.kind) {
    case "text":
      return readTexts(parser);
    case "command": {
      parser.at += 1;
      return commandNode(parser, token);
    }
    case "words":
      parser.at += 1;
      return { kind: "list", items: splitWords(token).map(word => ({ value: textNode(word) })) };
    case "number":
      parser.at += 1;
      return { kind: "number", text: token.text };
    case "name":
      parser.at += 1;
      return nameNode(token.text);
    case "regexp":
      parser.at += 1;
      return NOTHING;
    case "mark":
      return readBracketed(parser, token);
    default:
      return NOTHING;
  }
}

function readBracketed(parser: Parser, token: Token): Node {
  if (token.text === "(") {
    const { items, hasComma } = readItems(parser, ")");
    const only = items[0];
    if (items.length === 1 && only !== undefined && !hasComma && only.isSpread !== true) return only.value;
    if (parser.grammar.parenthesesAreList || items.length === 0) return { kind: "list", items };
    return { kind: "block", body: items.map(item => item.value), isConditional: false };
  }
  if (token.text === "[") return { kind: "list", items: readItems(parser, "]").items };
  if (token.text === "{" && parser.grammar.bracesAreRecord) return readRecord(parser);
  // A closer or a separator is left to the reader of the bracket; anything else is stepped over.
  if (!CLOSERS.has(token.text)) parser.at += 1;
  return NOTHING;
}

const CLOSERS = new Set([")", "]", "}", ",", ";", ":", "=>"]);

/** Backticks and their kin: a call of the pseudo-function "`" with the text. */
function commandNode(parser: Parser, token: Token): Node {
  return callNode("`", [piecesNode(parser, token)], token.start);
}

/** Adjacent string literals are one text where the language has no other meaning for them. */
function readTexts(parser: Parser): Node {
  const first = parser.take();
  return piecesNode(parser, first);
}

/** The text of a string token, its interpolated code read as expressions. */
export function piecesNode(parser: Parser, token: Token): Node {
  const pieces = token.pieces.map(piece => {
    if (typeof piece === "string") return piece;
    const inner = new Parser([...piece, endToken(token.end)], parser.grammar, parser.budget);
    inner.depth = parser.depth;
    inner.isRestricted = parser.isRestricted;
    inner.brackets = 1;
    return inner.nested(() => readExpression(inner));
  });
  return { kind: "text", pieces };
}

function splitWords(token: Token): string[] {
  return token.pieces
    .flatMap(piece => (typeof piece === "string" ? piece.split(/\s+/) : []))
    .filter(word => word !== "");
}

function readPostfix(parser: Parser, value: Node, start: number): Node {
  let node = value;
  while (step(parser.budget) && !parser.endsHere()) {
    const token = parser.peek();
    if (token.kind === "mark") {
      if (parser.grammar.memberMarks.has(token.text)) {
        parser.at += 1;
        node = readMember(parser, node);
        continue;
      }
      if (token.text === "(" && (!token.isSpaced || parser.grammar.allowsSpacedCall)) {
        node = readCall(parser, node, start);
        continue;
      }
      if (token.text === "[" && (!token.isSpaced || parser.grammar.allowsSpacedCall)) {
        node = readIndex(parser, node, start);
        continue;
      }
    }
    const suffixed = parser.grammar.readSuffix(parser, node, start);
    if (suffixed === undefined) break;
    node = suffixed;
  }
  return parser.grammar.finish(parser, node, start);
}

/** `a[i]`, or `a[i:j]`, which is the method `slice` everywhere else. */
function readIndex(parser: Parser, object: Node, at: number): Node {
  const isFromStart = parser.isNext(":", 1);
  const isReversed = isFromStart && parser.isNext(":", 2) && parser.isNext("-", 3);
  const { items, hasColon } = readItems(parser, "]");
  if (!hasColon) return { kind: "index", object, index: items[0]?.value ?? NOTHING };
  if (isReversed)
    return { kind: "call", callee: { kind: "member", object, name: "reversed" }, arguments: [], at };
  const bounds = isFromStart ? [{ value: { kind: "number", text: "0" } as const }, ...items] : items;
  return { kind: "call", callee: { kind: "member", object, name: "slice" }, arguments: bounds, at };
}

function readMember(parser: Parser, object: Node): Node {
  const token = parser.peek();
  if (token.kind === "name") {
    parser.at += 1;
    return { kind: "member", object, name: token.text };
  }
  // `a?.(x)`, `a?.[x]`, `$h->{x}`: the bracket says what it is.
  if (token.kind === "mark" && token.text === "{") {
    const { items } = readItems(parser, "}");
    return { kind: "index", object, index: bareKey(items[0]?.value) };
  }
  return object;
}

/** `{HOME}` as a key is the text "HOME". */
export function bareKey(key: Node | undefined): Node {
  if (key === undefined) return NOTHING;
  return key.kind === "name" ? textNode(key.name) : key;
}

function readCall(parser: Parser, callee: Node, start: number): Node {
  const { items } = readItems(parser, ")");
  return { kind: "call", callee, arguments: items, at: start };
}

interface Items {
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
  const result = readItemsUntil(parser, () => parser.isNext(close) || parser.isAtEnd());
  parser.brackets -= 1;
  parser.isRestricted = isRestricted;
  parser.takeIf(close);
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
    if (parser.takeIf(",")) {
      hasComma = true;
      continue;
    }
    if (parser.takeIf(":")) {
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
  return parser.isNext(")") || parser.isNext("]") || parser.isNext("}");
}

function readItem(parser: Parser, minimum: number): Argument {
  const token = parser.peek();
  if (token.kind === "mark" && parser.grammar.spreads.has(token.text)) {
    parser.at += 1;
    return { value: readExpression(parser, minimum), isSpread: true };
  }
  const name = parser.grammar.readArgumentName(parser);
  if (name !== undefined) return { value: readExpression(parser, minimum), name };
  const value = parser.grammar.readItemSuffix(parser, readExpression(parser, minimum));
  if (!parser.takeIf("=>")) return { value };
  const paired = readExpression(parser, minimum);
  const key = literalKey(value);
  return key === undefined ? { value: paired } : { value: paired, name: key };
}

function literalKey(node: Node): string | undefined {
  if (node.kind === "name") return node.name;
  const only = node.kind === "text" && node.pieces.length === 1 ? node.pieces[0] : undefined;
  return typeof only === "string" ? only : undefined;
}

/** `{ … }` with keys and values; how an entry is written may differ. */
export function readRecord(parser: Parser, readEntry = readPlainEntry): Node {
  parser.at += 1;
  parser.brackets += 1;
  const entries: RecordEntry[] = [];
  while (!parser.isNext("}") && !parser.isAtEnd() && step(parser.budget)) {
    if (parser.takeIf(",")) continue;
    const before = parser.at;
    entries.push(readEntry(parser));
    if (parser.at > before) continue;
    if (isForeignCloser(parser)) break;
    parser.at += 1;
  }
  parser.brackets -= 1;
  parser.takeIf("}");
  return { kind: "record", entries };
}

function readPlainEntry(parser: Parser): RecordEntry {
  const token = parser.peek();
  if (token.kind === "mark" && parser.grammar.spreads.has(token.text)) {
    parser.at += 1;
    return [undefined, readExpression(parser)];
  }
  const key = parser.grammar.readItemSuffix(parser, readExpression(parser));
  if (parser.takeIf(":") || parser.takeIf("=>")) {
    const value = parser.grammar.readItemSuffix(parser, readExpression(parser));
    return [key.kind === "name" ? textNode(key.name) : key, value];
  }
  // `{ a }`, `{ a = 1 }` and sets: the value names itself.
  const own = key.kind === "assign" ? key.target : key;
  return [own.kind === "name" ? textNode(own.name) : undefined, key];
}
