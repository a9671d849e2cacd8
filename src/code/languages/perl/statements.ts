import { readBody, readConditional, readResult, readStatement, readStatements } from "../../syntax/braces.ts";
import { readExpression } from "../../syntax/expressions.ts";
import { readItems } from "../../syntax/items.ts";
import { closerOf, isNext, type Parser, peek, take, takeIf } from "../../syntax/reader.ts";
import { step } from "../../syntax/reading-budget.ts";
import { NOTHING, type Node, nameNode } from "../../syntax/tree.ts";
import { wordMap } from "../../syntax/words.ts";
import { readFunction } from "./functions.ts";

type ReadStatement = (parser: Parser) => Node;

export const STATEMENTS = wordMap<ReadStatement>([
  ["sub", readNamedFunction],
  ["if unless elsif while until", readConditional],
  ["else BEGIN END INIT", readBody],
  ["for foreach", readFor],
  ["return", readResult],
  ["use no package", skipToEnd],
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
  return { kind: "block", body: [readExpression(parser), node], isConditional: true };
}

function readNamedFunction(parser: Parser): Node {
  return readFunction(parser, take(parser).text);
}

/** Imports say only where names come from; the names are known anyway. */
function skipToEnd(parser: Parser): Node {
  while (!isNext(parser, ";") && !isNext(parser, "{") && peek(parser).kind !== "end" && step(parser.budget))
    parser.at += 1;
  return NOTHING;
}

function readFor(parser: Parser): Node {
  takeIf(parser, "my");
  takeIf(parser, "our");
  const token = peek(parser);
  const target = token.kind === "name" ? nameNode(take(parser).text) : nameNode("$_");
  if (!isNext(parser, "(")) return NOTHING;
  const isCounting = hasSemicolon(parser);
  if (isCounting) {
    const close = closerOf(parser, parser.at);
    parser.at += 1;
    const header = readStatements(parser, () => parser.at >= close);
    takeIf(parser, ")");
    return { kind: "block", body: [...header, readStatement(parser)], isConditional: true };
  }
  const over: Node = { kind: "list", items: readItems(parser, ")").items };
  return { kind: "each", target, over, body: [readStatement(parser)] };
}

/** Looks only as far as the head of a counting loop can reach. */
function hasSemicolon(parser: Parser): boolean {
  const close = Math.min(closerOf(parser, parser.at), parser.at + 64);
  for (let at = parser.at; at < close; at += 1) if (parser.tokens[at]?.text === ";") return true;
  return false;
}
