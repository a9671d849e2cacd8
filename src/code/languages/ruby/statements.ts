import { readExpression, readItems, readItemsUntil } from "../../syntax/expressions.ts";
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

const ENDS: ReadonlySet<string> = new Set(["end"]);
const PARTS: ReadonlySet<string> = new Set(["end", "else", "elsif", "when", "in", "rescue", "ensure"]);
const BRACE: ReadonlySet<string> = new Set(["}"]);

export function readStatements(parser: Parser, stops: ReadonlySet<string>): Node[] {
  const isStop = (): boolean => {
    const { kind, text } = peek(parser);
    return (kind === "name" || kind === "mark") && stops.has(text);
  };
  return readMany(parser, readStatement, isStop);
}

/** An expression with its modifiers: `rm x if y`. */
function readStatement(parser: Parser): Node {
  if (takeIf(parser, ";")) return NOTHING;
  let node = readMultiple(parser);
  while (!peek(parser).startsLine && isModifier(parser) && step(parser.budget)) {
    parser.at += 1;
    node = conditional(readExpression(parser), node);
  }
  return node;
}

function isModifier(parser: Parser): boolean {
  return ["if", "unless", "while", "until", "rescue"].some(word => isNext(parser, word));
}

/** `a, b = c, d` */
function readMultiple(parser: Parser): Node {
  const first = readExpression(parser);
  if (!isNext(parser, ",") || first.kind !== "name") return first;
  const items = [{ value: first as Node }];
  while (takeIf(parser, ",") && step(parser.budget)) {
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
export function readKeyword(parser: Parser): Node | undefined {
  const token = peek(parser);
  if (token.kind !== "name" && token.kind !== "mark") return undefined;
  const read = KEYWORD_READERS.get(token.text);
  if (read === undefined || isNext(parser, ":", 1)) return undefined;
  return nested(parser, () => {
    parser.at += 1;
    return outsideBrackets(parser, () => read(parser));
  });
}

/** if, case and begin with all their parts; any of them may run. */
function readBranches(parser: Parser): Node {
  const parts: Node[] = [];
  do {
    const isHeadless = peek(parser).startsLine || isNext(parser, ";");
    const head = isHeadless
      ? []
      : readItemsUntil(
          parser,
          () =>
            peek(parser).startsLine ||
            isNext(parser, ";") ||
            isNext(parser, "then") ||
            peek(parser).kind === "end",
        ).items.map(item => item.value);
    takeIf(parser, "then");
    parts.push(conditional(...head, ...readStatements(parser, PARTS)));
  } while (!isNext(parser, "end") && take(parser).kind !== "end" && step(parser.budget));
  takeIf(parser, "end");
  return { kind: "choice", options: parts };
}

function readHead(parser: Parser): Node {
  const outer = parser.isRestricted;
  parser.isRestricted = true;
  const head = readExpression(parser);
  parser.isRestricted = outer;
  takeIf(parser, "do");
  return head;
}

function readLoop(parser: Parser): Node {
  const head = readHead(parser);
  const body = readStatements(parser, ENDS);
  takeIf(parser, "end");
  return conditional(head, ...body);
}

function readFor(parser: Parser): Node {
  const names: Node[] = [];
  while (!isNext(parser, "in") && peek(parser).kind !== "end" && !peek(parser).startsLine) {
    const token = take(parser);
    if (token.kind === "name") names.push(nameNode(token.text));
  }
  takeIf(parser, "in");
  const over = readHead(parser);
  const body = readStatements(parser, ENDS);
  takeIf(parser, "end");
  const [only] = names;
  const target: Node =
    names.length === 1 && only !== undefined
      ? only
      : { kind: "list", items: names.map(value => ({ value })) };
  return { kind: "each", target, over, body };
}

function readDefinition(parser: Parser): Node {
  let name = take(parser).text;
  while (takeIf(parser, ".")) name = take(parser).text;
  const parameters = isNext(parser, "(")
    ? readItems(parser, ")").items
    : readItemsUntil(parser, () => peek(parser).startsLine || isNext(parser, ";") || isNext(parser, "="))
        .items;
  const targets = parameters.map(
    ({ value, name: keyword }): Node =>
      keyword === undefined ? value : { kind: "assign", target: nameNode(keyword), value },
  );
  const isOneLine = takeIf(parser, "=");
  const body = isOneLine ? [readExpression(parser)] : readBody(parser);
  return { kind: "function", definition: { name, parameters: targets, body } };
}

/** Statements up to `end`, with rescue and ensure parts. */
function readBody(parser: Parser): Node[] {
  const body: Node[] = [];
  do body.push(...readStatements(parser, PARTS));
  while (!isNext(parser, "end") && take(parser).kind !== "end" && step(parser.budget));
  takeIf(parser, "end");
  return body;
}

/** The methods of a class or module become plain functions. */
function readContainer(parser: Parser): Node {
  while (!peek(parser).startsLine && !isNext(parser, ";") && peek(parser).kind !== "end") parser.at += 1;
  return sequence(...readBody(parser));
}

function readReturn(parser: Parser): Node {
  const isEmpty = peek(parser).startsLine || isNext(parser, ";") || isNext(parser, "}") || isModifier(parser);
  return { kind: "return", value: isEmpty ? NOTHING : readExpression(parser) };
}

function readLambda(parser: Parser): Node {
  const parameters = isNext(parser, "(") ? readItems(parser, ")").items.map(item => item.value) : [];
  return readBlockBody(parser, parameters);
}

/** `{ |x| … }` or `do |x| … end` */
export function readBlockFunction(parser: Parser): Node {
  return nested(parser, () => readBlockBody(parser, undefined));
}

function readBlockBody(parser: Parser, given: readonly Node[] | undefined): Node {
  const isBrace = takeIf(parser, "{");
  if (!isBrace) takeIf(parser, "do");
  return outsideBrackets(parser, () => {
    const outer = parser.isRestricted;
    parser.isRestricted = false;
    const parameters = given ?? readBlockParameters(parser);
    const body = isBrace ? readStatements(parser, BRACE) : readBody(parser);
    if (isBrace) takeIf(parser, "}");
    parser.isRestricted = outer;
    // `it` and `_1` name the only parameter that was not named.
    const implicit = parameters.length === 0 ? [nameNode("it")] : parameters;
    return { kind: "function", definition: { name: undefined, parameters: implicit, body } };
  });
}

/** `|a, b|` of a block. */
function readBlockParameters(parser: Parser): Node[] {
  if (!takeIf(parser, "|")) return [];
  const parameters: Node[] = [];
  while (!isNext(parser, "|") && peek(parser).kind !== "end" && !peek(parser).startsLine) {
    if (isNext(parser, "(")) {
      parameters.push({ kind: "list", items: readItems(parser, ")").items });
      continue;
    }
    const token = peek(parser);
    parser.at += 1;
    if (token.kind === "name") parameters.push({ kind: "name", name: token.text });
  }
  takeIf(parser, "|");
  return parameters;
}
