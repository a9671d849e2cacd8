import type { Effort } from "../effort.ts";
import type { Grammar } from "./grammar.ts";
import type { Token } from "./tokens.ts";
import { endToken } from "./tokens.ts";
import type { Node } from "./tree.ts";
import { NOTHING } from "./tree.ts";

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

/** Does a line break end the expression before the next token? */
export function endsHere(reader: Reader): boolean {
  const token = peek(reader);
  if (token.kind === "end") return true;
  if (!token.startsLine || !reader.grammar.endsAtLine || reader.brackets > 0) return false;
  return !(token.kind === "mark" && reader.grammar.memberMarks.has(token.text) && token.text !== "::");
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
