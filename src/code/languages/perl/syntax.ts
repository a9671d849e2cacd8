import { wordSet } from "../../../shell/index.ts";
import { parseStatements, readBlock } from "../../syntax/braces.ts";
import { DEFAULT_GRAMMAR, readExpression, readItems, readItemsUntil } from "../../syntax/expressions.ts";
import { augments, type InfixTable, level } from "../../syntax/grammar.ts";
import { type Grammar, isNext, type Parser, peek, take, takeIf } from "../../syntax/parser.ts";
import type { ReadingBudget } from "../../syntax/reading-budget.ts";
import type { Token } from "../../syntax/tokens.ts";
import { callNode, type Node, nameNode, sequence } from "../../syntax/tree.ts";
import { isStatement, readFunction, readSimple, STATEMENTS } from "./statements.ts";
import { LEXER_RULES } from "./tokens.ts";

const INFIX: InfixTable = new Map([
  ...level(1, "choice", "or xor"),
  ...level(1, "both", "and"),
  ...level(3, "assign", "="),
  ...augments(3, "join", ".="),
  ...augments(3, "choice", "||= //= &&="),
  ...augments(3, "other", "+= -= *= /= %= x= **= |= &= ^= <<= >>="),
  ...level(4, "ternary", "?"),
  ...level(5, "other", ".. ..."),
  ...level(6, "choice", "|| //"),
  ...level(7, "both", "&&"),
  ...level(8, "other", "| ^ & == != eq ne cmp <=> ~~ =~ !~ < > <= >= lt gt le ge isa << >>"),
  ...level(12, "join", "."),
  ...level(12, "other", "+ -"),
  ...level(13, "other", "* / %"),
  ...level(13, "repeat", "x"),
  ...level(14, "other", "**"),
]);

/** `f a or b` is `f(a) or b`. */
const ABOVE_WORDS = 2;

const GRAMMAR: Grammar = {
  ...DEFAULT_GRAMMAR,
  infix: INFIX,
  prefixes: new Set(["my", "our", "local", "state", "\\", "&", "new"]),
  negations: new Set(["!", "not", "-", "+", "~", "++", "--"]),
  memberMarks: new Set(["->", "::"]),
  spreads: new Set(["@"]),
  allowsSpacedCall: true,
  parenthesesAreList: true,
  bracesAreRecord: true,
  readPrimary,
  readSuffix,
  finish,
  statements: STATEMENTS,
  isStatement,
  readSimple,
};

/** Cut Perl into nodes. */
export function parsePerl(source: string, budget: ReadingBudget): readonly Node[] {
  return parseStatements(source, LEXER_RULES, GRAMMAR, budget);
}

function readPrimary(parser: Parser): Node | undefined {
  const token = peek(parser);
  if (token.kind === "mark" && (token.text === "@" || token.text === "%" || token.text === "$")) {
    parser.at += 1;
    return readDereference(parser, token.text);
  }
  if (token.kind !== "name")
    return token.kind === "text" && token.text === "glob" ? readGlob(parser) : undefined;
  if (token.text === "sub") {
    parser.at += 1;
    return readFunction(parser, undefined);
  }
  if ((token.text === "do" || token.text === "eval") && isNext(parser, "{", 1)) {
    parser.at += 1;
    return sequence(...readBlock(parser));
  }
  if (token.text === "shift" || token.text === "pop") return readShift(parser);
  return PRINTERS.has(token.text) ? readPrint(parser) : undefined;
}

const PRINTERS = new Set(["print", "printf", "say"]);

/** `print F "text"`, `print {$f} "text"`, `print $f "text"`: a handle in front, and no comma behind it. */
function readPrint(parser: Parser): Node | undefined {
  const { text: word, start } = peek(parser);
  const isGrouped = isNext(parser, "(", 1);
  const first = isGrouped ? 2 : 1;
  const isBraced = isNext(parser, "{", first);
  const handle = peek(parser, isBraced ? first + 1 : first);
  const next = peek(parser, first + 1);
  const isHandle = isBraced
    ? handle.kind === "name" && isNext(parser, "}", first + 2)
    : handle.kind === "name" && /^(?:\$\w+|[A-Z]\w*)$/.test(handle.text) && isPrinted(next);
  if (!isHandle) return undefined;
  parser.at += first + (isBraced ? 3 : 1);
  const { items } = readItemsUntil(parser, () => endsArguments(parser), ABOVE_WORDS);
  if (isGrouped) takeIf(parser, ")");
  const to = { value: nameNode(handle.text) };
  return { kind: "call", callee: nameNode(`${word}>`), arguments: [to, ...items], at: start };
}

/** What can only be printed, never follow a value. */
function isPrinted(token: Token): boolean {
  return ["text", "command", "words"].includes(token.kind) || /^\$\w/.test(token.text);
}

/** `@x`, `@{$x}`, `@$x`: the items of a list; `${x}` the thing itself. */
function readDereference(parser: Parser, sigil: string): Node {
  const value = isNext(parser, "{")
    ? (readItems(parser, "}").items[0]?.value ?? nameNode(""))
    : readPlainName(parser);
  const inner: Node = value.kind === "name" && !/^[$@]/.test(value.name) ? nameNode(`$${value.name}`) : value;
  return sigil === "@" ? { kind: "list", items: [{ value: inner, isSpread: true }] } : inner;
}

function readPlainName(parser: Parser): Node {
  const token = peek(parser);
  if (token.kind !== "name") return nameNode("");
  parser.at += 1;
  return nameNode(token.text);
}

/** `<*.c>` */
function readGlob(parser: Parser): Node {
  const token = take(parser);
  const pattern: Node = { kind: "text", pieces: token.pieces.filter(piece => typeof piece === "string") };
  return callNode("glob", [pattern], token.start);
}

/** `shift` alone takes from the arguments of the function. */
function readShift(parser: Parser): Node {
  const { text: name, start } = take(parser);
  const isCall = takeIf(parser, "(");
  const isOther = isNext(parser, "@");
  const list = isOther ? readExpression(parser, 12) : nameNode("@_");
  if (isCall) takeIf(parser, ")");
  const object = list.kind === "list" ? (list.items[0]?.value ?? list) : list;
  return callNode({ kind: "member", object, name }, [], start);
}

const LOW_WORDS = wordSet("or and xor if unless while until for foreach not");

function isBareword(node: Node): node is Extract<Node, { kind: "name" }> {
  return node.kind === "name" && !/^[$@<]/.test(node.name);
}

/** Subscripts right behind a variable, and arguments without parentheses. */
function readSuffix(parser: Parser, value: Node, start: number): Node | undefined {
  const token = peek(parser);
  if (takeIf(parser, "->@*") || takeIf(parser, "->%*")) return value;
  if (isNext(parser, "{") && !token.isSpaced && !isBareword(value)) {
    const key = readItems(parser, "}").items[0]?.value;
    const name = key?.kind === "name" && !/^[$@]/.test(key.name) ? key.name : undefined;
    const index: Node = name === undefined ? (key ?? nameNode("")) : { kind: "text", pieces: [name] };
    return { kind: "index", object: value, index };
  }
  if (!isBareword(value) && !isQualified(value)) return undefined;
  if (isNext(parser, "=>") || !startsArgument(parser)) return undefined;
  if (value.kind === "name" && (LOW_WORDS.has(value.name) || INFIX.has(value.name))) return undefined;
  return { kind: "call", callee: value, arguments: readArguments(parser), at: start };
}

/** `File::Path::remove_tree`, but not `$object->method`. */
function isQualified(node: Node): boolean {
  let current = node;
  while (current.kind === "member") current = current.object;
  return node.kind === "member" && isBareword(current) && /^[A-Z]/.test(current.name);
}

/** `map { … } @list`: a block in front of the list is a function. */
function readArguments(parser: Parser): { value: Node; isSpread?: boolean }[] {
  const block = isNext(parser, "{") ? [{ value: blockFunction(readBlock(parser)) }] : [];
  const { items } = readItemsUntil(parser, () => endsArguments(parser), ABOVE_WORDS);
  return [...block, ...items];
}

function blockFunction(body: readonly Node[]): Node {
  return { kind: "function", definition: { name: undefined, parameters: [nameNode("$_")], body } };
}

function startsArgument(parser: Parser): boolean {
  const token = peek(parser);
  if (token.kind === "name") return !LOW_WORDS.has(token.text) && !INFIX.has(token.text);
  if (token.kind !== "mark") return token.kind !== "end";
  if (["@", "$", "\\", "{"].includes(token.text)) return true;
  return ["%", "&", "-", "["].includes(token.text) && token.isSpaced && !peek(parser, 1).isSpaced;
}

function endsArguments(parser: Parser): boolean {
  const token = peek(parser);
  if (token.kind === "end") return true;
  if (token.kind === "name") return LOW_WORDS.has(token.text);
  return token.kind === "mark" && [";", ")", "]", "}", ":", "?"].includes(token.text);
}

const ON_TOPIC = new Set(["unlink", "rmdir", "chdir", "eval", "glob", "require", "readlink"]);

/** Some functions without an argument work on `$_`; some names are calls anyway. */
function finish(parser: Parser, value: Node, at: number): Node {
  if (value.kind === "name" && ON_TOPIC.has(value.name) && !isNext(parser, "=>")) {
    return callNode(value, [nameNode("$_")], at);
  }
  // `$object->method` without parentheses is a call.
  if (value.kind === "member" && !isQualified(value)) return callNode(value, [], at);
  return value;
}
