import { wordSet } from "../../shell/index.ts";
import { knownDatumText, reference } from "../meaning/datum.ts";
import { noteNetwork } from "../meaning/effects.ts";
import {
  argumentList,
  type LibraryFunction,
  select,
  standardInput,
  withArgument,
} from "../meaning/evaluation-context.ts";
import { defineLanguage } from "../meaning/library-table.ts";
import { formats } from "../meaning/value-kinds.ts";
import {
  DEFAULT_GRAMMAR,
  type Grammar,
  Parser,
  piecesNode,
  readExpression,
  readItems,
} from "../syntax/parser.ts";
import { type ReadingBudget, step } from "../syntax/source.ts";
import {
  type Lexer,
  type LexerRules,
  LUA_ESCAPES,
  lineEnd,
  readText,
  type SpecialToken,
  tokenise,
} from "../syntax/tokens.ts";
import {
  augments,
  callNode,
  conditional,
  type InfixTable,
  level,
  NOTHING,
  type Node,
  nameNode,
  sequence,
  wordMap,
} from "../syntax/tree.ts";

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
function parseLua(source: string, budget: ReadingBudget): readonly Node[] {
  return readStatements(new Parser(tokenise(source, LEXER_RULES, budget), GRAMMAR, budget), true);
}

function readPrimary(parser: Parser): Node | undefined {
  if (parser.isNext("function")) {
    parser.at += 1;
    return readFunction(parser, undefined);
  }
  return parser.isNext("{") ? readTable(parser) : undefined;
}

/** `{ "a", b = 1 }`: a list of its items, or a record when they have names. */
function readTable(parser: Parser): Node {
  const { items } = readItems(parser, "}");
  const isRecord = items.length > 0 && items.every(item => item.value.kind === "assign");
  if (!isRecord) return { kind: "list", items };
  return {
    kind: "record",
    entries: items.flatMap(({ value }) =>
      value.kind === "assign" ? [[toKey(value.target), value.value] as const] : [],
    ),
  };
}

function toKey(target: Node): Node {
  return target.kind === "name" ? { kind: "text", pieces: [target.name] } : target;
}

/** `f "text"`, `f { … }` */
function readSuffix(parser: Parser, value: Node, start: number): Node | undefined {
  const isCallee = value.kind === "name" || value.kind === "member" || value.kind === "call";
  const token = parser.peek();
  if (!isCallee || (value.kind === "name" && RESERVED.has(value.name))) return undefined;
  if (token.kind === "text") {
    parser.at += 1;
    return callNode(value, [piecesNode(parser, token)], start);
  }
  if (!parser.isNext("{")) return undefined;
  return callNode(value, [readTable(parser)], start);
}

const RESERVED = wordSet("return if then else elseif do while for in repeat until end and or not local");

const STOPS: ReadonlySet<string> = new Set(["end", "else", "elseif", "until"]);

/** Statements up to `end` and its kin, which stays; at top level a stray one is stepped over. */
function readStatements(parser: Parser, isTop: boolean): Node[] {
  const isStop = (): boolean => !isTop && parser.peek().kind === "name" && STOPS.has(parser.peek().text);
  return parser.readMany(readStatement, isStop);
}

function readStatement(parser: Parser): Node {
  if (parser.takeIf(";")) return NOTHING;
  const token = parser.peek();
  const read = token.kind === "name" ? STATEMENTS.get(token.text) : undefined;
  if (read === undefined) return readSimple(parser);
  return parser.nested(() => {
    parser.at += 1;
    return parser.outsideBrackets(() => read(parser));
  });
}

/** `a, b = c, d`: the first of each is enough to follow. */
function readSimple(parser: Parser): Node {
  const first = readExpression(parser);
  if (!parser.isNext(",")) return first;
  const items = [{ value: first }];
  while (parser.takeIf(",") && step(parser.budget)) items.push({ value: readExpression(parser) });
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
  if (parser.takeIf("function")) return readNamedFunction(parser);
  return readSimple(parser);
}

function readNamedFunction(parser: Parser): Node {
  let name = parser.take().text;
  while (parser.takeIf(".") || parser.takeIf(":")) name = parser.take().text;
  return readFunction(parser, name);
}

function readFunction(parser: Parser, name: string | undefined): Node {
  const parameters: Node[] = [];
  parser.takeIf("(");
  while (!parser.isNext(")") && parser.peek().kind !== "end" && step(parser.budget)) {
    const token = parser.take();
    if (token.kind === "name") parameters.push(nameNode(token.text));
  }
  parser.takeIf(")");
  const body = parser.outsideBrackets(() => readUntilEnd(parser));
  return { kind: "function", definition: { name, parameters, body } };
}

function readUntilEnd(parser: Parser): Node[] {
  let body: Node[] = [];
  parser.nested(() => {
    body = readStatements(parser, false);
    return NOTHING;
  });
  parser.takeIf("end");
  return body;
}

function readIf(parser: Parser): Node {
  const parts: Node[] = [];
  do {
    const condition = parser.isNext("then") ? NOTHING : readExpression(parser);
    parser.takeIf("then");
    parts.push(conditional(condition, ...readStatements(parser, false)));
  } while (parser.takeIf("elseif") && step(parser.budget));
  if (parser.takeIf("else")) parts.push(conditional(...readStatements(parser, false)));
  parser.takeIf("end");
  return sequence(...parts);
}

function readLoop(parser: Parser): Node {
  const condition = readExpression(parser);
  parser.takeIf("do");
  return conditional(condition, ...readUntilEnd(parser));
}

function readDo(parser: Parser): Node {
  return sequence(...readUntilEnd(parser));
}

function readRepeat(parser: Parser): Node {
  const body = readStatements(parser, false);
  const condition = parser.takeIf("until") ? readExpression(parser) : NOTHING;
  return conditional(...body, condition);
}

/** `for _, item in ipairs(list) do`: the last name is the item. */
function readFor(parser: Parser): Node {
  const names: string[] = [];
  while (!parser.isNext("in") && !parser.isNext("=") && parser.peek().kind !== "end" && step(parser.budget)) {
    const token = parser.take();
    if (token.kind === "name") names.push(token.text);
  }
  parser.at += 1;
  const over = readExpression(parser);
  while (parser.takeIf(",") && step(parser.budget)) readExpression(parser);
  parser.takeIf("do");
  return { kind: "each", target: nameNode(names.at(-1) ?? "_"), over, body: readUntilEnd(parser) };
}

function readReturn(parser: Parser): Node {
  const isEmpty = parser.isNext("end") || parser.isNext(";") || parser.peek().kind === "end";
  return { kind: "return", value: isEmpty ? NOTHING : readSimple(parser) };
}

/** `("rm %s"):format(x)` or `string.format("rm %s", x)` */
const formatsText: LibraryFunction = (call, context) =>
  call.receiver?.kind === "text" ? formats("this", "0..")(call, context) : formats("0", "1..")(call, context);

/** What the names of Lua's own library mean. */
export const LUA = defineLanguage({
  id: "lua",
  parse: parseLua,
  functions: () => [
    ["print io.write", "prints"],
    ["os.execute io.popen vim.fn.system", "runsShell", "0"],
    ["os.remove lfs.rmdir", "deletes", "0"],
    ["vim.fn.delete vim.fs.rm", "deletes", "0", "recursively"],
    ["os.rename", "moves", "0", "1"],
    ["io.{open,lines,input}", "opens", "0", "1"],
    ["file.write", "writes", "handle", "0", "appending"],
    ["file.{read,lines,close} text.lines", "gives", "this"],
    ["os.getenv", "readsVariable", "0"],
    ["os.tmpname", "returns", "temporary path"],
    ["io.read", "returns", "standard input"],
    ["load loadstring", "evaluates", "0 this"],
    ["dofile loadfile", "evaluatesFile", "0"],
    ["require", call => reference(knownDatumText(select(call, "0")) ?? "module")],
    ["pcall xpcall assert ipairs pairs tostring table.unpack unpack", "gives", "0 this"],
    ["lfs.dir", "returns", "any name"],
    ["string.format text.format", formatsText],
    ["string.char", "makesCharacters", "0.."],
    ["{string,text}.reverse", "reverses", "0 this"],
    ["table.concat", "joinsItems", "0", "1"],
    ["{socket.http,ssl.https,http}.request", "sends", "0"],
  ],
  methods: () => [
    // `socket.tcp():connect(host, port)`
    ["connect", withArgument("0", (host, call, context) => noteNetwork(context, call, host, []))],
  ],
  constants: () => [
    ["arg", context => argumentList(context)],
    ["io.stdin", standardInput],
  ],
  canonical: name => name.replace(/^_G\./, ""),
});
