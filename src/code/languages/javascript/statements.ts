import { readBody, readConditional, readResult, readStatement, skipWord } from "../../syntax/braces.ts";
import { continueExpression, readExpression } from "../../syntax/expressions.ts";
import { closerOf, isNext, type Parser, peek, readMany, take, takeIf } from "../../syntax/parser.ts";
import { step } from "../../syntax/reading-budget.ts";
import {
  callNode,
  conditional,
  NOTHING,
  type Node,
  nameNode,
  sequence,
  textNode,
} from "../../syntax/tree.ts";
import { wordMap } from "../../syntax/words.ts";
import { skipType } from "./functions.ts";

type ReadStatement = (parser: Parser) => Node;

export const STATEMENTS = wordMap<ReadStatement>([
  ["import", readImport],
  ["const let var using", readDeclarations],
  ["if while with switch catch", readConditional],
  ["else try finally do", readBody],
  ["for", readFor],
  ["return", readResult],
  ["throw case", readExpression],
  ["export default declare", skipWord],
  ["interface type", skipDeclaration],
]);

/** Words that are statements only when a name follows; else they are ordinary names. */
const SOFT_WORDS = new Set(["type", "interface", "using", "declare"]);

/** A keyword followed by what makes it a plain name or an expression is none. */
export function isStatement(parser: Parser): boolean {
  const word = peek(parser).text;
  if (word === "default") return true;
  if (isNext(parser, ".", 1) || isNext(parser, "=", 1) || isNext(parser, ":", 1)) return false;
  if (word === "import" && isNext(parser, "(", 1)) return false;
  return !SOFT_WORDS.has(word) || peek(parser, 1).kind === "name";
}

function skipDeclaration(parser: Parser): Node {
  parser.at += 1;
  while (
    !peek(parser).startsLine &&
    !isNext(parser, ";") &&
    peek(parser).kind !== "end" &&
    step(parser.budget)
  ) {
    parser.at = isNext(parser, "{") ? closerOf(parser, parser.at) + 1 : parser.at + 1;
  }
  return NOTHING;
}

/** `const a = 1, { b } = c` */
function readDeclarations(parser: Parser): Node {
  const body: Node[] = [];
  do {
    const target = readExpression(parser, 3);
    takeIf(parser, "!");
    if (takeIf(parser, ":")) skipType(parser);
    if (isNext(parser, "of") || isNext(parser, "in")) return target;
    body.push(takeIf(parser, "=") ? { kind: "assign", target, value: readExpression(parser, 1) } : target);
  } while (takeIf(parser, ",") && step(parser.budget));
  return sequence(...body);
}

const DECLARERS = new Set(["const", "let", "var", "using"]);

function readFor(parser: Parser): Node {
  takeIf(parser, "await");
  if (!isNext(parser, "(")) return NOTHING;
  const close = closerOf(parser, parser.at);
  parser.at += 1;
  const isEndless = isNext(parser, ";") && isNext(parser, ";", 1);
  if (DECLARERS.has(peek(parser).text)) parser.at += 1;
  // A target alone, above comparison, so that `in` is left standing.
  const target = readExpression(parser, 10);
  const isEach = takeIf(parser, "of") || takeIf(parser, "in");
  const first = isEach ? readExpression(parser) : continueExpression(parser, target, 0);
  const rest = readMany(parser, readExpression, () => parser.at >= close);
  takeIf(parser, ")");
  const body = readStatement(parser);
  if (isEach) return { kind: "each", target, over: first, body: [body] };
  return isEndless ? conditional(nameNode("true"), body) : conditional(first, ...rest, body);
}

/** `import a, { b as c } from "m"`, `import * as d from "m"` */
function readImport(parser: Parser): Node {
  const bindings: { name: string; member: string | undefined }[] = [];
  while (
    peek(parser).kind !== "text" &&
    peek(parser).kind !== "end" &&
    !isNext(parser, ";") &&
    step(parser.budget)
  ) {
    const token = take(parser);
    if (token.text === "from" && peek(parser).kind === "text") break;
    if (token.kind === "mark" && token.text === "*" && takeIf(parser, "as")) {
      bindings.push({ name: take(parser).text, member: undefined });
    } else if (token.kind === "mark" && token.text === "{") {
      readImportNames(parser, bindings);
    } else if (token.kind === "name" && token.text !== "type") {
      bindings.push({ name: token.text, member: undefined });
    }
  }
  const module = peek(parser).kind === "text" ? readExpression(parser) : textNode("");
  const at = peek(parser).start;
  const loaded: Node = callNode("require", [module], at);
  return {
    kind: "block",
    body: bindings.map(({ name, member }) => ({
      kind: "assign",
      target: nameNode(name),
      value:
        member === undefined || member === "default"
          ? loaded
          : { kind: "member", object: loaded, name: member },
    })),
    isConditional: false,
  };
}

function readImportNames(parser: Parser, bindings: { name: string; member: string | undefined }[]): void {
  while (!isNext(parser, "}") && peek(parser).kind !== "end" && step(parser.budget)) {
    const token = take(parser);
    if (token.kind !== "name") continue;
    const alias = takeIf(parser, "as") ? take(parser).text : token.text;
    bindings.push({ name: alias, member: token.text });
  }
  takeIf(parser, "}");
}
