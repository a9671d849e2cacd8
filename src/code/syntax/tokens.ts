import { type ReadingBudget, step } from "./source.ts";

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
  readUntil(lexer, false);
  return lexer.tokens;
}

/**
 * Tokens of code inside a string, from the current place to the unmatched `}`, which is consumed.
 * `undefined` when nested too deeply: the caller then keeps the text as it is.
 */
export function readInterpolation(lexer: Lexer): Token[] | undefined {
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
  readUntil(lexer, true);
  lexer.depth -= 1;
  const inner = lexer.tokens;
  Object.assign(lexer, outer);
  return inner;
}

export function previousToken(lexer: Lexer): Token | undefined {
  return lexer.tokens[lexer.tokens.length - 1];
}

function readUntil(lexer: Lexer, isInner: boolean): void {
  const { source, tokens } = lexer;
  let nested = 0;
  while (step(lexer.budget)) {
    skipBlanks(lexer);
    if (lexer.at >= source.length) break;
    const character = source.charAt(lexer.at);
    if (isInner && character === "}" && nested === 0) {
      lexer.at += 1;
      return;
    }
    if (character === "{") nested += 1;
    else if (character === "}") nested -= 1;
    tokens.push(readToken(lexer));
    lexer.isSpaced = false;
    lexer.startsLine = false;
  }
  if (!isInner) tokens.push(endToken(source.length));
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

/** In one step as far as the letters are plain: small engines look at single characters slowly. */
const PLAIN_PART = /\w+/y;

function readPlain(lexer: Lexer): SpecialToken {
  const { source, rules } = lexer;
  const start = lexer.at;
  const first = source.charAt(start);
  PLAIN_PART.lastIndex = start;
  if (PLAIN_PART.test(source)) lexer.at = PLAIN_PART.lastIndex;
  if (isDigit(first)) {
    while (isNamePart(source.charAt(lexer.at), rules) || isFraction(source, lexer.at)) lexer.at += 1;
    return { kind: "number", text: source.slice(start, lexer.at), pieces: NO_PIECES };
  }
  if (lexer.at > start || isNamePart(first, rules)) {
    while (isNamePart(source.charAt(lexer.at), rules)) lexer.at += 1;
    return { kind: "name", text: source.slice(start, lexer.at), pieces: NO_PIECES };
  }
  const candidates = getMarks(rules).get(first);
  const mark = candidates?.find(candidate => source.startsWith(candidate, start)) ?? first;
  lexer.at += mark.length;
  return { kind: "mark", text: mark, pieces: NO_PIECES };
}

const marksByLexicon = new WeakMap<LexerRules, Map<string, string[]>>();

/** Marks by their first character, made once per language. */
function getMarks(rules: LexerRules): Map<string, string[]> {
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

const commentStarts = new WeakMap<LexerRules, string>();

/** The characters with which comments begin. */
function listCommentStarts(rules: LexerRules): string {
  const known = commentStarts.get(rules);
  if (known !== undefined) return known;
  const opens = [...(rules.lineComments ?? []), ...(rules.blockComments ?? []).map(([open]) => open)];
  const starts = opens.map(open => open.charAt(0)).join("");
  commentStarts.set(rules, starts);
  return starts;
}

function commentEnd(source: string, at: number, rules: LexerRules): number | undefined {
  if (!listCommentStarts(rules).includes(source.charAt(at))) return undefined;
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

/**
 * Which backslash escapes a kind of string knows. `simple` maps a letter to its character; what is not listed
 * keeps its backslash when `keepsUnknown`, else loses it.
 */
interface Escapes {
  readonly simple: ReadonlyMap<string, string>;
  readonly numbers: "octal" | "decimal" | "none";
  readonly hasHex: boolean;
  readonly hasUnicode: boolean;
  readonly keepsUnknown: boolean;
}

const CONTROL: Readonly<Record<string, string>> = {
  ...{ n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v", a: "\u0007", e: "\u001b" },
  ...{ "\\": "\\", "'": "'", '"': '"', "`": "`", $: "$", "\n": "" },
};

/** Double-quoted text of the C family: every escape, unknown ones lose the backslash. */
export const C_ESCAPES: Escapes = {
  simple: new Map(Object.entries(CONTROL)),
  numbers: "octal",
  hasHex: true,
  hasUnicode: true,
  keepsUnknown: false,
};

/** Python and PHP keep the backslash of what they do not know. */
export const KEEPING_ESCAPES: Escapes = { ...C_ESCAPES, keepsUnknown: true };

/** Lua writes bytes in decimal. */
export const LUA_ESCAPES: Escapes = { ...C_ESCAPES, numbers: "decimal" };

/** Single-quoted text of Perl, Ruby and PHP: only the quote and the backslash itself. */
export const QUOTE_ESCAPES: Escapes = {
  simple: new Map(Object.entries({ "\\": "\\", "'": "'" })),
  numbers: "none",
  hasHex: false,
  hasUnicode: false,
  keepsUnknown: true,
};

/** AppleScript, Tcl and SQL clients: control characters only. */
export const PLAIN_ESCAPES: Escapes = { ...C_ESCAPES, numbers: "none", hasHex: false, hasUnicode: false };

/** The character(s) an escape stands for, and where it ends; `at` is the place of the backslash. */
export function readEscape(source: string, at: number, escapes: Escapes): { text: string; end: number } {
  const letter = source.charAt(at + 1);
  if (letter === "") return { text: "\\", end: at + 1 };
  if (escapes.hasHex && letter === "x") {
    const hex = readDigits(source, at + 2, 16, 2, 6);
    if (hex !== undefined) return hex;
  }
  if (escapes.hasUnicode && (letter === "u" || letter === "U")) {
    const hex = readDigits(source, at + 2, 16, letter === "u" ? 4 : 8, 6);
    if (hex !== undefined) return hex;
  }
  if (escapes.numbers !== "none" && letter >= "0" && letter <= "9") {
    const number = readDigits(source, at + 1, escapes.numbers === "octal" ? 8 : 10, 3, 0);
    if (number !== undefined) return number;
  }
  const simple = escapes.simple.get(letter);
  if (simple !== undefined) return { text: simple, end: at + 2 };
  return { text: escapes.keepsUnknown ? `\\${letter}` : letter, end: at + 2 };
}

/** Digits of a base, at most `most` of them, or any up to `inBraces` between braces. */
function readDigits(
  source: string,
  at: number,
  base: 8 | 10 | 16,
  most: number,
  inBraces: number,
): { text: string; end: number } | undefined {
  const isBraced = inBraces > 0 && source.charAt(at) === "{";
  const start = isBraced ? at + 1 : at;
  const limit = start + (isBraced ? inBraces : most);
  let end = start;
  while (end < limit && isDigitInBase(source.charAt(end), base)) end += 1;
  if (end === start) return undefined;
  const code = Number.parseInt(source.slice(start, end), base);
  if (code > 0x10ffff) return undefined;
  return { text: String.fromCodePoint(code), end: isBraced && source.charAt(end) === "}" ? end + 1 : end };
}

function isDigitInBase(character: string, base: 8 | 10 | 16): boolean {
  if (character === "") return false;
  const digit = "0123456789abcdef".indexOf(character.toLowerCase());
  return digit >= 0 && digit < base;
}

/** How one kind of string literal is written. */
interface Quoting {
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

/** How heredocs of a language are written. */
export interface HeredocRules {
  /** Finds the opening: groups `indent` (the closing tag may be indented), `quote` and `tag`. */
  readonly opening: RegExp;
  readonly escapes: Escapes;
  readonly interpolate: (lexer: Lexer) => TokenPiece | undefined;
}

interface Heredoc {
  readonly tag: string;
  readonly isIndented: boolean;
}

const MAX_OPENING = 80;

/** The heredoc that starts here. In single quotes everything is meant as it stands, in backticks it is a command. */
export function readHeredoc(lexer: Lexer, rules: HeredocRules): SpecialToken | undefined {
  const { source, at } = lexer;
  const match = rules.opening.exec(source.slice(at, Math.min(at + MAX_OPENING, lineEnd(source, at))));
  if (match === null) return undefined;
  lexer.at += match[0].length;
  const { indent, quote, tag, bare } = match.groups ?? {};
  const heredoc = { tag: tag ?? bare ?? "", isIndented: indent !== "" };
  const pieces = readLater(lexer, heredoc, quote === "'" ? undefined : rules);
  return { kind: quote === "`" ? "command" : "text", text: "", pieces };
}

/** No text holds it, so a body is read to its very end. */
const NEVER = "\u0000\u0000";

/** The pieces of a text whose body starts on the next line; they fill up when the tokeniser gets there. */
function readLater(lexer: Lexer, heredoc: Heredoc, rules: HeredocRules | undefined): TokenPiece[] {
  const pieces: TokenPiece[] = [];
  lexer.pending.push(later => {
    const found = findBody(later, heredoc);
    // Without its closing tag it was no heredoc, but an operator: the lines are code.
    if (found === undefined) return;
    const { body, end } = found;
    later.at = end;
    const inner: Lexer = { ...later, source: body, at: 0, tokens: [], pending: [] };
    pieces.push(
      ...readQuoted(inner, {
        close: NEVER,
        escapes: rules?.escapes,
        isVerbatim: rules === undefined,
        interpolate: rules?.interpolate,
      }),
    );
  });
  return pieces;
}

function findBody(lexer: Lexer, heredoc: Heredoc): { body: string; end: number } | undefined {
  const { source, at: start } = lexer;
  let at = start;
  while (at < source.length && step(lexer.budget)) {
    const end = lineEnd(source, at);
    const line = source.slice(at, end).replace(/\r$/, "");
    // PHP lets code follow the tag: `EOT;`.
    const name = (heredoc.isIndented ? line.trimStart() : line).replace(/[;,)][\s\S]*$/, "");
    if (name === heredoc.tag) {
      return { body: source.slice(start, at), end: at + line.indexOf(name) + name.length };
    }
    at = end + 1;
  }
  return undefined;
}
