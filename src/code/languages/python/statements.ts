import { continueExpression, readExpression, readItemsUntil } from "../../syntax/expressions.ts";
import {
  createParser,
  isNext,
  nested,
  type Parser,
  peek,
  readMany,
  take,
  takeIf,
} from "../../syntax/parser.ts";
import { type ReadingBudget, step } from "../../syntax/reading-budget.ts";
import { type Token, tokenise } from "../../syntax/tokens.ts";
import {
  type Argument,
  callNode,
  conditional,
  NOTHING,
  type Node,
  nameNode,
  sequence,
  textNode,
} from "../../syntax/tree.ts";
import { wordMap } from "../../syntax/words.ts";
import { GRAMMAR, LEXER_RULES, PRECEDENCE, readParameters, readTarget } from "./syntax.ts";

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
