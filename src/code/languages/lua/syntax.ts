import { wordSet } from "../../../shell/index.ts";
import { LUA_ESCAPES } from "../../syntax/escapes.ts";
import { DEFAULT_GRAMMAR, piecesNode, readItems } from "../../syntax/expressions.ts";
import { augments, type InfixTable, level } from "../../syntax/grammar.ts";
import { createParser, type Grammar, isNext, type Parser, peek } from "../../syntax/parser.ts";
import type { ReadingBudget } from "../../syntax/reading-budget.ts";
import { readText } from "../../syntax/strings.ts";
import { type Lexer, type LexerRules, lineEnd, type SpecialToken, tokenise } from "../../syntax/tokens.ts";
import { callNode, type Node } from "../../syntax/tree.ts";
import { readFunction, readStatements } from "./statements.ts";

const LEXER_RULES: LexerRules = {
  // Comments are taken by readSpecial, because `--[[` runs over lines.
  marks: "... .. :: == ~= <= >= // << >>",
  readSpecial,
};

function readSpecial(lexer: Lexer): SpecialToken | undefined {
  const { source } = lexer;
  const character = source.charAt(lexer.at);
  if (character === '"' || character === "'")
    return readText(lexer, { escapes: LUA_ESCAPES, endsAtLine: true });
  if (character === "[") {
    const body = readLongBracket(lexer);
    return body === undefined ? undefined : { kind: "text", text: "", pieces: [body] };
  }
  if (source.startsWith("--", lexer.at)) {
    lexer.at += 2;
    if (readLongBracket(lexer) === undefined) lexer.at = lineEnd(source, lexer.at);
    return { kind: "mark", text: ";", pieces: [] };
  }
  return undefined;
}

/** `[[ … ]]`, `[==[ … ]==]`; undefined without moving when none starts here. */
function readLongBracket(lexer: Lexer): string | undefined {
  const { source, at } = lexer;
  if (source.charAt(at) !== "[") return undefined;
  let end = at + 1;
  while (source.charAt(end) === "=") end += 1;
  if (source.charAt(end) !== "[") return undefined;
  const close = `]${"=".repeat(end - at - 1)}]`;
  const found = source.indexOf(close, end + 1);
  const bodyEnd = found === -1 ? source.length : found;
  lexer.at = found === -1 ? source.length : found + close.length;
  return source.slice(end + 1, bodyEnd).replace(/^\r?\n/, "");
}

const INFIX: InfixTable = new Map([
  ...level(1, "assign", "="),
  ...augments(1, "other", "+="),
  ...level(2, "choice", "or"),
  ...level(3, "both", "and"),
  ...level(4, "other", "< > <= >= ~= == | ~ & << >>"),
  ...level(7, "join", ".."),
  ...level(8, "other", "+ -"),
  ...level(9, "other", "* / // %"),
  ...level(10, "other", "^"),
]);

const GRAMMAR: Grammar = {
  ...DEFAULT_GRAMMAR,
  infix: INFIX,
  prefixes: new Set(["local"]),
  negations: new Set(["not", "-", "#", "~"]),
  memberMarks: new Set([".", ":"]),
  allowsSpacedCall: true,
  readPrimary,
  readSuffix,
};

/** Cut Lua into nodes. */
export function parseLua(source: string, budget: ReadingBudget): readonly Node[] {
  return readStatements(createParser(tokenise(source, LEXER_RULES, budget), GRAMMAR, budget), true);
}

function readPrimary(parser: Parser): Node | undefined {
  if (isNext(parser, "function")) {
    parser.at += 1;
    return readFunction(parser, undefined);
  }
  return isNext(parser, "{") ? readTable(parser) : undefined;
}

/** `{ "a", b = 1 }`: a list of its items, or a record when they have names. */
function readTable(parser: Parser): Node {
  const { items } = readItems(parser, "}");
  const isRecord = items.length > 0 && items.every(item => item.value.kind === "assign");
  if (!isRecord) return { kind: "list", items };
  return {
    kind: "record",
    entries: items.flatMap(({ value }) =>
      value.kind === "assign" ? [[keyOf(value.target), value.value] as const] : [],
    ),
  };
}

function keyOf(target: Node): Node {
  return target.kind === "name" ? { kind: "text", pieces: [target.name] } : target;
}

/** `f "text"`, `f { … }` */
function readSuffix(parser: Parser, value: Node, start: number): Node | undefined {
  const isCallee = value.kind === "name" || value.kind === "member" || value.kind === "call";
  const token = peek(parser);
  if (!isCallee || (value.kind === "name" && RESERVED.has(value.name))) return undefined;
  if (token.kind === "text") {
    parser.at += 1;
    return callNode(value, [piecesNode(parser, token)], start);
  }
  if (!isNext(parser, "{")) return undefined;
  return callNode(value, [readTable(parser)], start);
}

const RESERVED = wordSet("return if then else elseif do while for in repeat until end and or not local");
