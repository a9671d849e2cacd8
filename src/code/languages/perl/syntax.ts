import { wordSet } from "../../../shell/index.ts";
import {
  parseStatements,
  readBlock,
  readBody,
  readConditional,
  readResult,
  readStatement,
  skipStatement,
} from "../../syntax/braces.ts";
import {
  DEFAULT_GRAMMAR,
  type Grammar,
  type Parser,
  readExpression,
  readItems,
  readItemsUntil,
} from "../../syntax/parser.ts";
import type { ReadingBudget } from "../../syntax/source.ts";
import {
  C_ESCAPES,
  closingDelimiter,
  type HeredocRules,
  isDigit,
  isLetter,
  type Lexer,
  type LexerRules,
  PATTERN,
  previousToken,
  QUOTE_ESCAPES,
  readBareVariable,
  readHeredoc,
  readInterpolation,
  readPattern,
  readQuoted,
  type SpecialToken,
  type Token,
  type TokenPiece,
  tokenise,
} from "../../syntax/tokens.ts";
import {
  augments,
  callNode,
  conditional,
  type InfixTable,
  level,
  NOTHING,
  type Node,
  nameNode,
  sequence,
  wordMap,
} from "../../syntax/tree.ts";

const INFIX: InfixTable = new Map([
  ...level(1, "choice", "or xor"),
  ...level(1, "both", "and"),
  ...level(3, "assign", "="),
  ...augments(3, "join", ".="),
  ...augments(3, "choice", "||= //= &&="),
  ...augments(3, "other", "+= -= *= /= %= x= **= |= &= ^= <<= >>="),
  ...level(4, "ternary", "?"),
  ...level(5, "other", ".. ..."),
  ...level(6, "choice", "|| //"),
  ...level(7, "both", "&&"),
  ...level(8, "other", "| ^ & ~~ =~ !~ << >>"),
  ...level(8, "truth", "== != eq ne cmp <=> < > <= >= lt gt le ge isa"),
  ...level(12, "join", "."),
  ...level(12, "other", "+ -"),
  ...level(13, "other", "* / %"),
  ...level(13, "repeat", "x"),
  ...level(14, "other", "**"),
]);

/** `f a or b` is `f(a) or b`. */
const ABOVE_WORDS = 2;

type ReadStatement = (parser: Parser) => Node;

const STATEMENTS = wordMap<ReadStatement>([
  ["sub", readNamedFunction],
  ["if unless elsif while until", readConditional],
  ["else BEGIN END INIT", readBody],
  ["for foreach", readFor],
  ["return", readResult],
  ["use no package", skipStatement],
]);

const GRAMMAR: Grammar = {
  ...DEFAULT_GRAMMAR,
  infix: INFIX,
  prefixes: new Set(["my", "our", "local", "state", "\\", "&", "new"]),
  negations: new Set(["!", "not", "-", "+", "~", "++", "--"]),
  memberMarks: new Set(["->", "::"]),
  spreads: new Set(["@"]),
  allowsSpacedCall: true,
  parenthesesAreList: true,
  bracesAreRecord: true,
  readPrimary,
  readSuffix,
  finish,
  statements: STATEMENTS,
  isStatement,
  readSimple,
};

/** Cut Perl into nodes. */
export function parsePerl(source: string, budget: ReadingBudget): readonly Node[] {
  return parseStatements(source, LEXER_RULES, GRAMMAR, budget);
}

function readPrimary(parser: Parser): Node | undefined {
  const token = parser.peek();
  if (token.kind === "mark" && (token.text === "@" || token.text === "%" || token.text === "$")) {
    parser.at += 1;
    return readDereference(parser, token.text);
  }
  if (token.kind !== "name")
    return token.kind === "text" && token.text === "glob" ? readGlob(parser) : undefined;
  if (token.text === "sub") {
    parser.at += 1;
    return readFunction(parser, undefined);
  }
  if ((token.text === "do" || token.text === "eval") && parser.isNext("{", 1)) {
    parser.at += 1;
    return sequence(...readBlock(parser));
  }
  if (token.text === "shift" || token.text === "pop") return readShift(parser);
  return PRINTERS.has(token.text) ? readPrint(parser) : undefined;
}

const PRINTERS = new Set(["print", "printf", "say"]);

/** `print F "text"`, `print {$f} "text"`, `print $f "text"`: a handle in front, and no comma behind it. */
function readPrint(parser: Parser): Node | undefined {
  const { text: word, start } = parser.peek();
  const isGrouped = parser.isNext("(", 1);
  const first = isGrouped ? 2 : 1;
  const isBraced = parser.isNext("{", first);
  const handle = parser.peek(isBraced ? first + 1 : first);
  const next = parser.peek(first + 1);
  const isHandle = isBraced
    ? handle.kind === "name" && parser.isNext("}", first + 2)
    : handle.kind === "name" && /^(?:\$\w+|[A-Z]\w*)$/.test(handle.text) && isPrinted(next);
  if (!isHandle) return undefined;
  parser.at += first + (isBraced ? 3 : 1);
  const { items } = readItemsUntil(parser, () => endsArguments(parser), ABOVE_WORDS);
  if (isGrouped) parser.takeIf(")");
  const to = { value: nameNode(handle.text) };
  return { kind: "call", callee: nameNode(`${word}>`), arguments: [to, ...items], at: start };
}

/** What can only be printed, never follow a value. */
function isPrinted(token: Token): boolean {
  return ["text", "command", "words"].includes(token.kind) || /^\$\w/.test(token.text);
}

/** `@x`, `@{$x}`, `@$x`: the items of a list; `${x}` the thing itself. */
function readDereference(parser: Parser, sigil: string): Node {
  const value = parser.isNext("{")
    ? (readItems(parser, "}").items[0]?.value ?? nameNode(""))
    : readPlainName(parser);
  const inner: Node = value.kind === "name" && !/^[$@]/.test(value.name) ? nameNode(`$${value.name}`) : value;
  return sigil === "@" ? { kind: "list", items: [{ value: inner, isSpread: true }] } : inner;
}

function readPlainName(parser: Parser): Node {
  const token = parser.peek();
  if (token.kind !== "name") return nameNode("");
  parser.at += 1;
  return nameNode(token.text);
}

/** `<*.c>` */
function readGlob(parser: Parser): Node {
  const token = parser.take();
  const pattern: Node = { kind: "text", pieces: token.pieces.filter(piece => typeof piece === "string") };
  return callNode("glob", [pattern], token.start);
}

/** `shift` alone takes from the arguments of the function. */
function readShift(parser: Parser): Node {
  const { text: name, start } = parser.take();
  const isCall = parser.takeIf("(");
  const isOther = parser.isNext("@");
  const list = isOther ? readExpression(parser, 12) : nameNode("@_");
  if (isCall) parser.takeIf(")");
  const object = list.kind === "list" ? (list.items[0]?.value ?? list) : list;
  return callNode({ kind: "member", object, name }, [], start);
}

const LOW_WORDS = wordSet("or and xor if unless while until for foreach not");

function isBareword(node: Node): node is Extract<Node, { kind: "name" }> {
  return node.kind === "name" && !/^[$@<]/.test(node.name);
}

/** Subscripts right behind a variable, and arguments without parentheses. */
function readSuffix(parser: Parser, value: Node, start: number): Node | undefined {
  const token = parser.peek();
  if (parser.takeIf("->@*") || parser.takeIf("->%*")) return value;
  if (parser.isNext("{") && !token.isSpaced && !isBareword(value)) {
    const key = readItems(parser, "}").items[0]?.value;
    const name = key?.kind === "name" && !/^[$@]/.test(key.name) ? key.name : undefined;
    const index: Node = name === undefined ? (key ?? nameNode("")) : { kind: "text", pieces: [name] };
    return { kind: "index", object: value, index };
  }
  if (!isBareword(value) && !isQualified(value)) return undefined;
  if (parser.isNext("=>") || !startsArgument(parser)) return undefined;
  if (value.kind === "name" && (LOW_WORDS.has(value.name) || INFIX.has(value.name))) return undefined;
  return { kind: "call", callee: value, arguments: readArguments(parser), at: start };
}

/** `File::Path::remove_tree`, but not `$object->method`. */
function isQualified(node: Node): boolean {
  let current = node;
  while (current.kind === "member") current = current.object;
  return node.kind === "member" && isBareword(current) && /^[A-Z]/.test(current.name);
}

/** `map { … } @list`: a block in front of the list is a function. */
function readArguments(parser: Parser): { value: Node; isSpread?: boolean }[] {
  const block = parser.isNext("{") ? [{ value: blockFunction(readBlock(parser)) }] : [];
  const { items } = readItemsUntil(parser, () => endsArguments(parser), ABOVE_WORDS);
  return [...block, ...items];
}

function blockFunction(body: readonly Node[]): Node {
  return { kind: "function", definition: { name: undefined, parameters: [nameNode("$_")], body } };
}

function startsArgument(parser: Parser): boolean {
  const token = parser.peek();
  if (token.kind === "name") return !LOW_WORDS.has(token.text) && !INFIX.has(token.text);
  if (token.kind !== "mark") return token.kind !== "end";
  if (["@", "$", "\\", "{"].includes(token.text)) return true;
  return ["%", "&", "-", "["].includes(token.text) && token.isSpaced && !parser.peek(1).isSpaced;
}

function endsArguments(parser: Parser): boolean {
  const token = parser.peek();
  if (token.kind === "end") return true;
  if (token.kind === "name") return LOW_WORDS.has(token.text);
  return token.kind === "mark" && [";", ")", "]", "}", ":", "?"].includes(token.text);
}

const ON_TOPIC = new Set(["unlink", "rmdir", "chdir", "eval", "glob", "require", "readlink"]);

/** Some functions without an argument work on `$_`; some names are calls anyway. */
function finish(parser: Parser, value: Node, at: number): Node {
  if (value.kind === "name" && ON_TOPIC.has(value.name) && !parser.isNext("=>")) {
    return callNode(value, [nameNode("$_")], at);
  }
  // `$object->method` without parentheses is a call.
  if (value.kind === "member" && !isQualified(value)) return callNode(value, [], at);
  return value;
}

function isStatement(parser: Parser): boolean {
  return !parser.isNext("=>", 1) && !(parser.peek().text === "sub" && parser.peek(1).kind !== "name");
}

/** A statement with its modifier: `unlink for @files`. */
function readSimple(parser: Parser): Node {
  const node = readExpression(parser);
  const word = parser.peek();
  if (word.kind !== "name") return node;
  if (word.text === "for" || word.text === "foreach") {
    parser.at += 1;
    return { kind: "each", target: nameNode("$_"), over: readExpression(parser), body: [node] };
  }
  if (!["if", "unless", "while", "until"].includes(word.text)) return node;
  parser.at += 1;
  return conditional(readExpression(parser), node);
}

/** What follows `sub` and its name: a signature, if there is one, and the body. */
function readFunction(parser: Parser, name: string | undefined): Node {
  const parameters = parser.isNext("(") ? readItems(parser, ")").items.map(item => item.value) : [];
  parser.skipTo("{", ";");
  const body = parser.isNext("{") ? readBlock(parser) : [];
  return { kind: "function", definition: { name, parameters, body } };
}

function readNamedFunction(parser: Parser): Node {
  return readFunction(parser, parser.take().text);
}

function readFor(parser: Parser): Node {
  parser.takeIf("my");
  parser.takeIf("our");
  const token = parser.peek();
  const target = token.kind === "name" ? nameNode(parser.take().text) : nameNode("$_");
  if (!parser.isNext("(")) return NOTHING;
  if (hasSemicolon(parser)) return readConditional(parser);
  const over: Node = { kind: "list", items: readItems(parser, ")").items };
  return { kind: "each", target, over, body: [readStatement(parser)] };
}

/** Looks only as far as the head of a counting loop can reach. */
function hasSemicolon(parser: Parser): boolean {
  const close = Math.min(parser.findCloser(parser.at), parser.at + 64);
  for (let at = parser.at; at < close; at += 1) if (parser.tokens[at]?.text === ";") return true;
  return false;
}

const LEXER_RULES: LexerRules = {
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
    return readInterpolation(lexer) ?? "@{";
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

const QUOTE_WORD = /^(q|qq|qw|qx|qqx|qr|m|s|tr|y)(\s*)([^\w\s,;)])/;

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
    case "qqx":
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
