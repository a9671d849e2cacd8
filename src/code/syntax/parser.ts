import type { InfixTable } from "./grammar.ts";
import { type ReadingBudget, step } from "./reading-budget.ts";
import { endToken, type Token } from "./tokens.ts";
import { NOTHING, type Node } from "./tree.ts";

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

/** Where the parser stands in a list of tokens. */
export interface Parser {
  readonly tokens: readonly Token[];
  readonly grammar: Grammar;
  readonly budget: ReadingBudget;
  at: number;
  depth: number;
  brackets: number;
  /** What follows a value is read elsewhere: the block of a loop head, the next part of a chain. */
  isRestricted: boolean;
}

const MAX_NESTING = 64;
const END = endToken(0);

export function createParser(tokens: readonly Token[], grammar: Grammar, budget: ReadingBudget): Parser {
  return { tokens, grammar, budget, at: 0, depth: 0, brackets: 0, isRestricted: false };
}

export function peek(parser: Parser, ahead = 0): Token {
  return parser.tokens[parser.at + ahead] ?? END;
}

export function take(parser: Parser): Token {
  const token = peek(parser);
  parser.at += 1;
  return token;
}

/** Is the next token this word or mark (never a string that happens to spell it)? */
export function isNext(parser: Parser, text: string, ahead = 0): boolean {
  const token = peek(parser, ahead);
  return token.text === text && (token.kind === "mark" || token.kind === "name");
}

export function takeIf(parser: Parser, text: string): boolean {
  if (!isNext(parser, text)) return false;
  parser.at += 1;
  return true;
}

export function isAtEnd(parser: Parser): boolean {
  return peek(parser).kind === "end" || parser.budget.left <= 0;
}

/** Reads items until `isDone` holds or the text ends; always moves on. */
export function readMany<Item>(
  parser: Parser,
  read: (parser: Parser) => Item,
  isDone = (): boolean => false,
): Item[] {
  const items: Item[] = [];
  while (!isDone() && peek(parser).kind !== "end" && step(parser.budget)) {
    const before = parser.at;
    items.push(read(parser));
    if (parser.at === before) parser.at += 1;
  }
  return items;
}

/** Reads items between the bracket at hand and the one that closes it; both are consumed. */
export function readBetween<Item>(parser: Parser, read: (parser: Parser) => Item): Item[] {
  const close = closerOf(parser, parser.at);
  parser.at += 1;
  parser.brackets += 1;
  const items = readMany(parser, read, () => parser.at >= close);
  parser.brackets -= 1;
  if (parser.at === close) parser.at += 1;
  return items;
}

/** Steps over everything in front of one of these words or marks. */
export function skipTo(parser: Parser, ...stops: readonly string[]): void {
  const isThere = (): boolean => stops.some(stop => isNext(parser, stop));
  while (!isThere() && peek(parser).kind !== "end" && step(parser.budget)) parser.at += 1;
}

/** Read with one more level of nesting; too deep means give up on this part, and say so. */
export function nested(parser: Parser, read: () => Node): Node {
  if (parser.depth >= MAX_NESTING) {
    parser.budget.isCutShort = true;
    return NOTHING;
  }
  parser.depth += 1;
  const node = read();
  parser.depth -= 1;
  return node;
}

/** Read something in which newlines count again, such as a block inside brackets. */
export function outsideBrackets<Result>(parser: Parser, read: () => Result): Result {
  const brackets = parser.brackets;
  parser.brackets = 0;
  const result = read();
  parser.brackets = brackets;
  return result;
}

/** Does a line break end the expression before the next token? */
export function endsHere(parser: Parser): boolean {
  const token = peek(parser);
  if (token.kind === "end") return true;
  if (!token.startsLine || !parser.grammar.endsAtLine || parser.brackets > 0) return false;
  return !(token.kind === "mark" && parser.grammar.memberMarks.has(token.text) && token.text !== "::");
}

const OPENERS: ReadonlyMap<string, string> = new Map([
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
]);
const matchesByTokens = new WeakMap<readonly Token[], Int32Array>();

/** Index of the token that closes the bracket at `at`; the end of the text when none does. */
export function closerOf(parser: Parser, at: number): number {
  let matches = matchesByTokens.get(parser.tokens);
  if (matches === undefined) {
    matches = matchBrackets(parser.tokens);
    matchesByTokens.set(parser.tokens, matches);
  }
  return matches[at] ?? parser.tokens.length;
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
