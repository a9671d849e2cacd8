import { C_ESCAPES, QUOTE_ESCAPES } from "../syntax/escapes.ts";
import { readHeredocLater } from "../syntax/heredoc.ts";
import { closingDelimiter, readBareVariable, readQuoted } from "../syntax/strings.ts";
import type { Lexicon, Scan, SpecialToken, TokenPiece } from "../syntax/tokens.ts";
import { isDigit, isLetter, lineEnd, previousToken, readInterpolation, tokenise } from "../syntax/tokens.ts";

export const LEXICON: Lexicon = {
  lineComments: ["#"],
  blockComments: ["=pod", "=head", "=over", "=item", "=begin", "=for", "=encoding"].map(
    open => [open, "\n=cut"] as const,
  ),
  marks: [
    "->@*",
    "->%*",
    "**=",
    "||=",
    "&&=",
    "//=",
    "<=>",
    "...",
    "<<=",
    ">>=",
    "=>",
    "->",
    "::",
    "==",
    "!=",
    "=~",
    "!~",
  ].concat([
    "<=",
    ">=",
    "&&",
    "||",
    "//",
    "..",
    "**",
    "++",
    "--",
    "+=",
    "-=",
    "*=",
    "/=",
    ".=",
    "%=",
    "|=",
    "&=",
    "^=",
    "~~",
    "<<",
    ">>",
  ]),
  nameCharacters: "",
  hasBackslashContinuation: false,
  readSpecial,
};

const WORDS_BEFORE_VALUE = new Set(
  "if elsif unless while until and or not xor return print push unshift join grep map split die warn x eq ne lt gt le ge cmp unlink system exec".split(
    " ",
  ),
);

/** Where an operator cannot stand: `/` opens a pattern, `%` a hash, `<` a file. */
function isValuePlace(scan: Scan): boolean {
  const before = previousToken(scan);
  if (before === undefined) return true;
  if (before.kind === "mark") return ![")", "]", "}"].includes(before.text);
  return before.kind === "name" && WORDS_BEFORE_VALUE.has(before.text);
}

function readSpecial(scan: Scan): SpecialToken | undefined {
  const { source } = scan;
  const character = source.charAt(scan.at);
  switch (character) {
    case "'":
    case '"':
    case "`":
      scan.at += 1;
      return quoted(scan, character === "`" ? "command" : "text", character, character, character !== "'");
    case "$":
    case "@":
      return readVariable(scan);
    case "%":
    case "&":
      return isValuePlace(scan) ? readSigil(scan) : undefined;
    case "/":
      if (!isValuePlace(scan)) return undefined;
      scan.at += 1;
      readQuoted(scan, { close: "/", escapes: undefined, endsAtLine: true });
      return skipFlags(scan);
    case "<":
      return isValuePlace(scan) ? (readHeredoc(scan) ?? readAngle(scan)) : undefined;
    default:
      return isLetter(character) ? readWord(scan) : undefined;
  }
}

function skipFlags(scan: Scan): SpecialToken {
  while (isLetter(scan.source.charAt(scan.at))) scan.at += 1;
  return { kind: "regexp", text: "", pieces: [] };
}

function quoted(
  scan: Scan,
  kind: "text" | "command" | "words",
  open: string,
  close: string,
  isInterpolated: boolean,
): SpecialToken {
  const pieces = readQuoted(scan, {
    open,
    close,
    escapes: isInterpolated ? C_ESCAPES : QUOTE_ESCAPES,
    interpolate: isInterpolated ? readEmbedded : undefined,
  });
  return { kind, text: "", pieces };
}

/** `$x`, `$x->{a}`, `@{[ code ]}` inside a text. */
function readEmbedded(scan: Scan): TokenPiece | undefined {
  const { source, at } = scan;
  if (source.startsWith("@{[", at)) {
    scan.at += 2;
    return readInterpolation(scan, "}") ?? "@{";
  }
  const character = source.charAt(at);
  return character === "$" || character === "@" ? readBareVariable(scan) : undefined;
}

/** `$x` and `@x` are one name, `$x`; `@x` keeps its mark in front. `@_` is the list of arguments. */
function readVariable(scan: Scan): SpecialToken | undefined {
  const { source } = scan;
  const sigil = source.charAt(scan.at);
  const next = source.charAt(scan.at + 1);
  if (next === "{" || next === "$") {
    scan.at += 1;
    return { kind: "mark", text: sigil, pieces: [] };
  }
  if (sigil === "$" && next === "#") {
    scan.at += 2;
    return { kind: "number", text: "0", pieces: [] };
  }
  if (source.startsWith("@_", scan.at) && !isWordAt(source, scan.at + 2)) {
    scan.at += 2;
    return { kind: "name", text: "@_", pieces: [] };
  }
  if (source.startsWith("$_[", scan.at)) {
    scan.at += 2;
    return { kind: "name", text: "@_", pieces: [] };
  }
  if (sigil === "@") {
    if (!isLetter(next)) return undefined;
    scan.at += 1;
    return { kind: "mark", text: "@", pieces: [] };
  }
  return { kind: "name", text: `$${readVariableName(scan)}`, pieces: [] };
}

function isWordAt(source: string, at: number): boolean {
  return isLetter(source.charAt(at)) || isDigit(source.charAt(at));
}

function readVariableName(scan: Scan): string {
  const { source } = scan;
  const start = scan.at + 1;
  scan.at = start;
  while (isWordAt(source, scan.at) || (source.startsWith("::", scan.at) && isWordAt(source, scan.at + 2))) {
    scan.at += source.startsWith("::", scan.at) ? 2 : 1;
  }
  // `$!`, `$@`, `$0`: punctuation is a name too.
  if (scan.at === start && scan.at < source.length) scan.at += 1;
  return source.slice(start, scan.at);
}

function readSigil(scan: Scan): SpecialToken | undefined {
  const { source } = scan;
  const next = source.charAt(scan.at + 1);
  if (!isLetter(next)) return undefined;
  if (source.charAt(scan.at) === "%") return { kind: "name", text: `$${readVariableName(scan)}`, pieces: [] };
  scan.at += 1;
  return { kind: "mark", text: "&", pieces: [] };
}

/** The name behind `@` is a variable's. */
function isAfterSigil(scan: Scan): boolean {
  const before = previousToken(scan);
  return before?.kind === "mark" && before.text === "@" && before.end === scan.at;
}

const QUOTE_WORD = /^(q|qq|qw|qx|qr|m|s|tr|y)(\s*)([^\w\s,;)])/;

function readWord(scan: Scan): SpecialToken {
  const { source } = scan;
  if (isAfterSigil(scan)) {
    scan.at -= 1;
    return { kind: "name", text: `$${readVariableName(scan)}`, pieces: [] };
  }
  const literal = readQuoteWord(scan);
  if (literal !== undefined) return literal;
  const start = scan.at;
  while (isWordAt(source, scan.at)) scan.at += 1;
  const word = source.slice(start, scan.at);
  if (word === "__END__" || word === "__DATA__") scan.at = source.length;
  return { kind: "name", text: word, pieces: [] };
}

function readQuoteWord(scan: Scan): SpecialToken | undefined {
  const { source } = scan;
  if (!"qmsty".includes(source.charAt(scan.at))) return undefined;
  const match = QUOTE_WORD.exec(source.slice(scan.at, scan.at + 8));
  const before = previousToken(scan);
  const isKey =
    before?.kind === "mark" && (before.text === "->" || (before.text === "-" && before.end === scan.at));
  if (match === null || isKey) return undefined;
  const [whole, word, space, open] = match;
  if (open === undefined || (open === "=" && /^=[>=~]/.test(source.slice(scan.at + whole.length - 1))))
    return undefined;
  if (open === "}" || (open === "=" && space !== "") || (open === "#" && space !== "")) return undefined;
  scan.at += whole.length;
  const close = closingDelimiter(open);
  switch (word) {
    case "q":
      return quoted(scan, "text", open, close, false);
    case "qq":
      return quoted(scan, "text", open, close, true);
    case "qw":
      return quoted(scan, "words", open, close, false);
    case "qx":
      return quoted(scan, "command", open, close, open !== "'");
    case "m":
    case "qr":
      readQuoted(scan, { open, close, escapes: undefined });
      return skipFlags(scan);
    default:
      return readSubstitution(scan, open, close);
  }
}

/** `s/a/b/`; with the flag `e` the second half is code. */
function readSubstitution(scan: Scan, open: string, close: string): SpecialToken {
  readQuoted(scan, { open, close, escapes: undefined });
  let second = open;
  if (open !== close) {
    while (/\s/.test(scan.source.charAt(scan.at))) scan.at += 1;
    second = scan.source.charAt(scan.at);
    scan.at += 1;
  }
  const replacement = readQuoted(scan, { open: second, close: closingDelimiter(second), escapes: undefined });
  const flagsAt = scan.at;
  skipFlags(scan);
  if (!scan.source.slice(flagsAt, scan.at).includes("e")) return { kind: "regexp", text: "", pieces: [] };
  const code = replacement.filter(piece => typeof piece === "string").join("");
  const tokens = tokenise(code, LEXICON, scan.effort).filter(token => token.kind !== "end");
  return { kind: "text", text: "", pieces: [tokens] };
}

function readHeredoc(scan: Scan): SpecialToken | undefined {
  const head = scan.source.slice(scan.at, Math.min(scan.at + 80, lineEnd(scan.source, scan.at)));
  const match = /^<<(~?)(?:(["'`])([^"'`]+)\2|([A-Za-z_]\w*))/.exec(head);
  if (match === null) return undefined;
  scan.at += match[0].length;
  const isRaw = match[2] === "'";
  const pieces = readHeredocLater(scan, {
    tag: match[3] ?? match[4] ?? "",
    isIndented: match[1] === "~",
    escapes: isRaw ? undefined : C_ESCAPES,
    interpolate: isRaw ? undefined : readEmbedded,
  });
  return { kind: match[2] === "`" ? "command" : "text", text: "", pieces };
}

/** `<STDIN>`, `<$file>`, `<*.c>` */
function readAngle(scan: Scan): SpecialToken | undefined {
  const match = /^<([^<>\n=;]*)>/.exec(scan.source.slice(scan.at, scan.at + 120));
  if (match === null) return undefined;
  scan.at += match[0].length;
  const inner = match[1] ?? "";
  if (/^\$\w+$/.test(inner)) return { kind: "name", text: inner, pieces: [] };
  if (/[*?/.~{]/.test(inner)) return { kind: "text", text: "glob", pieces: [inner] };
  return { kind: "name", text: "<>", pieces: [] };
}
