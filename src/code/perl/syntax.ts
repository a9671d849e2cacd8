import { readBlock } from "../syntax/braces.ts";
import { PLAIN_HOOKS, readExpression } from "../syntax/expressions.ts";
import type { Grammar, InfixTable } from "../syntax/grammar.ts";
import { augments, level } from "../syntax/grammar.ts";
import { readItems, readItemsUntil } from "../syntax/items.ts";
import type { Reader } from "../syntax/reader.ts";
import { isNext, peek, take, takeIf } from "../syntax/reader.ts";
import type { Token } from "../syntax/tokens.ts";
import type { Node } from "../syntax/tree.ts";
import { nameNode } from "../syntax/tree.ts";
import { readFunction } from "./functions.ts";
import { isStatement, readSimple, STATEMENTS } from "./statements.ts";

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
  ...level(8, "other", "| ^ &"),
  ...level(9, "other", "== != eq ne cmp <=> ~~ =~ !~"),
  ...level(10, "other", "< > <= >= lt gt le ge isa"),
  ...level(11, "other", "<< >>"),
  ...level(12, "join", "."),
  ...level(12, "other", "+ -"),
  ...level(13, "other", "* / %"),
  ...level(13, "repeat", "x"),
  ...level(14, "other", "**"),
]);

/** `f a or b` is `f(a) or b`. */
const ABOVE_WORDS = 2;

export const GRAMMAR: Grammar = {
  ...PLAIN_HOOKS,
  infix: INFIX,
  prefixes: new Set(["my", "our", "local", "state", "\\", "&", "new"]),
  negations: new Set(["!", "not", "-", "+", "~", "++", "--"]),
  memberMarks: new Set(["->", "::"]),
  spreads: new Set(["@"]),
  endsAtLine: false,
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

function readPrimary(reader: Reader): Node | undefined {
  const token = peek(reader);
  if (token.kind === "mark" && (token.text === "@" || token.text === "%" || token.text === "$")) {
    reader.at += 1;
    return readDereference(reader, token.text);
  }
  if (token.kind !== "name")
    return token.kind === "text" && token.text === "glob" ? readGlob(reader) : undefined;
  if (token.text === "sub") {
    reader.at += 1;
    return readFunction(reader, undefined);
  }
  if ((token.text === "do" || token.text === "eval") && isNext(reader, "{", 1)) {
    reader.at += 1;
    return { kind: "block", body: readBlock(reader), isConditional: false };
  }
  if (token.text === "shift" || token.text === "pop") return readShift(reader);
  return PRINTERS.has(token.text) ? readPrint(reader) : undefined;
}

const PRINTERS = new Set(["print", "printf", "say"]);

/** `print F "text"`, `print {$f} "text"`, `print $f "text"`: a handle in front, and no comma behind it. */
function readPrint(reader: Reader): Node | undefined {
  const { text: word, start } = peek(reader);
  const isGrouped = isNext(reader, "(", 1);
  const first = isGrouped ? 2 : 1;
  const isBraced = isNext(reader, "{", first);
  const handle = peek(reader, isBraced ? first + 1 : first);
  const next = peek(reader, first + 1);
  const isHandle = isBraced
    ? handle.kind === "name" && isNext(reader, "}", first + 2)
    : handle.kind === "name" && /^(?:\$\w+|[A-Z]\w*)$/.test(handle.text) && isPrinted(next);
  if (!isHandle) return undefined;
  reader.at += first + (isBraced ? 3 : 1);
  const { items } = readItemsUntil(reader, () => endsArguments(reader), ABOVE_WORDS);
  if (isGrouped) takeIf(reader, ")");
  const to = { value: nameNode(handle.text) };
  return { kind: "call", callee: nameNode(`${word}>`), arguments: [to, ...items], at: start };
}

/** What can only be printed, never follow a value. */
function isPrinted(token: Token): boolean {
  return ["text", "command", "words"].includes(token.kind) || /^\$\w/.test(token.text);
}

/** `@x`, `@{$x}`, `@$x`: the items of a list; `${x}` the thing itself. */
function readDereference(reader: Reader, sigil: string): Node {
  const value = isNext(reader, "{")
    ? (readItems(reader, "}").items[0]?.value ?? nameNode(""))
    : readPlainName(reader);
  const inner: Node = value.kind === "name" && !/^[$@]/.test(value.name) ? nameNode(`$${value.name}`) : value;
  return sigil === "@" ? { kind: "list", items: [{ value: inner, isSpread: true }] } : inner;
}

function readPlainName(reader: Reader): Node {
  const token = peek(reader);
  if (token.kind !== "name") return nameNode("");
  reader.at += 1;
  return nameNode(token.text);
}

/** `<*.c>` */
function readGlob(reader: Reader): Node {
  const token = take(reader);
  const pattern: Node = { kind: "text", pieces: token.pieces.filter(piece => typeof piece === "string") };
  return { kind: "call", callee: nameNode("glob"), arguments: [{ value: pattern }], at: token.start };
}

/** `shift` alone takes from the arguments of the function. */
function readShift(reader: Reader): Node {
  const { text: name, start } = take(reader);
  const isCall = takeIf(reader, "(");
  const isOther = isNext(reader, "@");
  const list = isOther ? readExpression(reader, 12) : nameNode("@_");
  if (isCall) takeIf(reader, ")");
  const object = list.kind === "list" ? (list.items[0]?.value ?? list) : list;
  return { kind: "call", callee: { kind: "member", object, name }, arguments: [], at: start };
}

const LOW_WORDS = new Set("or and xor if unless while until for foreach not".split(" "));

function isBareword(node: Node): node is Extract<Node, { kind: "name" }> {
  return node.kind === "name" && !/^[$@<]/.test(node.name);
}

/** Subscripts right behind a variable, and arguments without parentheses. */
function readSuffix(reader: Reader, value: Node, start: number): Node | undefined {
  const token = peek(reader);
  if (takeIf(reader, "->@*") || takeIf(reader, "->%*")) return value;
  if (isNext(reader, "{") && !token.isSpaced && !isBareword(value)) {
    const key = readItems(reader, "}").items[0]?.value;
    const name = key?.kind === "name" && !/^[$@]/.test(key.name) ? key.name : undefined;
    const index: Node = name === undefined ? (key ?? nameNode("")) : { kind: "text", pieces: [name] };
    return { kind: "index", object: value, index };
  }
  if (!isBareword(value) && !isQualified(value)) return undefined;
  if (isNext(reader, "=>") || !startsArgument(reader)) return undefined;
  if (value.kind === "name" && (LOW_WORDS.has(value.name) || INFIX.has(value.name))) return undefined;
  return { kind: "call", callee: value, arguments: readArguments(reader), at: start };
}

/** `File::Path::remove_tree`, but not `$object->method`. */
function isQualified(node: Node): boolean {
  let current = node;
  while (current.kind === "member") current = current.object;
  return node.kind === "member" && isBareword(current) && /^[A-Z]/.test(current.name);
}

/** `map { … } @list`: a block in front of the list is a function. */
function readArguments(reader: Reader): { value: Node; isSpread?: boolean }[] {
  const block = isNext(reader, "{") ? [{ value: blockFunction(readBlock(reader)) }] : [];
  const { items } = readItemsUntil(reader, () => endsArguments(reader), ABOVE_WORDS);
  return [...block, ...items];
}

function blockFunction(body: readonly Node[]): Node {
  return { kind: "function", definition: { name: undefined, parameters: [nameNode("$_")], body } };
}

function startsArgument(reader: Reader): boolean {
  const token = peek(reader);
  switch (token.kind) {
    case "text":
    case "command":
    case "words":
    case "number":
    case "regexp":
      return true;
    case "name":
      return !LOW_WORDS.has(token.text) && !INFIX.has(token.text);
    case "mark":
      if (["@", "$", "\\", "{"].includes(token.text)) return true;
      return ["%", "&", "-", "["].includes(token.text) && token.isSpaced && !peek(reader, 1).isSpaced;
    default:
      return false;
  }
}

function endsArguments(reader: Reader): boolean {
  const token = peek(reader);
  if (token.kind === "end") return true;
  if (token.kind === "name") return LOW_WORDS.has(token.text);
  return token.kind === "mark" && [";", ")", "]", "}", ":", "?"].includes(token.text);
}

const ON_TOPIC = new Set(["unlink", "rmdir", "chdir", "eval", "glob", "require", "readlink"]);

/** Some functions without an argument work on `$_`; some names are calls anyway. */
function finish(reader: Reader, value: Node, at: number): Node {
  if (value.kind === "name" && ON_TOPIC.has(value.name) && !isNext(reader, "=>")) {
    return { kind: "call", callee: value, arguments: [{ value: nameNode("$_") }], at };
  }
  // `$object->method` without parentheses is a call.
  if (value.kind === "member" && !isQualified(value))
    return { kind: "call", callee: value, arguments: [], at };
  return value;
}
