import { wordSet } from "../../../shell/index.ts";
import {
  DEFAULT_GRAMMAR,
  type Grammar,
  Parser,
  readExpression,
  readItems,
  readItemsUntil,
} from "../../syntax/parser.ts";
import { type ReadingBudget, step } from "../../syntax/source.ts";
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
  readHeredoc,
  readInterpolation,
  readQuoted,
  readText,
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
  return readInterpolation(lexer) ?? "#{";
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
  ...level(7, "other", "| ^ &"),
  ...level(7, "truth", "== != =~ !~ === <=> < > <= >="),
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
  return readStatements(new Parser(tokenise(source, LEXER_RULES, budget), GRAMMAR, budget), new Set());
}

/** `key: value` */
function readArgumentName(parser: Parser): string | undefined {
  const token = parser.peek();
  if (!parser.isNext(":", 1) || parser.peek(1).isSpaced) return undefined;
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
  const token = parser.peek();
  const isBrace = parser.isNext("{") && isCallable(value);
  const isDo = parser.isNext("do") && !parser.isRestricted;
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
  if (value.kind !== "member" || /^[A-Z]/.test(value.name) || parser.isNext("=")) return value;
  return callNode(value, [], at);
}

function isCallable(value: Node): boolean {
  return value.kind === "call" || value.kind === "member" || value.kind === "name";
}

function startsArgument(parser: Parser, token: Token): boolean {
  if (!token.isSpaced) return false;
  if (token.kind === "name") return !KEYWORDS.has(token.text) && !GRAMMAR.infix.has(token.text);
  if (token.kind !== "mark") return token.kind !== "end";
  const isTight = !parser.peek(1).isSpaced;
  return (["[", "*", "&", "->", "::", "-"].includes(token.text) && isTight) || token.text === "(";
}

function endsArguments(parser: Parser): boolean {
  const token = parser.peek();
  if (token.kind === "end") return true;
  const isAfterComma = parser.tokens[parser.at - 1]?.text === ",";
  if (parser.endsHere() && !isAfterComma) return true;
  if (token.kind === "name") return KEYWORDS.has(token.text);
  return token.kind === "mark" && [";", ")", "]", "}", "{", "?", ":"].includes(token.text);
}

const ENDS: ReadonlySet<string> = new Set(["end"]);
const PARTS: ReadonlySet<string> = new Set(["end", "else", "elsif", "when", "in", "rescue", "ensure"]);
const BRACE: ReadonlySet<string> = new Set(["}"]);

function readStatements(parser: Parser, stops: ReadonlySet<string>): Node[] {
  const isStop = (): boolean => {
    const { kind, text } = parser.peek();
    return (kind === "name" || kind === "mark") && stops.has(text);
  };
  return parser.readMany(readStatement, isStop);
}

/** An expression with its modifiers: `rm x if y`. */
function readStatement(parser: Parser): Node {
  if (parser.takeIf(";")) return NOTHING;
  let node = readMultiple(parser);
  while (!parser.peek().startsLine && isModifier(parser) && step(parser.budget)) {
    parser.at += 1;
    node = conditional(readExpression(parser), node);
  }
  return node;
}

function isModifier(parser: Parser): boolean {
  return ["if", "unless", "while", "until", "rescue"].some(word => parser.isNext(word));
}

/** `a, b = c, d` */
function readMultiple(parser: Parser): Node {
  const first = readExpression(parser);
  if (!parser.isNext(",") || first.kind !== "name") return first;
  const items = [{ value: first as Node }];
  while (parser.takeIf(",") && step(parser.budget)) {
    const next = readExpression(parser);
    if (next.kind !== "assign") {
      items.push({ value: next });
      continue;
    }
    items.push({ value: next.target });
    return { kind: "assign", target: { kind: "list", items }, value: next.value };
  }
  return { kind: "list", items };
}

type ReadKeyword = (parser: Parser) => Node;

const KEYWORD_READERS = wordMap<ReadKeyword>([
  ["if unless case begin", readBranches],
  ["while until", readLoop],
  ["for", readFor],
  ["def", readDefinition],
  ["class module", readContainer],
  ["return", readReturn],
  ["->", readLambda],
]);

/** Everything that starts with a keyword is a value in Ruby. */
function readKeyword(parser: Parser): Node | undefined {
  const token = parser.peek();
  if (token.kind !== "name" && token.kind !== "mark") return undefined;
  const read = KEYWORD_READERS.get(token.text);
  if (read === undefined || parser.isNext(":", 1)) return undefined;
  return parser.nested(() => {
    parser.at += 1;
    return parser.outsideBrackets(() => read(parser));
  });
}

/** if, case and begin with all their parts; any of them may run. */
function readBranches(parser: Parser): Node {
  const parts: Node[] = [];
  do {
    const isHeadless = parser.peek().startsLine || parser.isNext(";");
    const head = isHeadless
      ? []
      : readItemsUntil(
          parser,
          () =>
            parser.peek().startsLine ||
            parser.isNext(";") ||
            parser.isNext("then") ||
            parser.peek().kind === "end",
        ).items.map(item => item.value);
    parser.takeIf("then");
    parts.push(conditional(...head, ...readStatements(parser, PARTS)));
  } while (!parser.isNext("end") && parser.take().kind !== "end" && step(parser.budget));
  parser.takeIf("end");
  return { kind: "choice", options: parts };
}

function readHead(parser: Parser): Node {
  const outer = parser.isRestricted;
  parser.isRestricted = true;
  const head = readExpression(parser);
  parser.isRestricted = outer;
  parser.takeIf("do");
  return head;
}

function readLoop(parser: Parser): Node {
  const head = readHead(parser);
  const body = readStatements(parser, ENDS);
  parser.takeIf("end");
  return conditional(head, ...body);
}

function readFor(parser: Parser): Node {
  const names: Node[] = [];
  while (!parser.isNext("in") && parser.peek().kind !== "end" && !parser.peek().startsLine) {
    const token = parser.take();
    if (token.kind === "name") names.push(nameNode(token.text));
  }
  parser.takeIf("in");
  const over = readHead(parser);
  const body = readStatements(parser, ENDS);
  parser.takeIf("end");
  const [only] = names;
  const target: Node =
    names.length === 1 && only !== undefined
      ? only
      : { kind: "list", items: names.map(value => ({ value })) };
  return { kind: "each", target, over, body };
}

function readDefinition(parser: Parser): Node {
  let name = parser.take().text;
  while (parser.takeIf(".")) name = parser.take().text;
  const parameters = parser.isNext("(")
    ? readItems(parser, ")").items
    : readItemsUntil(parser, () => parser.peek().startsLine || parser.isNext(";") || parser.isNext("="))
        .items;
  const targets = parameters.map(
    ({ value, name: keyword }): Node =>
      keyword === undefined ? value : { kind: "assign", target: nameNode(keyword), value },
  );
  const isOneLine = parser.takeIf("=");
  const body = isOneLine ? [readExpression(parser)] : readBody(parser);
  return { kind: "function", definition: { name, parameters: targets, body } };
}

/** Statements up to `end`, with rescue and ensure parts. */
function readBody(parser: Parser): Node[] {
  const body: Node[] = [];
  do body.push(...readStatements(parser, PARTS));
  while (!parser.isNext("end") && parser.take().kind !== "end" && step(parser.budget));
  parser.takeIf("end");
  return body;
}

/** The methods of a class or module become plain functions. */
function readContainer(parser: Parser): Node {
  while (!parser.peek().startsLine && !parser.isNext(";") && parser.peek().kind !== "end") parser.at += 1;
  return sequence(...readBody(parser));
}

function readReturn(parser: Parser): Node {
  const isEmpty = parser.peek().startsLine || parser.isNext(";") || parser.isNext("}") || isModifier(parser);
  return { kind: "return", value: isEmpty ? NOTHING : readExpression(parser) };
}

function readLambda(parser: Parser): Node {
  const parameters = parser.isNext("(") ? readItems(parser, ")").items.map(item => item.value) : [];
  return readBlockBody(parser, parameters);
}

/** `{ |x| … }` or `do |x| … end` */
function readBlockFunction(parser: Parser): Node {
  return parser.nested(() => readBlockBody(parser, undefined));
}

function readBlockBody(parser: Parser, given: readonly Node[] | undefined): Node {
  const isBrace = parser.takeIf("{");
  if (!isBrace) parser.takeIf("do");
  return parser.outsideBrackets(() => {
    const outer = parser.isRestricted;
    parser.isRestricted = false;
    const parameters = given ?? readBlockParameters(parser);
    const from = parser.at;
    const body = isBrace ? readStatements(parser, BRACE) : readBody(parser);
    if (isBrace) parser.takeIf("}");
    parser.isRestricted = outer;
    // `it` and `_1` name the only parameter that was not named.
    const isNumbered = parser.tokens
      .slice(from, parser.at)
      .some(({ kind, text }) => kind === "name" && text === "_1");
    const implicit = parameters.length === 0 ? [nameNode(isNumbered ? "_1" : "it")] : parameters;
    return { kind: "function", definition: { name: undefined, parameters: implicit, body } };
  });
}

/** `|a, b|` of a block. */
function readBlockParameters(parser: Parser): Node[] {
  if (!parser.takeIf("|")) return [];
  const parameters: Node[] = [];
  while (!parser.isNext("|") && parser.peek().kind !== "end" && !parser.peek().startsLine) {
    if (parser.isNext("(")) {
      parameters.push({ kind: "list", items: readItems(parser, ")").items });
      continue;
    }
    const token = parser.peek();
    parser.at += 1;
    if (token.kind === "name") parameters.push({ kind: "name", name: token.text });
  }
  parser.takeIf("|");
  return parameters;
}
