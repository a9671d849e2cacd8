import type { Grammar } from "./grammar.ts";
import type { ReadingBudget } from "./reading-budget.ts";
import { endToken, type Token } from "./tokens.ts";
import { NOTHING, type Node } from "./tree.ts";

/** Where the parser stands in a list of tokens. */
export interface Parser {
  readonly tokens: readonly Token[];
  readonly grammar: Grammar;
  readonly budget: ReadingBudget;
  at: number;
  depth: number;
  brackets: number;
  /** What follows a value belongs to somebody else: the block of a loop head, the next part of a chain. */
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
