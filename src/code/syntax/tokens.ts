import type { Effort } from "../effort.ts";
import { step } from "../effort.ts";

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
export interface Lexicon {
  readonly lineComments: readonly string[];
  readonly blockComments: readonly (readonly [open: string, close: string])[];
  readonly marks: readonly string[];
  readonly nameCharacters: string;
  readonly hasBackslashContinuation: boolean;
  readonly readSpecial: (scan: Scan) => SpecialToken | undefined;
}

export type SpecialToken = Pick<Token, "kind" | "text" | "pieces">;

/** Where the tokeniser stands. `onNewline` holds heredoc bodies still to be read. */
export interface Scan {
  readonly source: string;
  readonly lexicon: Lexicon;
  readonly effort: Effort;
  at: number;
  depth: number;
  tokens: Token[];
  readonly pending: ((scan: Scan) => void)[];
  isSpaced: boolean;
  startsLine: boolean;
  column: number;
}

const DEEPEST_INTERPOLATION = 16;

/** Cut a text into tokens. Never fails: what fits nothing becomes a mark of one character. */
export function tokenise(source: string, lexicon: Lexicon, effort: Effort): readonly Token[] {
  const scan: Scan = {
    source,
    lexicon,
    effort,
    at: 0,
    depth: 0,
    tokens: [],
    pending: [],
    isSpaced: false,
    startsLine: true,
    column: 0,
  };
  readUntil(scan, undefined);
  return scan.tokens;
}

/**
 * Tokens of code inside a string, from the current place to the unmatched `close`, which is consumed.
 * `undefined` when nested too deeply: the caller then keeps the text as it is.
 */
export function readInterpolation(scan: Scan, close: string): Token[] | undefined {
  if (scan.depth >= DEEPEST_INTERPOLATION) {
    scan.effort.isCutShort = true;
    return undefined;
  }
  const outer = {
    tokens: scan.tokens,
    isSpaced: scan.isSpaced,
    startsLine: scan.startsLine,
    column: scan.column,
  };
  scan.tokens = [];
  scan.isSpaced = false;
  scan.startsLine = false;
  scan.depth += 1;
  readUntil(scan, close);
  scan.depth -= 1;
  const inner = scan.tokens;
  Object.assign(scan, outer);
  return inner;
}

export function previousToken(scan: Scan): Token | undefined {
  return scan.tokens[scan.tokens.length - 1];
}

function readUntil(scan: Scan, close: string | undefined): void {
  const { source, tokens } = scan;
  const open = close === "}" ? "{" : close === ")" ? "(" : undefined;
  let nested = 0;
  while (step(scan.effort)) {
    skipBlanks(scan);
    if (scan.at >= source.length) break;
    const character = source.charAt(scan.at);
    if (close !== undefined && character === close && nested === 0) {
      scan.at += 1;
      return;
    }
    if (character === open) nested += 1;
    else if (character === close) nested -= 1;
    tokens.push(readToken(scan));
    scan.isSpaced = false;
    scan.startsLine = false;
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

function readToken(scan: Scan): Token {
  const { at: start, isSpaced, startsLine, column } = scan;
  const special = scan.lexicon.readSpecial(scan);
  // Every token moves on, whatever a language reader did.
  if (special !== undefined && scan.at === start) scan.at += 1;
  const { kind, text, pieces } = special ?? readPlain(scan);
  return { kind, text, pieces, start, end: scan.at, isSpaced, startsLine, column };
}

const NO_PIECES: readonly TokenPiece[] = [];

function readPlain(scan: Scan): SpecialToken {
  const { source, lexicon } = scan;
  const start = scan.at;
  const first = source.charAt(start);
  if (isDigit(first)) {
    scan.at += 1;
    while (isNamePart(source.charAt(scan.at), lexicon) || isFraction(source, scan.at)) scan.at += 1;
    return { kind: "number", text: source.slice(start, scan.at), pieces: NO_PIECES };
  }
  if (isNamePart(first, lexicon)) {
    scan.at += 1;
    while (isNamePart(source.charAt(scan.at), lexicon)) scan.at += 1;
    return { kind: "name", text: source.slice(start, scan.at), pieces: NO_PIECES };
  }
  const candidates = marksOf(lexicon).get(first);
  const mark = candidates?.find(candidate => source.startsWith(candidate, start)) ?? first;
  scan.at += mark.length;
  return { kind: "mark", text: mark, pieces: NO_PIECES };
}

const marksByLexicon = new WeakMap<Lexicon, Map<string, string[]>>();

/** Marks by their first character, made once per language. */
function marksOf(lexicon: Lexicon): Map<string, string[]> {
  const known = marksByLexicon.get(lexicon);
  if (known !== undefined) return known;
  const table = new Map<string, string[]>();
  for (const mark of lexicon.marks) {
    const first = mark.charAt(0);
    table.set(first, [...(table.get(first) ?? []), mark]);
  }
  marksByLexicon.set(lexicon, table);
  return table;
}

function isFraction(source: string, at: number): boolean {
  return source.charAt(at) === "." && isDigit(source.charAt(at + 1));
}

function skipBlanks(scan: Scan): void {
  const { source, lexicon } = scan;
  while (scan.at < source.length) {
    const character = source.charAt(scan.at);
    if (character === "\n") {
      scan.at += 1;
      scan.isSpaced = true;
      scan.startsLine = true;
      for (const read of scan.pending.splice(0)) read(scan);
      scan.column = indentationAt(source, scan.at);
    } else if (character === " " || character === "\t" || character === "\r" || character === "\f") {
      scan.at += 1;
      scan.isSpaced = true;
    } else if (lexicon.hasBackslashContinuation && character === "\\" && isLineEnd(source, scan.at + 1)) {
      scan.at = source.indexOf("\n", scan.at) + 1;
      scan.isSpaced = true;
    } else {
      const end = commentEnd(source, scan.at, lexicon);
      if (end === undefined) return;
      scan.at = end;
      scan.isSpaced = true;
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

function commentEnd(source: string, at: number, lexicon: Lexicon): number | undefined {
  for (const [open, close] of lexicon.blockComments) {
    if (!source.startsWith(open, at)) continue;
    // `=begin` and `=pod` count only at the start of a line; anywhere else it is an assignment.
    if (open.startsWith("=") && at > 0 && source.charAt(at - 1) !== "\n") continue;
    const end = source.indexOf(close, at + open.length);
    return end === -1 ? source.length : end + close.length;
  }
  if (lexicon.lineComments.some(comment => source.startsWith(comment, at))) {
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

function isNamePart(character: string, lexicon: Lexicon): boolean {
  if (character === "") return false;
  return isLetter(character) || isDigit(character) || lexicon.nameCharacters.includes(character);
}
