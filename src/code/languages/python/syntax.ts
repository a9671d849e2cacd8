import {
  continueExpression,
  createParser,
  DEFAULT_GRAMMAR,
  type Grammar,
  isNext,
  nested,
  type Parser,
  peek,
  piecesNode,
  readExpression,
  readItemsUntil,
  readMany,
  take,
  takeIf,
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
  return readInterpolation(lexer, "}") ?? "{";
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
  ...level(5, "other", "in not is < > <= >= == != <>"),
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
  if (peek(parser).kind === "text") return readAdjacentTexts(parser);
  return isNext(parser, "lambda") ? readLambda(parser) : undefined;
}

/** `"rm" " -rf"` is one text. */
function readAdjacentTexts(parser: Parser): Node {
  const pieces: (string | Node)[] = [];
  do {
    const node = piecesNode(parser, take(parser));
    if (node.kind === "text") pieces.push(...node.pieces);
  } while (peek(parser).kind === "text" && (parser.brackets > 0 || !peek(parser).startsLine));
  return { kind: "text", pieces };
}

function readLambda(parser: Parser): Node {
  parser.at += 1;
  const parameters = readParameters(parser, ":");
  takeIf(parser, ":");
  const value = readExpression(parser, PRECEDENCE.condition);
  return { kind: "function", definition: { name: undefined, parameters, body: [{ kind: "return", value }] } };
}

/** Parameters up to `close`, which stays. Annotations are read and forgotten. */
function readParameters(parser: Parser, close: ")" | ":"): Node[] {
  const parameters: Node[] = [];
  while (!isNext(parser, close) && peek(parser).kind !== "end" && parser.budget.left > 0) {
    const token = take(parser);
    if (token.kind !== "name") continue;
    const target = nameNode(token.text);
    if (close === ")" && takeIf(parser, ":")) readExpression(parser, PRECEDENCE.condition);
    parameters.push(
      takeIf(parser, "=")
        ? { kind: "assign", target, value: readExpression(parser, PRECEDENCE.condition) }
        : target,
    );
  }
  return parameters;
}

function readArgumentName(parser: Parser): string | undefined {
  const token = peek(parser);
  if (token.kind !== "name" || !isNext(parser, "=", 1)) return undefined;
  parser.at += 2;
  return token.text;
}

function readComprehension(parser: Parser, item: Node): Node {
  if (isNext(parser, "async") && isNext(parser, "for", 1)) parser.at += 1;
  if (!takeIf(parser, "for")) return item;
  return nested(parser, () => {
    const target = readTarget(parser);
    const over = takeIf(parser, "in") ? readExpression(parser, PRECEDENCE.or) : NOTHING;
    const conditions: Node[] = [];
    while (takeIf(parser, "if")) conditions.push(readExpression(parser, PRECEDENCE.or));
    return { kind: "each", target, over, body: [...conditions, readComprehension(parser, item)] };
  });
}

/** Loop variables: a name, or several with commas. */
function readTarget(parser: Parser): Node {
  const first = readExpression(parser, PRECEDENCE.bitwise);
  if (!isNext(parser, ",")) return first;
  const items = [{ value: first }];
  while (takeIf(parser, ",") && !isNext(parser, "in")) {
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
    createParser(ASCII_ONLY.test(source) ? tokens : tokens.map(plainName), GRAMMAR, budget),
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
  const isOutside = (): boolean => peek(parser).startsLine && peek(parser).column < column;
  return readMany(parser, readStatement, isOutside);
}

function readStatement(parser: Parser): Node {
  if (takeIf(parser, ";") || takeIf(parser, "@")) return NOTHING;
  if (isNext(parser, "async") && peek(parser, 1).kind === "name") parser.at += 1;
  const token = peek(parser);
  // With parentheses `exec` is an ordinary call; assigned to, a keyword is an ordinary name.
  const isName = isNext(parser, "=", 1) || (token.text === "exec" && isNext(parser, "(", 1));
  const read = token.kind === "name" && !isName ? STATEMENTS.get(token.text) : undefined;
  if (read === undefined) return readSimple(parser);
  return nested(parser, () => {
    parser.at += 1;
    return read(parser, token.column);
  });
}

/** An expression, an assignment (also of several names, also annotated). */
function readSimple(parser: Parser): Node {
  let target = readTuple(parser);
  if (
    isNext(parser, ":") &&
    !peek(parser, 1).startsLine &&
    (target.kind === "name" || target.kind === "member")
  ) {
    parser.at += 1;
    const annotation = readExpression(parser, PRECEDENCE.condition);
    if (!isNext(parser, "=")) target = { kind: "other", parts: [target, annotation] };
  }
  if (!takeIf(parser, "=")) return continueExpression(parser, target, 0);
  return { kind: "assign", target, value: nested(parser, () => readSimple(parser)) };
}

/** `a, b` without parentheses is a list too. */
function readTuple(parser: Parser): Node {
  const first = readStarred(parser);
  const isAlone = !isNext(parser, ",") || peek(parser).startsLine;
  if (isAlone && first.isSpread !== true) return first.value;
  const items = [first];
  while (takeIf(parser, ",") && !peek(parser).startsLine && !isNext(parser, "=") && step(parser.budget)) {
    items.push(readStarred(parser));
  }
  return { kind: "list", items };
}

function readStarred(parser: Parser): Argument {
  const isSpread = takeIf(parser, "*");
  return { value: readExpression(parser, PRECEDENCE.condition), isSpread };
}

function readSuite(parser: Parser, column: number): Node[] {
  if (!takeIf(parser, ":")) return [];
  const token = peek(parser);
  if (token.startsLine) return token.column > column ? readStatements(parser, token.column) : [];
  return readMany(parser, readStatement, () => peek(parser).startsLine);
}

function readConditional(parser: Parser, column: number): Node {
  const header = isNext(parser, ":") ? NOTHING : readExpression(parser);
  const bound = takeIf(parser, "as") ? take(parser) : undefined;
  const caught: Node[] =
    bound === undefined ? [] : [{ kind: "assign", target: nameNode(bound.text), value: NOTHING }];
  return conditional(header, ...caught, ...readSuite(parser, column));
}

function readFor(parser: Parser, column: number): Node {
  const target = readTarget(parser);
  const over = takeIf(parser, "in") ? readTuple(parser) : NOTHING;
  return { kind: "each", target, over, body: readSuite(parser, column) };
}

function readWith(parser: Parser, column: number): Node {
  const body: Node[] = [];
  const isGrouped = isNext(parser, "(");
  // `with (open(a) as f, open(b) as g):` is rare but legal; the bracket is simply passed over.
  if (isGrouped && hasAsInBrackets(parser)) parser.at += 1;
  while (!isNext(parser, ":") && peek(parser).kind !== "end" && step(parser.budget)) {
    const before = parser.at;
    const value = readExpression(parser);
    body.push(takeIf(parser, "as") ? { kind: "assign", target: readTarget(parser), value } : value);
    if (!takeIf(parser, ",") && !takeIf(parser, ")") && parser.at === before) parser.at += 1;
  }
  return sequence(...body, ...readSuite(parser, column));
}

/** Looks a bounded way ahead. */
function hasAsInBrackets(parser: Parser): boolean {
  for (let ahead = 1; ahead < 64; ahead += 1) {
    if (isNext(parser, "as", ahead)) return true;
    if (isNext(parser, ":", ahead) || peek(parser, ahead).kind === "end") return false;
  }
  return false;
}

function readDefinition(parser: Parser, column: number): Node {
  const name = take(parser).text;
  takeIf(parser, "(");
  parser.brackets += 1;
  const parameters = readParameters(parser, ")");
  parser.brackets -= 1;
  takeIf(parser, ")");
  if (takeIf(parser, "->")) readExpression(parser, PRECEDENCE.condition);
  return { kind: "function", definition: { name, parameters, body: readSuite(parser, column) } };
}

/** A class is a record of its functions; whatever else stands in its body runs where it stands. */
function readClass(parser: Parser, column: number): Node {
  const name = take(parser).text;
  if (takeIf(parser, "(")) {
    readItemsUntil(parser, () => isNext(parser, ")") || peek(parser).kind === "end");
    takeIf(parser, ")");
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
  if (peek(parser).startsLine || isNext(parser, ";")) return { kind: "return", value: NOTHING };
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
    const alias = takeIf(parser, "as") ? take(parser).text : undefined;
    const bound = alias ?? path.split(".", 1)[0] ?? path;
    body.push(bindModule(bound, alias === undefined ? bound : path));
  } while (takeIf(parser, ","));
  return sequence(...body);
}

function readFromImport(parser: Parser): Node {
  const path = readModulePath(parser);
  const body: Node[] = [];
  if (!takeIf(parser, "import")) return NOTHING;
  const isGrouped = takeIf(parser, "(");
  while (step(parser.budget)) {
    const token = peek(parser);
    if (token.kind === "end" || (!isGrouped && token.startsLine)) break;
    if (token.text === "*") body.push(importEverything(path, token.start));
    if (token.kind !== "name" && token.text !== "*" && token.text !== ",") break;
    parser.at += 1;
    if (token.kind !== "name") continue;
    const alias = takeIf(parser, "as") ? take(parser).text : token.text;
    body.push(bindModule(alias, `${path}.${token.text}`));
  }
  if (isGrouped) takeIf(parser, ")");
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
  while (takeIf(parser, ".")) path = "";
  while (peek(parser).kind === "name" && !isNext(parser, "import")) {
    path += take(parser).text;
    if (!takeIf(parser, ".")) break;
    path += ".";
  }
  return path;
}
