import { wordSet } from "../../../shell/index.ts";
import { C_ESCAPES, QUOTE_ESCAPES } from "../../syntax/escapes.ts";
import { DEFAULT_GRAMMAR, readItemsUntil } from "../../syntax/expressions.ts";
import { augments, type InfixTable, level } from "../../syntax/grammar.ts";
import { type HeredocRules, readHeredoc } from "../../syntax/heredoc.ts";
import { createParser, endsHere, type Grammar, isNext, type Parser, peek } from "../../syntax/parser.ts";
import type { ReadingBudget } from "../../syntax/reading-budget.ts";
import { closingDelimiter, PATTERN, readQuoted, readText } from "../../syntax/strings.ts";
import type { Lexer, LexerRules, SpecialToken, Token, TokenPiece } from "../../syntax/tokens.ts";
import { isDigit, isLetter, previousToken, readInterpolation, tokenise } from "../../syntax/tokens.ts";
import { callNode, type Node } from "../../syntax/tree.ts";
import { readBlockFunction, readKeyword, readStatements } from "./statements.ts";

const LEXER_RULES: LexerRules = {
  lineComments: ["#"],
  blockComments: [["=begin", "\n=end"]],
  marks: "**= ||= &&= <=> === ... <<= >>= => == != =~ !~ <= >= && || << >> ** += -= *= /= %= |= &. :: -> ..",
  nameCharacters: "@$",
  hasBackslashContinuation: true,
  readSpecial,
};

const WORDS_BEFORE_VALUE = wordSet(
  "if elsif unless while until and or not return puts print p when then do in raise system exec else rescue yield",
);

/** After a value a slash divides and a percent sign formats; elsewhere they open a literal. */
function isValuePlace(lexer: Lexer): boolean {
  const before = previousToken(lexer);
  if (before === undefined || lexer.startsLine) return true;
  if (before.kind === "mark") return ![")", "]", "}"].includes(before.text);
  if (before.kind !== "name") return false;
  if (WORDS_BEFORE_VALUE.has(before.text)) return true;
  const next = lexer.source.charAt(lexer.at + 1);
  return lexer.isSpaced && next !== " " && next !== "=" && isLetter(before.text.charAt(0));
}

function readSpecial(lexer: Lexer): SpecialToken | undefined {
  const { source } = lexer;
  const character = source.charAt(lexer.at);
  if (isLetter(character)) return readName(lexer);
  switch (character) {
    case "'":
    case '"':
    case "`":
      lexer.at += 1;
      return quoted(lexer, character === "`" ? "command" : "text", character, character);
    case ":":
      return readSymbol(lexer);
    case "?":
      return isValuePlace(lexer) ? readCharacter(lexer) : undefined;
    case "%":
      return isValuePlace(lexer) ? readPercent(lexer) : undefined;
    case "/":
      if (!isValuePlace(lexer)) return undefined;
      readText(lexer, {});
      return PATTERN;
    case "<":
      return readHeredoc(lexer, HEREDOC);
    default:
      return undefined;
  }
}

function readName(lexer: Lexer): SpecialToken {
  const { source } = lexer;
  const start = lexer.at;
  while (isLetter(source.charAt(lexer.at)) || isDigit(source.charAt(lexer.at))) lexer.at += 1;
  const suffix = source.charAt(lexer.at);
  const after = source.charAt(lexer.at + 1);
  if ((suffix === "?" || suffix === "!") && (after !== "=" || source.charAt(lexer.at + 2) === "="))
    lexer.at += 1;
  return { kind: "name", text: source.slice(start, lexer.at), pieces: [] };
}

function quoted(lexer: Lexer, kind: "text" | "command" | "words", open: string, close: string): SpecialToken {
  const isPlain = open === "'" || kind === "words";
  const pieces = readQuoted(lexer, {
    open,
    close,
    escapes: isPlain ? QUOTE_ESCAPES : C_ESCAPES,
    interpolate: isPlain ? undefined : readEmbedded,
  });
  return { kind, text: "", pieces };
}

function readEmbedded(lexer: Lexer): TokenPiece | undefined {
  if (!lexer.source.startsWith("#{", lexer.at)) return undefined;
  lexer.at += 2;
  return readInterpolation(lexer, "}") ?? "#{";
}

/** `?a` is the text "a". */
function readCharacter(lexer: Lexer): SpecialToken | undefined {
  const [character, after] = [lexer.source.charAt(lexer.at + 1), lexer.source.charAt(lexer.at + 2)];
  if (/^\s?$/.test(character) || isLetter(after) || isDigit(after)) return undefined;
  lexer.at += 2;
  return { kind: "text", text: "", pieces: [character] };
}

/** `:name`, `:"name"`; not the colon of `a ? b : c` or `a::b`. */
function readSymbol(lexer: Lexer): SpecialToken | undefined {
  const { source, at } = lexer;
  const next = source.charAt(at + 1);
  if (source.charAt(at - 1) === ":" || next === ":") return undefined;
  if (next === '"') {
    lexer.at += 2;
    return quoted(lexer, "text", '"', '"');
  }
  if (!isLetter(next)) return undefined;
  lexer.at += 1;
  return { kind: "text", text: "", pieces: [readName(lexer).text] };
}

/** `%w[a b]`, `%x(cmd)`, `%q(…)`, `%(…)` */
function readPercent(lexer: Lexer): SpecialToken | undefined {
  const letter = lexer.source.charAt(lexer.at + 1);
  const hasLetter = isLetter(letter);
  const open = lexer.source.charAt(lexer.at + (hasLetter ? 2 : 1));
  if (open === "" || /[\sA-Za-z0-9=]/.test(open) || (hasLetter && !"wWiIxqQrs".includes(letter)))
    return undefined;
  lexer.at += hasLetter ? 3 : 2;
  const close = closingDelimiter(open);
  if (letter === "x") return quoted(lexer, "command", open, close);
  if (/[wWiI]/.test(letter)) return quoted(lexer, "words", open, close);
  const token = quoted(lexer, "text", open, close);
  return letter === "r" ? PATTERN : token;
}

const HEREDOC: HeredocRules = {
  opening: /^<<(?<indent>[~-]?)(?:(?<quote>["'`])(?<tag>[^"'`]+)\k<quote>|(?<bare>[A-Z_][A-Za-z0-9_]*))/,
  escapes: C_ESCAPES,
  interpolate: readEmbedded,
};

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
  ...level(7, "other", "== != =~ !~ === <=> < > <= >= | ^ &"),
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

const GRAMMAR: Grammar = {
  ...DEFAULT_GRAMMAR,
  infix: INFIX,
  prefixes: new Set(["defined?", "yield"]),
  negations: new Set(["!", "not", "-", "+", "~"]),
  memberMarks: new Set([".", "&.", "::"]),
  spreads: new Set(["*", "**", "&"]),
  endsAtLine: true,
  parenthesesAreList: true,
  bracesAreRecord: true,
  readPrimary: readKeyword,
  readSuffix,
  finish,
  readArgumentName,
};

/** Cut Ruby into nodes. */
export function parseRuby(source: string, budget: ReadingBudget): readonly Node[] {
  return readStatements(createParser(tokenise(source, LEXER_RULES, budget), GRAMMAR, budget), new Set());
}

/** `key: value` */
function readArgumentName(parser: Parser): string | undefined {
  const token = peek(parser);
  if (!isNext(parser, ":", 1) || peek(parser, 1).isSpaced) return undefined;
  if (token.kind === "name") {
    parser.at += 2;
    return token.text;
  }
  const [only] = token.pieces;
  if (token.kind !== "text" || typeof only !== "string") return undefined;
  parser.at += 2;
  return only;
}

const KEYWORDS = wordSet(
  "if unless while until rescue and or not do then end in else elsif when ensure begin case def class module return",
);

/** Arguments without parentheses, and blocks. */
function readSuffix(parser: Parser, value: Node, start: number): Node | undefined {
  const token = peek(parser);
  const isBrace = isNext(parser, "{") && isCallable(value);
  const isDo = isNext(parser, "do") && !parser.isRestricted;
  if (isBrace || isDo) {
    const block = { value: readBlockFunction(parser) };
    if (value.kind === "call") return { ...value, arguments: [...value.arguments, block] };
    return { kind: "call", callee: value, arguments: [block], at: start };
  }
  if (value.kind !== "name" && value.kind !== "member") return undefined;
  if (!startsArgument(parser, token)) return undefined;
  if (value.kind === "name" && (KEYWORDS.has(value.name) || /^[@$]/.test(value.name))) return undefined;
  const { items } = readItemsUntil(parser, () => endsArguments(parser), ABOVE_WORDS);
  return { kind: "call", callee: value, arguments: items, at: start };
}

/** A method without arguments is called all the same; a constant is not. */
function finish(parser: Parser, value: Node, at: number): Node {
  if (value.kind !== "member" || /^[A-Z]/.test(value.name) || isNext(parser, "=")) return value;
  return callNode(value, [], at);
}

function isCallable(value: Node): boolean {
  return value.kind === "call" || value.kind === "member" || value.kind === "name";
}

function startsArgument(parser: Parser, token: Token): boolean {
  if (!token.isSpaced) return false;
  if (token.kind === "name") return !KEYWORDS.has(token.text) && !GRAMMAR.infix.has(token.text);
  if (token.kind !== "mark") return token.kind !== "end";
  const isTight = !peek(parser, 1).isSpaced;
  return (["[", "*", "&", "->", "::", "-"].includes(token.text) && isTight) || token.text === "(";
}

function endsArguments(parser: Parser): boolean {
  const token = peek(parser);
  if (token.kind === "end") return true;
  const isAfterComma = parser.tokens[parser.at - 1]?.text === ",";
  if (endsHere(parser) && !isAfterComma) return true;
  if (token.kind === "name") return KEYWORDS.has(token.text);
  return token.kind === "mark" && [";", ")", "]", "}", "{", "?", ":"].includes(token.text);
}
