import { C_ESCAPES, QUOTE_ESCAPES } from "../syntax/escapes.ts";
import { PLAIN_HOOKS } from "../syntax/expressions.ts";
import type { Grammar, InfixTable } from "../syntax/grammar.ts";
import { augments, level } from "../syntax/grammar.ts";
import { readHeredocLater } from "../syntax/heredoc.ts";
import { readItemsUntil } from "../syntax/items.ts";
import type { Reader } from "../syntax/reader.ts";
import { endsHere, isNext, peek } from "../syntax/reader.ts";
import { closingDelimiter, readQuoted } from "../syntax/strings.ts";
import type { Lexicon, Scan, SpecialToken, Token, TokenPiece } from "../syntax/tokens.ts";
import { isDigit, isLetter, lineEnd, previousToken, readInterpolation } from "../syntax/tokens.ts";
import type { Node } from "../syntax/tree.ts";

import { readBlockFunction, readKeyword } from "./statements.ts";

export const LEXICON: Lexicon = {
  lineComments: ["#"],
  blockComments: [["=begin", "\n=end"]],
  marks: [
    "**=",
    "||=",
    "&&=",
    "<=>",
    "===",
    "...",
    "<<=",
    ">>=",
    "=>",
    "==",
    "!=",
    "=~",
    "!~",
    "<=",
    ">=",
    "&&",
    "||",
  ].concat(["<<", ">>", "**", "+=", "-=", "*=", "/=", "%=", "|=", "&.", "::", "->", ".."]),
  nameCharacters: "@$",
  hasBackslashContinuation: true,
  readSpecial,
};

const WORDS_BEFORE_VALUE = new Set(
  "if elsif unless while until and or not return puts print p when then do in raise system exec else rescue yield".split(
    " ",
  ),
);

/** After a value a slash divides and a percent sign formats; elsewhere they open a literal. */
function isValuePlace(scan: Scan): boolean {
  const before = previousToken(scan);
  if (before === undefined || scan.startsLine) return true;
  if (before.kind === "mark") return ![")", "]", "}"].includes(before.text);
  if (before.kind !== "name") return false;
  if (WORDS_BEFORE_VALUE.has(before.text)) return true;
  const next = scan.source.charAt(scan.at + 1);
  return scan.isSpaced && next !== " " && next !== "=" && isLetter(before.text.charAt(0));
}

function readSpecial(scan: Scan): SpecialToken | undefined {
  const { source } = scan;
  const character = source.charAt(scan.at);
  if (isLetter(character)) return readName(scan);
  switch (character) {
    case "'":
    case '"':
    case "`":
      scan.at += 1;
      return quoted(scan, character === "`" ? "command" : "text", character, character);
    case ":":
      return readSymbol(scan);
    case "?":
      return isValuePlace(scan) ? readCharacter(scan) : undefined;
    case "%":
      return isValuePlace(scan) ? readPercent(scan) : undefined;
    case "/":
      if (!isValuePlace(scan)) return undefined;
      scan.at += 1;
      readQuoted(scan, { close: "/", escapes: undefined });
      return { kind: "regexp", text: "", pieces: [] };
    case "<":
      return readHeredoc(scan);
    default:
      return undefined;
  }
}

function readName(scan: Scan): SpecialToken {
  const { source } = scan;
  const start = scan.at;
  while (isLetter(source.charAt(scan.at)) || isDigit(source.charAt(scan.at))) scan.at += 1;
  const suffix = source.charAt(scan.at);
  const after = source.charAt(scan.at + 1);
  if ((suffix === "?" || suffix === "!") && (after !== "=" || source.charAt(scan.at + 2) === "="))
    scan.at += 1;
  return { kind: "name", text: source.slice(start, scan.at), pieces: [] };
}

function quoted(scan: Scan, kind: "text" | "command" | "words", open: string, close: string): SpecialToken {
  const isPlain = open === "'" || kind === "words";
  const pieces = readQuoted(scan, {
    open,
    close,
    escapes: isPlain ? QUOTE_ESCAPES : C_ESCAPES,
    interpolate: isPlain ? undefined : readEmbedded,
  });
  return { kind, text: "", pieces };
}

function readEmbedded(scan: Scan): TokenPiece | undefined {
  if (!scan.source.startsWith("#{", scan.at)) return undefined;
  scan.at += 2;
  return readInterpolation(scan, "}") ?? "#{";
}

/** `?a` is the text "a". */
function readCharacter(scan: Scan): SpecialToken | undefined {
  const [character, after] = [scan.source.charAt(scan.at + 1), scan.source.charAt(scan.at + 2)];
  if (/^\s?$/.test(character) || isLetter(after) || isDigit(after)) return undefined;
  scan.at += 2;
  return { kind: "text", text: "", pieces: [character] };
}

/** `:name`, `:"name"`; not the colon of `a ? b : c` or `a::b`. */
function readSymbol(scan: Scan): SpecialToken | undefined {
  const { source, at } = scan;
  const next = source.charAt(at + 1);
  if (source.charAt(at - 1) === ":" || next === ":") return undefined;
  if (next === '"') {
    scan.at += 2;
    return quoted(scan, "text", '"', '"');
  }
  if (!isLetter(next)) return undefined;
  scan.at += 1;
  return { kind: "text", text: "", pieces: [readName(scan).text] };
}

/** `%w[a b]`, `%x(cmd)`, `%q(…)`, `%(…)` */
function readPercent(scan: Scan): SpecialToken | undefined {
  const letter = scan.source.charAt(scan.at + 1);
  const hasLetter = isLetter(letter);
  const open = scan.source.charAt(scan.at + (hasLetter ? 2 : 1));
  if (open === "" || /[\sA-Za-z0-9=]/.test(open) || (hasLetter && !"wWiIxqQrs".includes(letter)))
    return undefined;
  scan.at += hasLetter ? 3 : 2;
  const close = closingDelimiter(open);
  if (letter === "x") return quoted(scan, "command", open, close);
  if (/[wWiI]/.test(letter)) return quoted(scan, "words", open, close);
  const token = quoted(scan, "text", open, close);
  return letter === "r" ? { kind: "regexp", text: "", pieces: [] } : token;
}

function readHeredoc(scan: Scan): SpecialToken | undefined {
  const head = scan.source.slice(scan.at, Math.min(scan.at + 80, lineEnd(scan.source, scan.at)));
  const match = /^<<([~-]?)(?:(["'`])([^"'`]+)\2|([A-Z_][A-Za-z0-9_]*))/.exec(head);
  if (match === null) return undefined;
  scan.at += match[0].length;
  const isRaw = match[2] === "'";
  const pieces = readHeredocLater(scan, {
    tag: match[3] ?? match[4] ?? "",
    isIndented: match[1] !== "",
    escapes: isRaw ? undefined : C_ESCAPES,
    interpolate: isRaw ? undefined : readEmbedded,
  });
  return { kind: match[2] === "`" ? "command" : "text", text: "", pieces };
}

const INFIX: InfixTable = new Map([
  ...level(1, "choice", "or"),
  ...level(1, "both", "and"),
  ...level(2, "assign", "="),
  ...augments(2, "join", "+="),
  ...augments(2, "choice", "||= &&="),
  ...augments(2, "other", "-= *= /= %= |= **= <<= >>="),
  ...level(3, "ternary", "?"),
  ...level(4, "other", ".. ..."),
  ...level(5, "choice", "||"),
  ...level(6, "both", "&&"),
  ...level(7, "other", "== != =~ !~ === <=>"),
  ...level(8, "other", "< > <= >="),
  ...level(9, "other", "| ^ &"),
  ...level(10, "method", "<<"),
  ...level(10, "other", ">>"),
  ...level(11, "join", "+"),
  ...level(11, "other", "-"),
  ...level(12, "repeat", "*"),
  ...level(12, "divide", "/"),
  ...level(12, "format", "%"),
  ...level(13, "other", "**"),
]);

/** `f a or b` is `f(a) or b`. */
const ABOVE_WORDS = 2;

export const GRAMMAR: Grammar = {
  ...PLAIN_HOOKS,
  infix: INFIX,
  prefixes: new Set(["defined?", "yield"]),
  negations: new Set(["!", "not", "-", "+", "~"]),
  memberMarks: new Set([".", "&.", "::"]),
  spreads: new Set(["*", "**", "&"]),
  endsAtLine: true,
  allowsSpacedCall: false,
  parenthesesAreList: true,
  bracesAreRecord: true,
  readPrimary: readKeyword,
  readSuffix,
  finish,
  readArgumentName,
};

/** `key: value` */
function readArgumentName(reader: Reader): string | undefined {
  const token = peek(reader);
  if (!isNext(reader, ":", 1) || peek(reader, 1).isSpaced) return undefined;
  if (token.kind === "name") {
    reader.at += 2;
    return token.text;
  }
  const [only] = token.pieces;
  if (token.kind !== "text" || typeof only !== "string") return undefined;
  reader.at += 2;
  return only;
}

const KEYWORDS = new Set(
  "if unless while until rescue and or not do then end in else elsif when ensure begin case def class module return".split(
    " ",
  ),
);

/** Arguments without parentheses, and blocks. */
function readSuffix(reader: Reader, value: Node, start: number): Node | undefined {
  const token = peek(reader);
  const isBrace = isNext(reader, "{") && isCallable(value);
  const isDo = isNext(reader, "do") && !reader.isRestricted;
  if (isBrace || isDo) {
    const block = { value: readBlockFunction(reader) };
    if (value.kind === "call") return { ...value, arguments: [...value.arguments, block] };
    return { kind: "call", callee: value, arguments: [block], at: start };
  }
  if (value.kind !== "name" && value.kind !== "member") return undefined;
  if (!startsArgument(reader, token)) return undefined;
  if (value.kind === "name" && (KEYWORDS.has(value.name) || /^[@$]/.test(value.name))) return undefined;
  const { items } = readItemsUntil(reader, () => endsArguments(reader), ABOVE_WORDS);
  return { kind: "call", callee: value, arguments: items, at: start };
}

/** A method without arguments is called all the same; a constant is not. */
function finish(reader: Reader, value: Node, at: number): Node {
  if (value.kind !== "member" || /^[A-Z]/.test(value.name) || isNext(reader, "=")) return value;
  return { kind: "call", callee: value, arguments: [], at };
}

function isCallable(value: Node): boolean {
  return value.kind === "call" || value.kind === "member" || value.kind === "name";
}

function startsArgument(reader: Reader, token: Token): boolean {
  if (!token.isSpaced) return false;
  switch (token.kind) {
    case "text":
    case "command":
    case "words":
    case "number":
    case "regexp":
      return true;
    case "name":
      return !KEYWORDS.has(token.text) && !GRAMMAR.infix.has(token.text);
    case "mark": {
      const isTight = !peek(reader, 1).isSpaced;
      return (["[", "*", "&", "->", "::", "-"].includes(token.text) && isTight) || token.text === "(";
    }
    default:
      return false;
  }
}

function endsArguments(reader: Reader): boolean {
  const token = peek(reader);
  if (token.kind === "end") return true;
  const isAfterComma = reader.tokens[reader.at - 1]?.text === ",";
  if (endsHere(reader) && !isAfterComma) return true;
  if (token.kind === "name") return KEYWORDS.has(token.text);
  return token.kind === "mark" && [";", ")", "]", "}", "{", "?", ":"].includes(token.text);
}
