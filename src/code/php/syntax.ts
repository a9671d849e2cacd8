import { PLAIN_HOOKS, readExpression } from "../syntax/expressions.ts";
import type { Grammar, InfixTable } from "../syntax/grammar.ts";
import { augments, level } from "../syntax/grammar.ts";
import { readItemsUntil } from "../syntax/items.ts";
import type { Reader } from "../syntax/reader.ts";
import { isNext, nested, peek, take } from "../syntax/reader.ts";
import type { Node } from "../syntax/tree.ts";
import { nameNode } from "../syntax/tree.ts";
import { readFunction } from "./functions.ts";
import { isStatement, STATEMENTS } from "./statements.ts";

const INFIX: InfixTable = new Map([
  ...level(1, "choice", "or xor"),
  ...level(1, "both", "and"),
  ...level(3, "assign", "="),
  ...augments(3, "join", ".="),
  ...augments(3, "choice", "??="),
  ...augments(3, "other", "+= -= *= /= %= &= |= ^= <<= >>= **="),
  ...level(4, "ternary", "?"),
  ...level(5, "choice", "?: ??"),
  ...level(6, "choice", "||"),
  ...level(7, "both", "&&"),
  ...level(8, "other", "| ^ &"),
  ...level(9, "other", "== != === !== <> <=>"),
  ...level(10, "other", "< > <= >= instanceof"),
  ...level(11, "other", "<< >>"),
  ...level(12, "join", "."),
  ...level(13, "other", "+ -"),
  ...level(14, "other", "* / % **"),
]);

export const GRAMMAR: Grammar = {
  ...PLAIN_HOOKS,
  infix: INFIX,
  prefixes: new Set(["new", "clone", "@", "&", "yield", "throw", "static"]),
  negations: new Set(["!", "-", "+", "~", "++", "--"]),
  memberMarks: new Set(["->", "?->", "::"]),
  spreads: new Set(["..."]),
  endsAtLine: false,
  allowsSpacedCall: true,
  parenthesesAreList: false,
  bracesAreRecord: false,
  readPrimary,
  readArgumentName,
  statements: STATEMENTS,
  isStatement,
};

const CASTS = new Set(["string", "int", "integer", "array", "bool", "float", "object", "binary"]);
const OPERATORS_WITH_ARGUMENT = new Set([
  "echo",
  "print",
  "include",
  "include_once",
  "require",
  "require_once",
  "exit",
  "die",
]);

function readPrimary(reader: Reader): Node | undefined {
  const token = peek(reader);
  if (isNext(reader, "(") && CASTS.has(peek(reader, 1).text) && isNext(reader, ")", 2)) {
    reader.at += 3;
    return readExpression(reader, 14);
  }
  if (token.kind !== "name") return undefined;
  if (token.text === "function" || token.text === "fn") {
    reader.at += 1;
    return nested(reader, () => readFunction(reader, undefined));
  }
  if (OPERATORS_WITH_ARGUMENT.has(token.text) && !isNext(reader, "(", 1)) {
    const { start, text } = take(reader);
    const { items } = readItemsUntil(reader, () => isNext(reader, ";") || peek(reader).kind === "end", 3);
    return { kind: "call", callee: nameNode(text), arguments: items, at: start };
  }
  return undefined;
}

/** `name: value` */
function readArgumentName(reader: Reader): string | undefined {
  const token = peek(reader);
  if (token.kind !== "name" || !isNext(reader, ":", 1) || /^\$/.test(token.text)) return undefined;
  reader.at += 2;
  return token.text;
}
