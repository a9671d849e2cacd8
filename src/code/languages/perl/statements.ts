import {
  readBlock,
  readBody,
  readConditional,
  readResult,
  readStatement,
  skipStatement,
} from "../../syntax/braces.ts";
import { readExpression, readItems } from "../../syntax/expressions.ts";
import { closerOf, isNext, type Parser, peek, skipTo, take, takeIf } from "../../syntax/parser.ts";
import { conditional, NOTHING, type Node, nameNode } from "../../syntax/tree.ts";
import { wordMap } from "../../syntax/words.ts";

type ReadStatement = (parser: Parser) => Node;

export const STATEMENTS = wordMap<ReadStatement>([
  ["sub", readNamedFunction],
  ["if unless elsif while until", readConditional],
  ["else BEGIN END INIT", readBody],
  ["for foreach", readFor],
  ["return", readResult],
  ["use no package", skipStatement],
]);

export function isStatement(parser: Parser): boolean {
  return !isNext(parser, "=>", 1) && !(peek(parser).text === "sub" && peek(parser, 1).kind !== "name");
}

/** A statement with its modifier: `unlink for @files`. */
export function readSimple(parser: Parser): Node {
  const node = readExpression(parser);
  const word = peek(parser);
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
export function readFunction(parser: Parser, name: string | undefined): Node {
  const parameters = isNext(parser, "(") ? readItems(parser, ")").items.map(item => item.value) : [];
  skipTo(parser, "{", ";");
  const body = isNext(parser, "{") ? readBlock(parser) : [];
  return { kind: "function", definition: { name, parameters, body } };
}

function readNamedFunction(parser: Parser): Node {
  return readFunction(parser, take(parser).text);
}

function readFor(parser: Parser): Node {
  takeIf(parser, "my");
  takeIf(parser, "our");
  const token = peek(parser);
  const target = token.kind === "name" ? nameNode(take(parser).text) : nameNode("$_");
  if (!isNext(parser, "(")) return NOTHING;
  if (hasSemicolon(parser)) return readConditional(parser);
  const over: Node = { kind: "list", items: readItems(parser, ")").items };
  return { kind: "each", target, over, body: [readStatement(parser)] };
}

/** Looks only as far as the head of a counting loop can reach. */
function hasSemicolon(parser: Parser): boolean {
  const close = Math.min(closerOf(parser, parser.at), parser.at + 64);
  for (let at = parser.at; at < close; at += 1) if (parser.tokens[at]?.text === ";") return true;
  return false;
}
