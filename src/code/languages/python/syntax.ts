import {
  continueExpression,
  DEFAULT_GRAMMAR,
  type Grammar,
  Parser,
  piecesNode,
  readExpression,
  readItemsUntil,
} from "../../syntax/parser.ts";
import { type ReadingBudget, step } from "../../syntax/source.ts";
import {
  KEEPING_ESCAPES,
  type Lexer,
  type LexerRules,
  readInterpolation,
  readQuoted,
  type SpecialToken,
  type Token,
  type TokenPiece,
  tokenise,
} from "../../syntax/tokens.ts";
import {
  type Argument,
  augments,
  callNode,
  conditional,
  type InfixTable,
  level,
  NOTHING,
  type Node,
  nameNode,
  sequence,
  textNode,
  wordMap,
} from "../../syntax/tree.ts";

const LEXER_RULES: LexerRules = {
  lineComments: ["#"],
  marks: "**= //= >>= <<= ... -> := == != <= >= <> ** // << >> += -= *= /= %= &= |= ^= @=",
  hasBackslashContinuation: true,
  readSpecial: readString,
};

const STRING_START = /^([rbuft]{0,2})("""|'''|"|')/i;

function readString(lexer: Lexer): SpecialToken | undefined {
  if (!"\"'rRbBuUfFtT".includes(lexer.source.charAt(lexer.at))) return undefined;
  const match = STRING_START.exec(lexer.source.slice(lexer.at, lexer.at + 5));
  const quote = match?.[2];
  if (match === null || quote === undefined) return undefined;
  const prefix = (match[1] ?? "").toLowerCase();
  lexer.at += match[0].length;
  const pieces = readQuoted(lexer, {
    close: quote,
    escapes: prefix.includes("r") ? undefined : KEEPING_ESCAPES,
    endsAtLine: quote.length === 1,
    interpolate: prefix.includes("f") || prefix.includes("t") ? readReplacement : undefined,
  });
  return { kind: "text", text: "", pieces };
}

function readReplacement(lexer: Lexer): TokenPiece | undefined {
  const { source, at } = lexer;
  if (source.startsWith("{{", at) || source.startsWith("}}", at)) {
    lexer.at += 2;
    return source.charAt(at);
  }
  if (source.charAt(at) !== "{") return undefined;
  lexer.at += 1;
  return readInterpolation(lexer) ?? "{";
}

/** Loosest first. Names of levels that other readers of Python ask for. */
const PRECEDENCE = { assign: 1, condition: 2, or: 3, bitwise: 6 } as const;

const INFIX: InfixTable = new Map([
  ...level(PRECEDENCE.assign, "assign", "= :="),
  ...augments(PRECEDENCE.assign, "join", "+="),
  ...augments(PRECEDENCE.assign, "divide", "/="),
  ...augments(PRECEDENCE.assign, "format", "%="),
  ...augments(PRECEDENCE.assign, "number", "-= *= //= **= >>= <<="),
  ...augments(PRECEDENCE.assign, "other", "&= |= ^= @="),
  ...level(PRECEDENCE.condition, "python-if", "if"),
  ...level(PRECEDENCE.or, "choice", "or"),
  ...level(4, "both", "and"),
  ...level(5, "truth", "in not is < > <= >= == != <>"),
  ...level(PRECEDENCE.bitwise, "other", "| ^ & << >>"),
  ...level(10, "join", "+"),
  ...level(10, "number", "-"),
  ...level(11, "repeat", "*"),
  ...level(11, "divide", "/"),
  ...level(11, "format", "%"),
  ...level(11, "number", "//"),
  ...level(11, "other", "@"),
  ...level(12, "number", "**"),
]);

const GRAMMAR: Grammar = {
  ...DEFAULT_GRAMMAR,
  infix: INFIX,
  // `in` follows the infix `not`; `from` follows `yield`.
  prefixes: new Set(["await", "in", "yield", "from"]),
  negations: new Set(["-", "+", "~", "not"]),
  memberMarks: new Set(["."]),
  spreads: new Set(["*", "**"]),
  endsAtLine: true,
  allowsSpacedCall: true,
  parenthesesAreList: true,
  bracesAreRecord: true,
  readPrimary,
  readArgumentName,
  readItemSuffix: readComprehension,
};

function readPrimary(parser: Parser): Node | undefined {
  if (parser.peek().kind === "text") return readAdjacentTexts(parser);
  return parser.isNext("lambda") ? readLambda(parser) : undefined;
}

/** `"rm" " -rf"` is one text. */
function readAdjacentTexts(parser: Parser): Node {
  const pieces: (string | Node)[] = [];
  do {
    const node = piecesNode(parser, parser.take());
    if (node.kind === "text") pieces.push(...node.pieces);
  } while (parser.peek().kind === "text" && (parser.brackets > 0 || !parser.peek().startsLine));
  return { kind: "text", pieces };
}

function readLambda(parser: Parser): Node {
  parser.at += 1;
  const parameters = readParameters(parser, ":");
  parser.takeIf(":");
  const value = readExpression(parser, PRECEDENCE.condition);
  return { kind: "function", definition: { name: undefined, parameters, body: [{ kind: "return", value }] } };
}

/** Parameters up to `close`, which stays. Annotations are read and forgotten. */
function readParameters(parser: Parser, close: ")" | ":"): Node[] {
  const parameters: Node[] = [];
  while (!parser.isNext(close) && parser.peek().kind !== "end" && parser.budget.left > 0) {
    const token = parser.take();
    if (token.kind !== "name") continue;
    const target = nameNode(token.text);
    if (close === ")" && parser.takeIf(":")) readExpression(parser, PRECEDENCE.condition);
    parameters.push(
      parser.takeIf("=")
        ? { kind: "assign", target, value: readExpression(parser, PRECEDENCE.condition) }
        : target,
    );
  }
  return parameters;
}

function readArgumentName(parser: Parser): string | undefined {
  const token = parser.peek();
  if (token.kind !== "name" || !parser.isNext("=", 1)) return undefined;
  parser.at += 2;
  return token.text;
}

function readComprehension(parser: Parser, item: Node): Node {
  if (parser.isNext("async") && parser.isNext("for", 1)) parser.at += 1;
  if (!parser.takeIf("for")) return item;
  return parser.nested(() => {
    const target = readTarget(parser);
    const over = parser.takeIf("in") ? readExpression(parser, PRECEDENCE.or) : NOTHING;
    const conditions: Node[] = [];
    while (parser.takeIf("if")) conditions.push(readExpression(parser, PRECEDENCE.or));
    return { kind: "each", target, over, body: [...conditions, readComprehension(parser, item)] };
  });
}

/** Loop variables: a name, or several with commas. */
function readTarget(parser: Parser): Node {
  const first = readExpression(parser, PRECEDENCE.bitwise);
  if (!parser.isNext(",")) return first;
  const items = [{ value: first }];
  while (parser.takeIf(",") && !parser.isNext("in")) {
    items.push({ value: readExpression(parser, PRECEDENCE.bitwise) });
  }
  return { kind: "list", items };
}

type ReadStatement = (parser: Parser, column: number) => Node;

const STATEMENTS = wordMap<ReadStatement>([
  ["import", readImport],
  ["from", readFromImport],
  ["def", readDefinition],
  ["class", readClass],
  ["for", readFor],
  ["with", readWith],
  ["if elif while else try except finally", readConditional],
  ["return yield", readReturn],
  ["exec", readExecStatement],
]);

/** Cut Python into nodes. */
export function parsePython(source: string, budget: ReadingBudget): readonly Node[] {
  const tokens = tokenise(source, LEXER_RULES, budget);
  return readStatements(
    new Parser(ASCII_ONLY.test(source) ? tokens : tokens.map(plainName), GRAMMAR, budget),
    0,
  );
}

const ASCII_ONLY = /^[\x00-\x7f]*$/;

/** Python reads names in their compatible form: `𝘰𝘴` is `os`. */
function plainName(token: Token): Token {
  return token.kind === "name" ? { ...token, text: token.text.normalize("NFKC") } : token;
}

/** Statements indented by at least `column`. */
function readStatements(parser: Parser, column: number): Node[] {
  const isOutside = (): boolean => parser.peek().startsLine && parser.peek().column < column;
  return parser.readMany(readStatement, isOutside);
}

function readStatement(parser: Parser): Node {
  if (parser.takeIf(";") || parser.takeIf("@")) return NOTHING;
  if (parser.isNext("async") && parser.peek(1).kind === "name") parser.at += 1;
  const token = parser.peek();
  // With parentheses `exec` is an ordinary call; assigned to, a keyword is an ordinary name.
  const isName = parser.isNext("=", 1) || (token.text === "exec" && parser.isNext("(", 1));
  const read = token.kind === "name" && !isName ? STATEMENTS.get(token.text) : undefined;
  if (read === undefined) return readSimple(parser);
  return parser.nested(() => {
    parser.at += 1;
    return read(parser, token.column);
  });
}

/** An expression, an assignment (also of several names, also annotated). */
function readSimple(parser: Parser): Node {
  let target = readTuple(parser);
  if (
    parser.isNext(":") &&
    !parser.peek(1).startsLine &&
    (target.kind === "name" || target.kind === "member")
  ) {
    parser.at += 1;
    const annotation = readExpression(parser, PRECEDENCE.condition);
    if (!parser.isNext("=")) target = { kind: "other", parts: [target, annotation] };
  }
  if (!parser.takeIf("=")) return continueExpression(parser, target, 0);
  return { kind: "assign", target, value: parser.nested(() => readSimple(parser)) };
}

/** `a, b` without parentheses is a list too. */
function readTuple(parser: Parser): Node {
  const first = readStarred(parser);
  const isAlone = !parser.isNext(",") || parser.peek().startsLine;
  if (isAlone && first.isSpread !== true) return first.value;
  const items = [first];
  while (parser.takeIf(",") && !parser.peek().startsLine && !parser.isNext("=") && step(parser.budget)) {
    items.push(readStarred(parser));
  }
  return { kind: "list", items };
}

function readStarred(parser: Parser): Argument {
  const isSpread = parser.takeIf("*");
  return { value: readExpression(parser, PRECEDENCE.condition), isSpread };
}

function readSuite(parser: Parser, column: number): Node[] {
  if (!parser.takeIf(":")) return [];
  const token = parser.peek();
  if (token.startsLine) return token.column > column ? readStatements(parser, token.column) : [];
  return parser.readMany(readStatement, () => parser.peek().startsLine);
}

function readConditional(parser: Parser, column: number): Node {
  const header = parser.isNext(":") ? NOTHING : readExpression(parser);
  const bound = parser.takeIf("as") ? parser.take() : undefined;
  const caught: Node[] =
    bound === undefined ? [] : [{ kind: "assign", target: nameNode(bound.text), value: NOTHING }];
  return conditional(header, ...caught, ...readSuite(parser, column));
}

function readFor(parser: Parser, column: number): Node {
  const target = readTarget(parser);
  const over = parser.takeIf("in") ? readTuple(parser) : NOTHING;
  return { kind: "each", target, over, body: readSuite(parser, column) };
}

function readWith(parser: Parser, column: number): Node {
  const body: Node[] = [];
  const isGrouped = parser.isNext("(");
  // `with (open(a) as f, open(b) as g):` is rare but legal; the bracket is simply passed over.
  if (isGrouped && hasAsInBrackets(parser)) parser.at += 1;
  while (!parser.isNext(":") && parser.peek().kind !== "end" && step(parser.budget)) {
    const before = parser.at;
    const value = readExpression(parser);
    body.push(parser.takeIf("as") ? { kind: "assign", target: readTarget(parser), value } : value);
    if (!parser.takeIf(",") && !parser.takeIf(")") && parser.at === before) parser.at += 1;
  }
  return sequence(...body, ...readSuite(parser, column));
}

/** Looks a bounded way ahead. */
function hasAsInBrackets(parser: Parser): boolean {
  for (let ahead = 1; ahead < 64; ahead += 1) {
    if (parser.isNext("as", ahead)) return true;
    if (parser.isNext(":", ahead) || parser.peek(ahead).kind === "end") return false;
  }
  return false;
}

function readDefinition(parser: Parser, column: number): Node {
  const name = parser.take().text;
  parser.takeIf("(");
  parser.brackets += 1;
  const parameters = readParameters(parser, ")");
  parser.brackets -= 1;
  parser.takeIf(")");
  if (parser.takeIf("->")) readExpression(parser, PRECEDENCE.condition);
  return { kind: "function", definition: { name, parameters, body: readSuite(parser, column) } };
}

/** A class is a record of its functions; whatever else stands in its body runs where it stands. */
function readClass(parser: Parser, column: number): Node {
  const name = parser.take().text;
  if (parser.takeIf("(")) {
    readItemsUntil(parser, () => parser.isNext(")") || parser.peek().kind === "end");
    parser.takeIf(")");
  }
  const body = readSuite(parser, column);
  const functions = body.filter(node => node.kind === "function");
  const rest = body.filter(node => node.kind !== "function");
  const record: Node = {
    kind: "record",
    entries: functions.map(node => [textNode(node.definition.name ?? ""), node] as const),
  };
  const made: Node = { kind: "assign", target: nameNode(name), value: record };
  return sequence(...rest, made);
}

function readReturn(parser: Parser): Node {
  if (parser.peek().startsLine || parser.isNext(";")) return { kind: "return", value: NOTHING };
  return { kind: "return", value: readTuple(parser) };
}

/** Python 2's `exec "code"`. */
function readExecStatement(parser: Parser): Node {
  const at = parser.tokens[parser.at - 1]?.start ?? 0;
  return callNode("exec", [readExpression(parser)], at);
}

function readImport(parser: Parser): Node {
  const body: Node[] = [];
  do {
    const path = readModulePath(parser);
    const alias = parser.takeIf("as") ? parser.take().text : undefined;
    const bound = alias ?? path.split(".", 1)[0] ?? path;
    body.push(bindModule(bound, alias === undefined ? bound : path));
  } while (parser.takeIf(","));
  return sequence(...body);
}

function readFromImport(parser: Parser): Node {
  const path = readModulePath(parser);
  const body: Node[] = [];
  if (!parser.takeIf("import")) return NOTHING;
  const isGrouped = parser.takeIf("(");
  while (step(parser.budget)) {
    const token = parser.peek();
    if (token.kind === "end" || (!isGrouped && token.startsLine)) break;
    if (token.text === "*") body.push(importEverything(path, token.start));
    if (token.kind !== "name" && token.text !== "*" && token.text !== ",") break;
    parser.at += 1;
    if (token.kind !== "name") continue;
    const alias = parser.takeIf("as") ? parser.take().text : token.text;
    body.push(bindModule(alias, `${path}.${token.text}`));
  }
  if (isGrouped) parser.takeIf(")");
  return sequence(...body);
}

function importEverything(path: string, at: number): Node {
  return callNode("import *", [textNode(path)], at);
}

function bindModule(name: string, path: string): Node {
  return { kind: "assign", target: nameNode(name), value: { kind: "reference", path } };
}

function readModulePath(parser: Parser): string {
  let path = "";
  while (parser.takeIf(".")) path = "";
  while (parser.peek().kind === "name" && !parser.isNext("import")) {
    path += parser.take().text;
    if (!parser.takeIf(".")) break;
    path += ".";
  }
  return path;
}
