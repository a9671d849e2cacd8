import { wordSet } from "../../../shell/index.ts";
import {
  parseStatements,
  readBlock,
  readBody,
  readConditional,
  readResult,
  readStatement,
  skipWord,
} from "../../syntax/braces.ts";
import {
  bareKey,
  closerOf,
  continueExpression,
  DEFAULT_GRAMMAR,
  type Grammar,
  isNext,
  nested,
  type Parser,
  peek,
  piecesNode,
  readBetween,
  readExpression,
  readItems,
  readMany,
  readRecord,
  skipTo,
  take,
  takeIf,
} from "../../syntax/parser.ts";
import { type ReadingBudget, step } from "../../syntax/source.ts";
import {
  C_ESCAPES,
  type Lexer,
  type LexerRules,
  lineEnd,
  PATTERN,
  previousToken,
  readInterpolation,
  readText,
  type SpecialToken,
  type TokenPiece,
} from "../../syntax/tokens.ts";
import {
  augments,
  callNode,
  conditional,
  type FunctionDefinition,
  type InfixTable,
  level,
  NOTHING,
  type Node,
  nameNode,
  type RecordEntry,
  SOME_NUMBER,
  sequence,
  textNode,
  wordMap,
} from "../../syntax/tree.ts";

const LEXER_RULES: LexerRules = {
  lineComments: ["//"],
  blockComments: [["/*", "*/"]],
  marks:
    ">>>= ... === !== **= <<= >>= >>> &&= ||= ??= => == != <= >= && || ?? ?. ++ -- += -= *= /= %= &= |= ^= << >> **",
  nameCharacters: "$#",
  readSpecial,
};

function readSpecial(lexer: Lexer): SpecialToken | undefined {
  const { source } = lexer;
  const character = source.charAt(lexer.at);
  if (character === '"' || character === "'")
    return readText(lexer, { escapes: C_ESCAPES, endsAtLine: true });
  if (character === "`")
    return { ...readText(lexer, { escapes: C_ESCAPES, interpolate: readSubstitution }), text: "`" };
  if (character === "/" && isRegexpPlace(lexer)) {
    lexer.at = regexpEnd(source, lexer.at);
    return PATTERN;
  }
  if (source.startsWith("#!", lexer.at) && lexer.at === 0) {
    lexer.at = lineEnd(source, 0);
    return { kind: "mark", text: ";", pieces: [] };
  }
  return undefined;
}

function readSubstitution(lexer: Lexer): TokenPiece | undefined {
  if (!lexer.source.startsWith("${", lexer.at)) return undefined;
  lexer.at += 2;
  return readInterpolation(lexer, "}") ?? "${";
}

const WORDS_BEFORE_REGEXP = wordSet("return typeof case in of delete void throw await yield");

const AMBIGUOUS_REACH = 80;

/** A slash after a value divides; anywhere else it opens a regular expression. */
function isRegexpPlace(lexer: Lexer): boolean {
  const before = previousToken(lexer);
  if (before === undefined) return true;
  // Behind a brace it may be either; where that decides what is text, the reading counts as incomplete.
  if (before.text === "}" && /["'`]/.test(lexer.source.slice(lexer.at, lexer.at + AMBIGUOUS_REACH))) {
    lexer.budget.isCutShort = true;
  }
  if (before.kind === "mark") return ![")", "]", "}", "++", "--"].includes(before.text);
  return before.kind === "name" && WORDS_BEFORE_REGEXP.has(before.text);
}

/** Unclosed, it ends with its line: nothing is read twice. */
function regexpEnd(source: string, start: number): number {
  let isInClass = false;
  let at = start + 1;
  for (; at < source.length; at += 1) {
    const character = source.charAt(at);
    if (character === "\n") return at;
    if (character === "\\") at += 1;
    else if (character === "[") isInClass = true;
    else if (character === "]") isInClass = false;
    else if (character === "/" && !isInClass) break;
  }
  at += 1;
  while (/[a-z]/.test(source.charAt(at))) at += 1;
  return at;
}

const INFIX: InfixTable = new Map([
  ...level(1, "assign", "="),
  ...augments(1, "join", "+="),
  ...augments(1, "choice", "||= ??= &&="),
  ...augments(1, "number", "-= *= /= %= &= |= ^= <<= >>= >>>= **="),
  ...level(2, "ternary", "?"),
  ...level(3, "choice", "|| ??"),
  ...level(4, "both", "&&"),
  ...level(9, "other", "| ^ & == != === !== < > <= >= in instanceof"),
  ...level(10, "other", "<< >> >>>"),
  ...level(11, "join", "+"),
  ...level(11, "number", "-"),
  ...level(12, "number", "* / %"),
  ...level(13, "number", "**"),
]);

type ReadStatement = (parser: Parser) => Node;

const STATEMENTS = wordMap<ReadStatement>([
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

const GRAMMAR: Grammar = {
  ...DEFAULT_GRAMMAR,
  infix: INFIX,
  prefixes: new Set(["await", "new", "yield"]),
  negations: new Set(["!", "-", "+", "~", "typeof", "void", "delete", "++", "--"]),
  memberMarks: new Set([".", "?."]),
  spreads: new Set(["..."]),
  allowsSpacedCall: true,
  bracesAreRecord: true,
  readPrimary,
  readSuffix,
  statements: STATEMENTS,
  isStatement,
};

const ESCAPED_WORD = /\\u(?:00([0-9a-f]{2})|\{0{0,4}([0-9a-f]{2})\})/gi;

/** Names may be spelled with escapes; letters mean the same inside strings, so they are replaced everywhere. */
function unescapeWord(escaped: string, short: string | undefined, long: string | undefined): string {
  const character = String.fromCharCode(Number.parseInt(short ?? long ?? "0", 16));
  return /[\w$]/.test(character) ? character : escaped;
}

/** Cut JavaScript or TypeScript into nodes. */
export function parseJavaScript(source: string, budget: ReadingBudget): readonly Node[] {
  const plain = source.includes("\\u") ? source.replace(ESCAPED_WORD, unescapeWord) : source;
  return parseStatements(plain, LEXER_RULES, GRAMMAR, budget);
}

function readPrimary(parser: Parser): Node | undefined {
  const token = peek(parser);
  if (token.kind === "mark") {
    if (token.text === "{") return nested(parser, () => readObject(parser));
    if (token.text === "(" && isArrowHead(parser)) return nested(parser, () => readArrow(parser));
    return undefined;
  }
  if (token.kind !== "name") return undefined;
  if (
    token.text === "async" &&
    !isNext(parser, "=>", 1) &&
    (peek(parser, 1).kind === "name" || isArrowAfterAsync(parser))
  ) {
    parser.at += 1;
    return readPrimary(parser);
  }
  if (isNext(parser, "=>", 1)) return nested(parser, () => readArrow(parser));
  if (token.text === "function") return nested(parser, () => readFunction(parser));
  if (token.text === "class") return nested(parser, () => readClass(parser));
  return undefined;
}

function isArrowAfterAsync(parser: Parser): boolean {
  return isNext(parser, "(", 1) && isArrowHead(parser, 1);
}

/** `(…) =>`, also with a result type in between. */
function isArrowHead(parser: Parser, ahead = 0): boolean {
  const after = closerOf(parser, parser.at + ahead) + 1;
  if (isNextAt(parser, after, "=>")) return true;
  if (!isNextAt(parser, after, ":")) return false;
  for (let at = after + 1; at < after + 10; at += 1) {
    if (isNextAt(parser, at, "=>")) return true;
    const token = parser.tokens[at];
    if (token === undefined || token.startsLine || [",", ";", "{", "?"].includes(token.text)) return false;
  }
  return false;
}

function isNextAt(parser: Parser, at: number, text: string): boolean {
  return parser.tokens[at]?.kind === "mark" && parser.tokens[at]?.text === text;
}

function readSuffix(parser: Parser, value: Node, start: number): Node | undefined {
  const token = peek(parser);
  if (token.kind === "text" && token.text === "`") {
    parser.at += 1;
    return callNode(value, [piecesNode(parser, token)], start);
  }
  if ((isNext(parser, "++") || isNext(parser, "--")) && !token.startsLine) {
    parser.at += 1;
    return { kind: "assign", target: value, value: SOME_NUMBER };
  }
  // TypeScript: `x as T`, `x satisfies T`, `x!`.
  if (token.kind === "name" && (token.text === "as" || token.text === "satisfies") && !token.startsLine) {
    parser.at += 1;
    skipType(parser);
    return value;
  }
  if (
    token.kind === "mark" &&
    token.text === "!" &&
    !token.isSpaced &&
    [".", ")", "[", ",", ";"].includes(peek(parser, 1).text)
  ) {
    parser.at += 1;
    return value;
  }
  return undefined;
}

/** Words that are statements only when a name follows; else they are ordinary names. */
const SOFT_WORDS = new Set(["type", "interface", "using", "declare"]);

/** A keyword followed by what makes it a plain name or an expression is none. */
function isStatement(parser: Parser): boolean {
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

/** `(a, b) => …` or `a => …` */
function readArrow(parser: Parser): Node {
  const parameters = isNext(parser, "(") ? readParameters(parser) : [nameNode(take(parser).text)];
  if (takeIf(parser, ":")) skipType(parser);
  takeIf(parser, "=>");
  const body: readonly Node[] = isNext(parser, "{")
    ? readBlock(parser)
    : [{ kind: "return", value: readExpression(parser, 1) }];
  return functionNode({ name: undefined, parameters, body });
}

/** `function name(a) {…}` */
function readFunction(parser: Parser): Node {
  parser.at += 1;
  takeIf(parser, "*");
  const name = peek(parser).kind === "name" ? take(parser).text : undefined;
  return functionNode({ name, ...readSignatureAndBody(parser) });
}

function functionNode(definition: FunctionDefinition): Node {
  return { kind: "function", definition };
}

function readSignatureAndBody(parser: Parser): Pick<FunctionDefinition, "parameters" | "body"> {
  if (isNext(parser, "<")) skipTo(parser, "(");
  const parameters = readParameters(parser);
  if (takeIf(parser, ":")) skipType(parser);
  return { parameters, body: isNext(parser, "{") ? readBlock(parser) : [] };
}

function readParameters(parser: Parser): Node[] {
  return isNext(parser, "(") ? readBetween(parser, readParameter).flat() : [];
}

function readParameter(parser: Parser): Node[] {
  if (takeIf(parser, ",") || takeIf(parser, "...")) return [];
  // Precedence above assignment, so that the default is not swallowed before a type was skipped.
  const target = readExpression(parser, 3);
  takeIf(parser, "?");
  if (takeIf(parser, ":")) skipType(parser);
  return [takeIf(parser, "=") ? { kind: "assign", target, value: readExpression(parser, 1) } : target];
}

const MODIFIERS = wordSet("async get set static public private protected readonly override");

/** `{ a: 1, b, ["c"]: 2, d() {…}, ...e }` */
function readObject(parser: Parser): Node {
  return readRecord(parser, readEntry);
}

function readEntry(parser: Parser): RecordEntry {
  if (takeIf(parser, "...")) return [undefined, readExpression(parser, 1)];
  skipModifiers(parser);
  const key = readKey(parser);
  if (takeIf(parser, ":")) return [key, nested(parser, () => readExpression(parser, 1))];
  if (isNext(parser, "("))
    return [key, nested(parser, () => functionNode({ name: undefined, ...readSignatureAndBody(parser) }))];
  const own = key.kind === "text" && typeof key.pieces[0] === "string" ? nameNode(key.pieces[0]) : NOTHING;
  if (takeIf(parser, "=")) return [key, { kind: "assign", target: own, value: readExpression(parser, 1) }];
  return [key, own];
}

function skipModifiers(parser: Parser): void {
  while (
    MODIFIERS.has(peek(parser).text) &&
    (peek(parser, 1).kind === "name" || isNext(parser, "[", 1) || isNext(parser, "*", 1))
  ) {
    parser.at += 1;
  }
  takeIf(parser, "*");
}

function readKey(parser: Parser): Node {
  if (isNext(parser, "[")) return readItems(parser, "]").items[0]?.value ?? NOTHING;
  const token = peek(parser);
  if (token.kind === "name" || token.kind === "number") {
    parser.at += 1;
    return textNode(token.text);
  }
  return bareKey(readExpression(parser, 3));
}

/** A class is a record of its functions and first values. */
function readClass(parser: Parser): Node {
  parser.at += 1;
  const name = peek(parser).kind === "name" && !isNext(parser, "extends") ? take(parser).text : undefined;
  skipTo(parser, "{");
  const entries = readBetween(parser, () => (takeIf(parser, ";") ? [] : [readClassMember(parser)])).flat();
  const record: Node = { kind: "record", entries };
  return name === undefined ? record : { kind: "assign", target: nameNode(name), value: record };
}

function readClassMember(parser: Parser): RecordEntry {
  skipModifiers(parser);
  if (isNext(parser, "{")) return [undefined, sequence(...readBlock(parser))];
  const key = readKey(parser);
  takeIf(parser, "?");
  if (isNext(parser, "(") || isNext(parser, "<")) {
    return [key, nested(parser, () => functionNode({ name: undefined, ...readSignatureAndBody(parser) }))];
  }
  if (takeIf(parser, ":")) skipType(parser);
  return [key, takeIf(parser, "=") ? readExpression(parser, 1) : NOTHING];
}

const TYPE_ENDS = wordSet(", ) ] } = ; => { && || ? : .");

/** Step over a type: it says nothing about what runs. Brackets are jumped. */
function skipType(parser: Parser): void {
  const first = parser.at;
  while (peek(parser).kind !== "end" && parser.budget.left > 0) {
    const token = peek(parser);
    if (token.startsLine && parser.at > first) return;
    const isBracket = token.kind === "mark" && ["(", "[", "{", "<"].includes(token.text);
    if (isBracket && (token.text !== "{" || parser.at === first)) {
      parser.at = token.text === "<" ? parser.at + 1 : closerOf(parser, parser.at) + 1;
      continue;
    }
    if (token.kind === "mark" && TYPE_ENDS.has(token.text)) return;
    parser.at += 1;
  }
}

const GLOBALS = ["globalThis.", "global.", "window.", "self.", "process.mainModule.", "module.constructor."];
const SAME_MODULE: readonly (readonly [string, string])[] = [
  ["fs.promises", "fs"],
  ["fs-extra", "fs"],
  ["graceful-fs", "fs"],
  ["path.posix", "path"],
  ["shelljs.global", "shelljs"],
  ["shell.", "shelljs."],
  ["https.", "http."],
];

/** Other ways to write the same name. */
export function canonicalName(written: string): string {
  let name = written;
  for (const prefix of GLOBALS) if (name.startsWith(prefix)) name = name.slice(prefix.length);
  if (name.includes(".default")) name = name.replace(/\.default(?=\.|$)/g, "");
  for (const [other, usual] of SAME_MODULE) {
    if (name.startsWith(other)) name = usual + name.slice(other.length);
  }
  return name;
}

/** The qualified name of a module by the name it is loaded with. */
export function moduleName(loaded: string): string {
  return canonicalName(loaded.replace(/^(?:node|npm|jsr):/, "").replace(/^(fs|path|stream|dns)\//, "$1."));
}
