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
  continueExpression,
  DEFAULT_GRAMMAR,
  type Grammar,
  type Parser,
  piecesNode,
  readExpression,
  readItems,
  readRecord,
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
  return readInterpolation(lexer) ?? "${";
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
  ...level(9, "other", "| ^ &"),
  ...level(9, "truth", "== != === !== < > <= >= in instanceof"),
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
  const token = parser.peek();
  if (token.kind === "mark") {
    if (token.text === "{") return parser.nested(() => readObject(parser));
    if (token.text === "(" && isArrowHead(parser)) return parser.nested(() => readArrow(parser));
    return undefined;
  }
  if (token.kind !== "name") return undefined;
  if (
    token.text === "async" &&
    !parser.isNext("=>", 1) &&
    (parser.peek(1).kind === "name" || isArrowAfterAsync(parser))
  ) {
    parser.at += 1;
    return readPrimary(parser);
  }
  if (parser.isNext("=>", 1)) return parser.nested(() => readArrow(parser));
  if (token.text === "function") return parser.nested(() => readFunction(parser));
  if (token.text === "class") return parser.nested(() => readClass(parser));
  return undefined;
}

function isArrowAfterAsync(parser: Parser): boolean {
  return parser.isNext("(", 1) && isArrowHead(parser, 1);
}

/** `(…) =>`, also with a result type in between. */
function isArrowHead(parser: Parser, ahead = 0): boolean {
  const after = parser.findCloser(parser.at + ahead) + 1;
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
  const token = parser.peek();
  if (token.kind === "text" && token.text === "`") {
    parser.at += 1;
    return callNode(value, [piecesNode(parser, token)], start);
  }
  if ((parser.isNext("++") || parser.isNext("--")) && !token.startsLine) {
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
    [".", ")", "[", ",", ";"].includes(parser.peek(1).text)
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
  const word = parser.peek().text;
  if (word === "default") return true;
  if (parser.isNext(".", 1) || parser.isNext("=", 1) || parser.isNext(":", 1)) return false;
  if (word === "import" && parser.isNext("(", 1)) return false;
  return !SOFT_WORDS.has(word) || parser.peek(1).kind === "name";
}

function skipDeclaration(parser: Parser): Node {
  parser.at += 1;
  while (
    !parser.peek().startsLine &&
    !parser.isNext(";") &&
    parser.peek().kind !== "end" &&
    step(parser.budget)
  ) {
    parser.at = parser.isNext("{") ? parser.findCloser(parser.at) + 1 : parser.at + 1;
  }
  return NOTHING;
}

/** `const a = 1, { b } = c` */
function readDeclarations(parser: Parser): Node {
  const body: Node[] = [];
  do {
    const target = readExpression(parser, 3);
    parser.takeIf("!");
    if (parser.takeIf(":")) skipType(parser);
    if (parser.isNext("of") || parser.isNext("in")) return target;
    body.push(parser.takeIf("=") ? { kind: "assign", target, value: readExpression(parser, 1) } : target);
  } while (parser.takeIf(",") && step(parser.budget));
  return sequence(...body);
}

const DECLARERS = new Set(["const", "let", "var", "using"]);

function readFor(parser: Parser): Node {
  parser.takeIf("await");
  if (!parser.isNext("(")) return NOTHING;
  const close = parser.findCloser(parser.at);
  parser.at += 1;
  const isEndless = parser.isNext(";") && parser.isNext(";", 1);
  if (DECLARERS.has(parser.peek().text)) parser.at += 1;
  // A target alone, above comparison, so that `in` is left standing.
  const target = readExpression(parser, 10);
  const isEach = parser.takeIf("of") || parser.takeIf("in");
  const first = isEach ? readExpression(parser) : continueExpression(parser, target, 0);
  const rest = parser.readMany(readExpression, () => parser.at >= close);
  parser.takeIf(")");
  const body = readStatement(parser);
  if (isEach) return { kind: "each", target, over: first, body: [body] };
  return isEndless ? conditional(nameNode("true"), body) : conditional(first, ...rest, body);
}

/** `import a, { b as c } from "m"`, `import * as d from "m"` */
function readImport(parser: Parser): Node {
  const bindings: { name: string; member: string | undefined }[] = [];
  while (
    parser.peek().kind !== "text" &&
    parser.peek().kind !== "end" &&
    !parser.isNext(";") &&
    step(parser.budget)
  ) {
    const token = parser.take();
    if (token.text === "from" && parser.peek().kind === "text") break;
    if (token.kind === "mark" && token.text === "*" && parser.takeIf("as")) {
      bindings.push({ name: parser.take().text, member: undefined });
    } else if (token.kind === "mark" && token.text === "{") {
      readImportNames(parser, bindings);
    } else if (token.kind === "name" && token.text !== "type") {
      bindings.push({ name: token.text, member: undefined });
    }
  }
  const module = parser.peek().kind === "text" ? readExpression(parser) : textNode("");
  const at = parser.peek().start;
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
  while (!parser.isNext("}") && parser.peek().kind !== "end" && step(parser.budget)) {
    const token = parser.take();
    if (token.kind !== "name") continue;
    const alias = parser.takeIf("as") ? parser.take().text : token.text;
    bindings.push({ name: alias, member: token.text });
  }
  parser.takeIf("}");
}

/** `(a, b) => …` or `a => …` */
function readArrow(parser: Parser): Node {
  const parameters = parser.isNext("(") ? readParameters(parser) : [nameNode(parser.take().text)];
  if (parser.takeIf(":")) skipType(parser);
  parser.takeIf("=>");
  const body: readonly Node[] = parser.isNext("{")
    ? readBlock(parser)
    : [{ kind: "return", value: readExpression(parser, 1) }];
  return functionNode({ name: undefined, parameters, body });
}

/** `function name(a) {…}` */
function readFunction(parser: Parser): Node {
  parser.at += 1;
  parser.takeIf("*");
  const name = parser.peek().kind === "name" ? parser.take().text : undefined;
  return functionNode({ name, ...readSignatureAndBody(parser) });
}

function functionNode(definition: FunctionDefinition): Node {
  return { kind: "function", definition };
}

function readSignatureAndBody(parser: Parser): Pick<FunctionDefinition, "parameters" | "body"> {
  if (parser.isNext("<")) parser.skipTo("(");
  const parameters = readParameters(parser);
  if (parser.takeIf(":")) skipType(parser);
  return { parameters, body: parser.isNext("{") ? readBlock(parser) : [] };
}

function readParameters(parser: Parser): Node[] {
  return parser.isNext("(") ? parser.readBetween(readParameter).flat() : [];
}

function readParameter(parser: Parser): Node[] {
  if (parser.takeIf(",") || parser.takeIf("...")) return [];
  // Precedence above assignment, so that the default is not swallowed before a type was skipped.
  const target = readExpression(parser, 3);
  parser.takeIf("?");
  if (parser.takeIf(":")) skipType(parser);
  return [parser.takeIf("=") ? { kind: "assign", target, value: readExpression(parser, 1) } : target];
}

const MODIFIERS = wordSet("async get set static public private protected readonly override");

/** `{ a: 1, b, ["c"]: 2, d() {…}, ...e }` */
function readObject(parser: Parser): Node {
  return readRecord(parser, readEntry);
}

function readEntry(parser: Parser): RecordEntry {
  if (parser.takeIf("...")) return [undefined, readExpression(parser, 1)];
  skipModifiers(parser);
  const key = readKey(parser);
  if (parser.takeIf(":")) return [key, parser.nested(() => readExpression(parser, 1))];
  if (parser.isNext("("))
    return [key, parser.nested(() => functionNode({ name: undefined, ...readSignatureAndBody(parser) }))];
  const own = key.kind === "text" && typeof key.pieces[0] === "string" ? nameNode(key.pieces[0]) : NOTHING;
  if (parser.takeIf("=")) return [key, { kind: "assign", target: own, value: readExpression(parser, 1) }];
  return [key, own];
}

function skipModifiers(parser: Parser): void {
  while (
    MODIFIERS.has(parser.peek().text) &&
    (parser.peek(1).kind === "name" || parser.isNext("[", 1) || parser.isNext("*", 1))
  ) {
    parser.at += 1;
  }
  parser.takeIf("*");
}

function readKey(parser: Parser): Node {
  if (parser.isNext("[")) return readItems(parser, "]").items[0]?.value ?? NOTHING;
  const token = parser.peek();
  if (token.kind === "name" || token.kind === "number") {
    parser.at += 1;
    return textNode(token.text);
  }
  return bareKey(readExpression(parser, 3));
}

/** A class is a record of its functions and first values. */
function readClass(parser: Parser): Node {
  parser.at += 1;
  const name = parser.peek().kind === "name" && !parser.isNext("extends") ? parser.take().text : undefined;
  parser.skipTo("{");
  const entries = parser.readBetween(() => (parser.takeIf(";") ? [] : [readClassMember(parser)])).flat();
  const record: Node = { kind: "record", entries };
  return name === undefined ? record : { kind: "assign", target: nameNode(name), value: record };
}

function readClassMember(parser: Parser): RecordEntry {
  skipModifiers(parser);
  if (parser.isNext("{")) return [undefined, sequence(...readBlock(parser))];
  const key = readKey(parser);
  parser.takeIf("?");
  if (parser.isNext("(") || parser.isNext("<")) {
    return [key, parser.nested(() => functionNode({ name: undefined, ...readSignatureAndBody(parser) }))];
  }
  if (parser.takeIf(":")) skipType(parser);
  return [key, parser.takeIf("=") ? readExpression(parser, 1) : NOTHING];
}

const TYPE_ENDS = wordSet(", ) ] } = ; => { && || ? : .");

/** Step over a type: it says nothing about what runs. Brackets are jumped. */
function skipType(parser: Parser): void {
  const first = parser.at;
  while (parser.peek().kind !== "end" && parser.budget.left > 0) {
    const token = parser.peek();
    if (token.startsLine && parser.at > first) return;
    const isBracket = token.kind === "mark" && ["(", "[", "{", "<"].includes(token.text);
    if (isBracket && (token.text !== "{" || parser.at === first)) {
      parser.at = token.text === "<" ? parser.at + 1 : parser.findCloser(parser.at) + 1;
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
