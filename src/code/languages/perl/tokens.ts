import { wordSet } from "../../../shell/index.ts";
import { C_ESCAPES, QUOTE_ESCAPES } from "../../syntax/escapes.ts";
import { type HeredocRules, readHeredoc } from "../../syntax/heredoc.ts";
import {
  closingDelimiter,
  PATTERN,
  readBareVariable,
  readPattern,
  readQuoted,
} from "../../syntax/strings.ts";
import type { Lexer, LexerRules, SpecialToken, TokenPiece } from "../../syntax/tokens.ts";
import { isDigit, isLetter, previousToken, readInterpolation, tokenise } from "../../syntax/tokens.ts";

export const LEXER_RULES: LexerRules = {
  lineComments: ["#"],
  blockComments: ["=pod", "=head", "=over", "=item", "=begin", "=for", "=encoding"].map(
    open => [open, "\n=cut"] as const,
  ),
  marks:
    "->@* ->%* **= ||= &&= //= <=> ... <<= >>= => -> :: == != =~ !~ <= >= && || // .. ** ++ -- += -= *= /= .= %= |= &= ^= ~~ << >>",
  readSpecial,
};

const WORDS_BEFORE_VALUE = wordSet(
  "for foreach if elsif unless while until and or not xor return print push unshift join grep map split die warn x eq ne lt gt le ge cmp unlink system exec",
);

/** Where an operator cannot stand: `/` opens a pattern, `%` a hash, `<` a file. */
function isValuePlace(lexer: Lexer): boolean {
  const before = previousToken(lexer);
  if (before === undefined) return true;
  if (before.kind === "mark") return ![")", "]", "}"].includes(before.text);
  return before.kind === "name" && WORDS_BEFORE_VALUE.has(before.text);
}

function readSpecial(lexer: Lexer): SpecialToken | undefined {
  const { source } = lexer;
  const character = source.charAt(lexer.at);
  switch (character) {
    case "'":
    case '"':
    case "`":
      lexer.at += 1;
      return quoted(lexer, character === "`" ? "command" : "text", character, character, character !== "'");
    case "$":
    case "@":
      return readVariable(lexer);
    case "%":
    case "&":
      return isValuePlace(lexer) ? readSigil(lexer) : undefined;
    case "/":
      if (!isValuePlace(lexer)) return undefined;
      readPattern(lexer);
      return skipFlags(lexer);
    case "<":
      return isValuePlace(lexer) ? (readHeredoc(lexer, HEREDOC) ?? readAngle(lexer)) : undefined;
    default:
      return isLetter(character) ? readWord(lexer) : undefined;
  }
}

function skipFlags(lexer: Lexer): SpecialToken {
  while (isLetter(lexer.source.charAt(lexer.at))) lexer.at += 1;
  return PATTERN;
}

function quoted(
  lexer: Lexer,
  kind: "text" | "command" | "words",
  open: string,
  close: string,
  isInterpolated: boolean,
): SpecialToken {
  const pieces = readQuoted(lexer, {
    open,
    close,
    escapes: isInterpolated ? C_ESCAPES : QUOTE_ESCAPES,
    interpolate: isInterpolated ? readEmbedded : undefined,
  });
  return { kind, text: "", pieces };
}

/** `$x`, `$x->{a}`, `@{[ code ]}` inside a text. */
function readEmbedded(lexer: Lexer): TokenPiece | undefined {
  const { source, at } = lexer;
  if (source.startsWith("@{[", at)) {
    lexer.at += 2;
    return readInterpolation(lexer, "}") ?? "@{";
  }
  const character = source.charAt(at);
  return character === "$" || character === "@" ? readBareVariable(lexer) : undefined;
}

/** `$x` and `@x` are one name, `$x`; `@x` keeps its mark in front. `@_` is the list of arguments. */
function readVariable(lexer: Lexer): SpecialToken | undefined {
  const { source } = lexer;
  const sigil = source.charAt(lexer.at);
  const next = source.charAt(lexer.at + 1);
  if (next === "{" || next === "$") {
    lexer.at += 1;
    return { kind: "mark", text: sigil, pieces: [] };
  }
  if (sigil === "$" && next === "#") {
    lexer.at += 2;
    return { kind: "number", text: "0", pieces: [] };
  }
  if (source.startsWith("@_", lexer.at) && !isWordAt(source, lexer.at + 2)) {
    lexer.at += 2;
    return { kind: "name", text: "@_", pieces: [] };
  }
  if (source.startsWith("$_[", lexer.at)) {
    lexer.at += 2;
    return { kind: "name", text: "@_", pieces: [] };
  }
  if (sigil === "@") {
    if (!isLetter(next)) return undefined;
    lexer.at += 1;
    return { kind: "mark", text: "@", pieces: [] };
  }
  return { kind: "name", text: `$${readVariableName(lexer)}`, pieces: [] };
}

function isWordAt(source: string, at: number): boolean {
  return isLetter(source.charAt(at)) || isDigit(source.charAt(at));
}

function readVariableName(lexer: Lexer): string {
  const { source } = lexer;
  const start = lexer.at + 1;
  lexer.at = start;
  while (
    isWordAt(source, lexer.at) ||
    (source.startsWith("::", lexer.at) && isWordAt(source, lexer.at + 2))
  ) {
    lexer.at += source.startsWith("::", lexer.at) ? 2 : 1;
  }
  // `$!`, `$@`, `$0`: punctuation is a name too.
  if (lexer.at === start && lexer.at < source.length) lexer.at += 1;
  return source.slice(start, lexer.at);
}

function readSigil(lexer: Lexer): SpecialToken | undefined {
  const { source } = lexer;
  const next = source.charAt(lexer.at + 1);
  if (!isLetter(next)) return undefined;
  if (source.charAt(lexer.at) === "%")
    return { kind: "name", text: `$${readVariableName(lexer)}`, pieces: [] };
  lexer.at += 1;
  return { kind: "mark", text: "&", pieces: [] };
}

/** The name behind `@` is a variable's. */
function isAfterSigil(lexer: Lexer): boolean {
  const before = previousToken(lexer);
  return before?.kind === "mark" && before.text === "@" && before.end === lexer.at;
}

const QUOTE_WORD = /^(q|qq|qw|qx|qr|m|s|tr|y)(\s*)([^\w\s,;)])/;

function readWord(lexer: Lexer): SpecialToken {
  const { source } = lexer;
  if (isAfterSigil(lexer)) {
    lexer.at -= 1;
    return { kind: "name", text: `$${readVariableName(lexer)}`, pieces: [] };
  }
  const literal = readQuoteWord(lexer);
  if (literal !== undefined) return literal;
  const start = lexer.at;
  while (isWordAt(source, lexer.at)) lexer.at += 1;
  const word = source.slice(start, lexer.at);
  if (word === "__END__" || word === "__DATA__") lexer.at = source.length;
  return { kind: "name", text: word, pieces: [] };
}

function readQuoteWord(lexer: Lexer): SpecialToken | undefined {
  const { source } = lexer;
  if (!"qmsty".includes(source.charAt(lexer.at))) return undefined;
  const match = QUOTE_WORD.exec(source.slice(lexer.at, lexer.at + 8));
  const before = previousToken(lexer);
  const isKey =
    before?.kind === "mark" && (before.text === "->" || (before.text === "-" && before.end === lexer.at));
  if (match === null || isKey) return undefined;
  const [whole, word, space, open] = match;
  if (open === undefined || (open === "=" && /^=[>=~]/.test(source.slice(lexer.at + whole.length - 1))))
    return undefined;
  if (open === "}" || (open === "=" && space !== "") || (open === "#" && space !== "")) return undefined;
  lexer.at += whole.length;
  const close = closingDelimiter(open);
  switch (word) {
    case "q":
      return quoted(lexer, "text", open, close, false);
    case "qq":
      return quoted(lexer, "text", open, close, true);
    case "qw":
      return quoted(lexer, "words", open, close, false);
    case "qx":
      return quoted(lexer, "command", open, close, open !== "'");
    case "m":
    case "qr":
      readQuoted(lexer, { open, close, escapes: undefined });
      return skipFlags(lexer);
    default:
      return readSubstitution(lexer, open, close);
  }
}

/** `s/a/b/`; with the flag `e` the second half is code. */
function readSubstitution(lexer: Lexer, open: string, close: string): SpecialToken {
  readQuoted(lexer, { open, close, escapes: undefined });
  let second = open;
  if (open !== close) {
    while (/\s/.test(lexer.source.charAt(lexer.at))) lexer.at += 1;
    second = lexer.source.charAt(lexer.at);
    lexer.at += 1;
  }
  const replacement = readQuoted(lexer, {
    open: second,
    close: closingDelimiter(second),
    escapes: undefined,
  });
  const flagsAt = lexer.at;
  skipFlags(lexer);
  if (!lexer.source.slice(flagsAt, lexer.at).includes("e")) return PATTERN;
  const code = replacement.filter(piece => typeof piece === "string").join("");
  const tokens = tokenise(code, LEXER_RULES, lexer.budget).filter(token => token.kind !== "end");
  return { kind: "text", text: "", pieces: [tokens] };
}

const HEREDOC: HeredocRules = {
  opening: /^<<(?<indent>~?)(?:(?<quote>["'`])(?<tag>[^"'`]+)\k<quote>|(?<bare>[A-Za-z_]\w*))/,
  escapes: C_ESCAPES,
  interpolate: readEmbedded,
};

/** `<STDIN>`, `<$file>`, `<*.c>` */
function readAngle(lexer: Lexer): SpecialToken | undefined {
  const match = /^<([^<>\n=;]*)>/.exec(lexer.source.slice(lexer.at, lexer.at + 120));
  if (match === null) return undefined;
  lexer.at += match[0].length;
  const inner = match[1] ?? "";
  if (/^\$\w+$/.test(inner)) return { kind: "name", text: inner, pieces: [] };
  if (/[*?/.~{]/.test(inner)) return { kind: "text", text: "glob", pieces: [inner] };
  return { kind: "name", text: "<>", pieces: [] };
}
