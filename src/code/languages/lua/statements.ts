import { readExpression } from "../../syntax/expressions.ts";
import {
  isNext,
  nested,
  outsideBrackets,
  type Parser,
  peek,
  readMany,
  take,
  takeIf,
} from "../../syntax/parser.ts";
import { step } from "../../syntax/reading-budget.ts";
import { conditional, NOTHING, type Node, nameNode, sequence } from "../../syntax/tree.ts";
import { wordMap } from "../../syntax/words.ts";

const STOPS: ReadonlySet<string> = new Set(["end", "else", "elseif", "until"]);

/** Statements up to `end` and its kin, which stays; at top level a stray one is stepped over. */
export function readStatements(parser: Parser, isTop: boolean): Node[] {
  const isStop = (): boolean => !isTop && peek(parser).kind === "name" && STOPS.has(peek(parser).text);
  return readMany(parser, readStatement, isStop);
}

function readStatement(parser: Parser): Node {
  if (takeIf(parser, ";")) return NOTHING;
  const token = peek(parser);
  const read = token.kind === "name" ? STATEMENTS.get(token.text) : undefined;
  if (read === undefined) return readSimple(parser);
  return nested(parser, () => {
    parser.at += 1;
    return outsideBrackets(parser, () => read(parser));
  });
}

/** `a, b = c, d`: the first of each is enough to follow. */
function readSimple(parser: Parser): Node {
  const first = readExpression(parser);
  if (!isNext(parser, ",")) return first;
  const items = [{ value: first }];
  while (takeIf(parser, ",") && step(parser.budget)) items.push({ value: readExpression(parser) });
  return { kind: "other", parts: items.map(item => item.value) };
}

type ReadStatement = (parser: Parser) => Node;

const STATEMENTS = wordMap<ReadStatement>([
  ["local", readLocal],
  ["function", readNamedFunction],
  ["if", readIf],
  ["while", readLoop],
  ["for", readFor],
  ["do", readDo],
  ["repeat", readRepeat],
  ["return", readReturn],
]);

function readLocal(parser: Parser): Node {
  if (takeIf(parser, "function")) return readNamedFunction(parser);
  return readSimple(parser);
}

function readNamedFunction(parser: Parser): Node {
  let name = take(parser).text;
  while (takeIf(parser, ".") || takeIf(parser, ":")) name = take(parser).text;
  return readFunction(parser, name);
}

export function readFunction(parser: Parser, name: string | undefined): Node {
  const parameters: Node[] = [];
  takeIf(parser, "(");
  while (!isNext(parser, ")") && peek(parser).kind !== "end" && step(parser.budget)) {
    const token = take(parser);
    if (token.kind === "name") parameters.push(nameNode(token.text));
  }
  takeIf(parser, ")");
  const body = outsideBrackets(parser, () => readUntilEnd(parser));
  return { kind: "function", definition: { name, parameters, body } };
}

function readUntilEnd(parser: Parser): Node[] {
  let body: Node[] = [];
  nested(parser, () => {
    body = readStatements(parser, false);
    return NOTHING;
  });
  takeIf(parser, "end");
  return body;
}

function readIf(parser: Parser): Node {
  const parts: Node[] = [];
  do {
    const condition = isNext(parser, "then") ? NOTHING : readExpression(parser);
    takeIf(parser, "then");
    parts.push(conditional(condition, ...readStatements(parser, false)));
  } while (takeIf(parser, "elseif") && step(parser.budget));
  if (takeIf(parser, "else")) parts.push(conditional(...readStatements(parser, false)));
  takeIf(parser, "end");
  return sequence(...parts);
}

function readLoop(parser: Parser): Node {
  const condition = readExpression(parser);
  takeIf(parser, "do");
  return conditional(condition, ...readUntilEnd(parser));
}

function readDo(parser: Parser): Node {
  return sequence(...readUntilEnd(parser));
}

function readRepeat(parser: Parser): Node {
  const body = readStatements(parser, false);
  const condition = takeIf(parser, "until") ? readExpression(parser) : NOTHING;
  return conditional(...body, condition);
}

/** `for _, item in ipairs(list) do`: the last name is the item. */
function readFor(parser: Parser): Node {
  const names: string[] = [];
  while (
    !isNext(parser, "in") &&
    !isNext(parser, "=") &&
    peek(parser).kind !== "end" &&
    step(parser.budget)
  ) {
    const token = take(parser);
    if (token.kind === "name") names.push(token.text);
  }
  parser.at += 1;
  const over = readExpression(parser);
  while (takeIf(parser, ",") && step(parser.budget)) readExpression(parser);
  takeIf(parser, "do");
  return { kind: "each", target: nameNode(names.at(-1) ?? "_"), over, body: readUntilEnd(parser) };
}

function readReturn(parser: Parser): Node {
  const isEmpty = isNext(parser, "end") || isNext(parser, ";") || peek(parser).kind === "end";
  return { kind: "return", value: isEmpty ? NOTHING : readSimple(parser) };
}
