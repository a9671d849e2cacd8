import { type Escapes, readEscape } from "./escapes.ts";
import { step } from "./reading-budget.ts";
import {
  isDigit,
  isLetter,
  type Lexer,
  type SpecialToken,
  type Token,
  type TokenPiece,
  tokenise,
} from "./tokens.ts";

/** How one kind of string literal is written. */
export interface Quoting {
  readonly close: string;
  /** Nests when it differs from `close`: `%w(a (b))`. */
  readonly open?: string;
  /** Undefined: backslashes are ordinary, but still protect the quote unless `isVerbatim`. */
  readonly escapes?: Escapes | undefined;
  readonly isVerbatim?: boolean;
  /** A doubled quote is one quote, as in SQL, AppleScript and PowerShell. */
  readonly doubles?: boolean;
  /** An unescaped newline ends it: the quote was never closed. */
  readonly endsAtLine?: boolean;
  /** Code inside the text, if some starts at `scan.at`; must consume it. */
  readonly interpolate?: ((lexer: Lexer) => TokenPiece | undefined) | undefined;
}

const CHARACTERS_PER_STEP = 8;

/** Read a string whose opening quote is already consumed; leaves `scan` behind the closing one. */
export function readQuoted(lexer: Lexer, quoting: Quoting): TokenPiece[] {
  const { source } = lexer;
  const pieces: TokenPiece[] = [];
  let literal = "";
  let depth = 0;
  let count = 0;
  while (lexer.at < source.length) {
    // Plain characters are cheap: a step pays for several.
    if (count % CHARACTERS_PER_STEP === 0 && !step(lexer.budget)) break;
    count += 1;
    const character = source.charAt(lexer.at);
    if (quoting.doubles === true && source.startsWith(quoting.close + quoting.close, lexer.at)) {
      literal += quoting.close;
      lexer.at += 2 * quoting.close.length;
      continue;
    }
    if (depth === 0 && source.startsWith(quoting.close, lexer.at)) {
      lexer.at += quoting.close.length;
      break;
    }
    if (character === "\n" && quoting.endsAtLine === true) break;
    if (character === "\\" && quoting.isVerbatim !== true) {
      const unescaped = readBackslash(source, lexer.at, quoting.escapes);
      literal += unescaped.text;
      lexer.at = unescaped.end;
      continue;
    }
    const before = lexer.at;
    const code = quoting.interpolate?.(lexer);
    if (code !== undefined) {
      if (lexer.at === before) lexer.at += 1;
      if (typeof code === "string") literal += code;
      else {
        if (literal !== "") pieces.push(literal);
        literal = "";
        pieces.push(code);
      }
      continue;
    }
    if (quoting.open !== undefined && quoting.open !== quoting.close) {
      if (character === quoting.open) depth += 1;
      else if (character === quoting.close) depth -= 1;
    }
    literal += character;
    lexer.at += 1;
  }
  if (literal !== "") pieces.push(literal);
  return pieces;
}

/** A text between two of the quote at hand. */
export function readText(
  lexer: Lexer,
  quoting: Omit<Quoting, "close">,
  kind: "text" | "command" = "text",
): SpecialToken {
  const close = lexer.source.charAt(lexer.at);
  lexer.at += 1;
  return { kind, text: "", pieces: readQuoted(lexer, { close, ...quoting }) };
}

export const PATTERN: SpecialToken = { kind: "regexp", text: "", pieces: [] };

/** A regular expression between slashes on one line; what it says does not matter. */
export function readPattern(lexer: Lexer): SpecialToken {
  readText(lexer, { endsAtLine: true });
  return PATTERN;
}

function readBackslash(
  source: string,
  at: number,
  escapes: Escapes | undefined,
): { text: string; end: number } {
  if (escapes !== undefined) return readEscape(source, at, escapes);
  return { text: source.slice(at, at + 2), end: at + 2 };
}

const PAIRS: ReadonlyMap<string, string> = new Map([
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
  ["<", ">"],
]);

/** The delimiter that closes what `open` opened in `q(…)`, `%w[…]` and their kin. */
export function closingDelimiter(open: string): string {
  return PAIRS.get(open) ?? open;
}

const MAX_BARE_INTERPOLATION = 200;
const CLOSERS: ReadonlyMap<string, string> = new Map([
  ["[", "]"],
  ["{", "}"],
]);

/**
 * A variable written straight into a text, `$name` with the subscripts and `->` that directly follow, as Perl
 * and PHP have it. Undefined when no variable stands at `scan.at`.
 */
export function readBareVariable(lexer: Lexer): readonly Token[] | undefined {
  const { source } = lexer;
  const start = lexer.at;
  const end = bareVariableEnd(source, start);
  if (end === undefined) return undefined;
  lexer.at = end;
  const tokens = tokenise(source.slice(start, end), lexer.rules, lexer.budget);
  return tokens.filter(token => token.kind !== "end").map(token => shifted(token, start));
}

function shifted(token: Token, by: number): Token {
  return { ...token, start: token.start + by, end: token.end + by };
}

function bareVariableEnd(source: string, start: number): number | undefined {
  let end = start + 1;
  const limit = Math.min(source.length, start + MAX_BARE_INTERPOLATION);
  if (source.charAt(end) === "{") {
    while (end < limit && source.charAt(end) !== "}") end += 1;
    if (source.charAt(end) !== "}") return undefined;
    end += 1;
  } else {
    if (!isLetter(source.charAt(end)) && !isDigit(source.charAt(end))) return undefined;
    while (end < limit && (isLetter(source.charAt(end)) || isDigit(source.charAt(end)))) end += 1;
  }
  for (;;) {
    const next = subscriptEnd(source, end, limit);
    if (next === undefined) return end;
    end = next;
  }
}

function subscriptEnd(source: string, at: number, limit: number): number | undefined {
  const isArrow = source.startsWith("->", at);
  const open = isArrow ? at + 2 : at;
  const close = CLOSERS.get(source.charAt(open));
  if (close !== undefined) {
    // `$x[` in prose is text unless the bracket closes soon and holds a plain key.
    for (let index = open + 1; index < limit; index += 1) {
      const character = source.charAt(index);
      if (character === close) return index > open + 1 ? index + 1 : undefined;
      if (character === " " || character === "\n" || CLOSERS.has(character)) return undefined;
    }
    return undefined;
  }
  if (!isArrow || !isLetter(source.charAt(open))) return undefined;
  let end = open;
  while (end < limit && (isLetter(source.charAt(end)) || isDigit(source.charAt(end)))) end += 1;
  return end;
}
