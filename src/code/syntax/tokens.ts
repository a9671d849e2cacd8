import { type ReadingBudget, step } from "./reading-budget.ts";

/** A literal run of text, or the tokens of code interpolated into it. */
export type TokenPiece = string | readonly Token[];

/**
 * One lexical element. `pieces` belongs to `text` (a string literal), `command` (backticks, `qx`, `%x`) and
 * `words` (`qw`, `%w`); every other kind has its spelling in `text`. `column` is the indentation of its line.
 */
export interface Token {
  readonly kind: "name" | "text" | "command" | "words" | "number" | "mark" | "regexp" | "end";
  readonly text: string;
  pieces: readonly TokenPiece[];
  readonly start: number;
  end: number;
  readonly isSpaced: boolean;
  readonly startsLine: boolean;
  readonly column: number;
}

/** What distinguishes the words of one language from another's. `readSpecial` takes strings and the like. */
export interface LexerRules {
  readonly lineComments?: readonly string[];
  readonly blockComments?: readonly (readonly [open: string, close: string])[];
  /** Separated by blanks, longer ones first. */
  readonly marks: string;
  readonly nameCharacters?: string;
  readonly hasBackslashContinuation?: boolean;
  readonly readSpecial: (lexer: Lexer) => SpecialToken | undefined;
}

export type SpecialToken = Pick<Token, "kind" | "text" | "pieces">;

/** Where the tokeniser stands. `onNewline` holds heredoc bodies still to be read. */
export interface Lexer {
  readonly source: string;
  readonly rules: LexerRules;
  readonly budget: ReadingBudget;
  at: number;
  depth: number;
  tokens: Token[];
  readonly pending: ((lexer: Lexer) => void)[];
  isSpaced: boolean;
  startsLine: boolean;
  column: number;
}

const MAX_INTERPOLATION_DEPTH = 16;

/** Cut a text into tokens. Never fails: what fits nothing becomes a mark of one character. */
export function tokenise(source: string, rules: LexerRules, budget: ReadingBudget): readonly Token[] {
  const lexer: Lexer = {
    source,
    rules,
    budget,
    at: 0,
    depth: 0,
    tokens: [],
    pending: [],
    isSpaced: false,
    startsLine: true,
    column: 0,
  };
  readUntil(lexer, undefined);
  return lexer.tokens;
}

/**
 * Tokens of code inside a string, from the current place to the unmatched `close`, which is consumed.
 * `undefined` when nested too deeply: the caller then keeps the text as it is.
 */
export function readInterpolation(lexer: Lexer, close: string): Token[] | undefined {
  if (lexer.depth >= MAX_INTERPOLATION_DEPTH) {
    lexer.budget.isCutShort = true;
    return undefined;
  }
  const outer = {
    tokens: lexer.tokens,
    isSpaced: lexer.isSpaced,
    startsLine: lexer.startsLine,
    column: lexer.column,
  };
  lexer.tokens = [];
  lexer.isSpaced = false;
  lexer.startsLine = false;
  lexer.depth += 1;
  readUntil(lexer, close);
  lexer.depth -= 1;
  const inner = lexer.tokens;
  Object.assign(lexer, outer);
  return inner;
}

export function previousToken(lexer: Lexer): Token | undefined {
  return lexer.tokens[lexer.tokens.length - 1];
}

function readUntil(lexer: Lexer, close: string | undefined): void {
  const { source, tokens } = lexer;
  const open = close === "}" ? "{" : close === ")" ? "(" : undefined;
  let nested = 0;
  while (step(lexer.budget)) {
    skipBlanks(lexer);
    if (lexer.at >= source.length) break;
    const character = source.charAt(lexer.at);
    if (close !== undefined && character === close && nested === 0) {
      lexer.at += 1;
      return;
    }
    if (character === open) nested += 1;
    else if (character === close) nested -= 1;
    tokens.push(readToken(lexer));
    lexer.isSpaced = false;
    lexer.startsLine = false;
  }
  if (close === undefined) tokens.push(endToken(source.length));
}

export function endToken(at: number): Token {
  return {
    kind: "end",
    text: "",
    pieces: [],
    start: at,
    end: at,
    isSpaced: true,
    startsLine: true,
    column: 0,
  };
}

function readToken(lexer: Lexer): Token {
  const { at: start, isSpaced, startsLine, column } = lexer;
  const special = lexer.rules.readSpecial(lexer);
  // Every token moves on, whatever a language reader did.
  if (special !== undefined && lexer.at === start) lexer.at += 1;
  const { kind, text, pieces } = special ?? readPlain(lexer);
  return { kind, text, pieces, start, end: lexer.at, isSpaced, startsLine, column };
}

const NO_PIECES: readonly TokenPiece[] = [];

function readPlain(lexer: Lexer): SpecialToken {
  const { source, rules } = lexer;
  const start = lexer.at;
  const first = source.charAt(start);
  if (isDigit(first)) {
    lexer.at += 1;
    while (isNamePart(source.charAt(lexer.at), rules) || isFraction(source, lexer.at)) lexer.at += 1;
    return { kind: "number", text: source.slice(start, lexer.at), pieces: NO_PIECES };
  }
  if (isNamePart(first, rules)) {
    lexer.at += 1;
    while (isNamePart(source.charAt(lexer.at), rules)) lexer.at += 1;
    return { kind: "name", text: source.slice(start, lexer.at), pieces: NO_PIECES };
  }
  const candidates = marksOf(rules).get(first);
  const mark = candidates?.find(candidate => source.startsWith(candidate, start)) ?? first;
  lexer.at += mark.length;
  return { kind: "mark", text: mark, pieces: NO_PIECES };
}

const marksByLexicon = new WeakMap<LexerRules, Map<string, string[]>>();

/** Marks by their first character, made once per language. */
function marksOf(rules: LexerRules): Map<string, string[]> {
  const known = marksByLexicon.get(rules);
  if (known !== undefined) return known;
  const table = new Map<string, string[]>();
  for (const mark of rules.marks.split(" ")) {
    const first = mark.charAt(0);
    table.set(first, [...(table.get(first) ?? []), mark]);
  }
  marksByLexicon.set(rules, table);
  return table;
}

function isFraction(source: string, at: number): boolean {
  return source.charAt(at) === "." && isDigit(source.charAt(at + 1));
}

function skipBlanks(lexer: Lexer): void {
  const { source, rules } = lexer;
  while (lexer.at < source.length) {
    const character = source.charAt(lexer.at);
    if (character === "\n") {
      lexer.at += 1;
      lexer.isSpaced = true;
      lexer.startsLine = true;
      for (const read of lexer.pending.splice(0)) read(lexer);
      lexer.column = indentationAt(source, lexer.at);
    } else if (character === " " || character === "\t" || character === "\r" || character === "\f") {
      lexer.at += 1;
      lexer.isSpaced = true;
    } else if (
      rules.hasBackslashContinuation === true &&
      character === "\\" &&
      isLineEnd(source, lexer.at + 1)
    ) {
      lexer.at = source.indexOf("\n", lexer.at) + 1;
      lexer.isSpaced = true;
    } else {
      const end = commentEnd(source, lexer.at, rules);
      if (end === undefined) return;
      lexer.at = end;
      lexer.isSpaced = true;
    }
  }
}

function indentationAt(source: string, at: number): number {
  let column = 0;
  for (let index = at; index < source.length; index += 1) {
    const character = source.charAt(index);
    if (character === " ") column += 1;
    else if (character === "\t") column = column - (column % 8) + 8;
    else return column;
  }
  return column;
}

function isLineEnd(source: string, at: number): boolean {
  return source.charAt(at) === "\n" || source.startsWith("\r\n", at);
}

function commentEnd(source: string, at: number, rules: LexerRules): number | undefined {
  for (const [open, close] of rules.blockComments ?? []) {
    if (!source.startsWith(open, at)) continue;
    // `=begin` and `=pod` count only at the start of a line; anywhere else it is an assignment.
    if (open.startsWith("=") && at > 0 && source.charAt(at - 1) !== "\n") continue;
    const end = source.indexOf(close, at + open.length);
    return end === -1 ? source.length : end + close.length;
  }
  if (rules.lineComments?.some(comment => source.startsWith(comment, at)) === true) {
    return lineEnd(source, at);
  }
  return undefined;
}

/** Index of the next line feed, or the end of the text. */
export function lineEnd(source: string, at: number): number {
  const end = source.indexOf("\n", at);
  return end === -1 ? source.length : end;
}

export function isDigit(character: string): boolean {
  return character >= "0" && character <= "9";
}

export function isLetter(character: string): boolean {
  return (
    (character >= "a" && character <= "z") ||
    (character >= "A" && character <= "Z") ||
    character === "_" ||
    character >= "\u0080"
  );
}

function isNamePart(character: string, rules: LexerRules): boolean {
  if (character === "") return false;
  return isLetter(character) || isDigit(character) || rules.nameCharacters?.includes(character) === true;
}
