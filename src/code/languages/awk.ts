import { knownText, text, unknown } from "../../shell/index.ts";
import {
  createChoice,
  type Datum,
  formatted,
  joined,
  knownDatumText,
  literal,
  reference,
  separatedBy,
  textDatum,
} from "../meaning/datum.ts";
import { noteNetwork, noteShell, noteSpawn, noteWrite } from "../meaning/effects.ts";
import {
  argumentList,
  type EvaluationContext,
  type FunctionCall,
  fromNetwork,
  type LibraryFunction,
  wholeEnvironment,
  withArgument,
} from "../meaning/evaluation-context.ts";
import { defineLanguage } from "../meaning/library-table.ts";
import { parseStatements, readBody, readConditional, readResult, readStatement } from "../syntax/braces.ts";
import {
  DEFAULT_GRAMMAR,
  type Grammar,
  type Parser,
  readExpression,
  readItems,
  readItemsUntil,
} from "../syntax/parser.ts";
import type { ReadingBudget } from "../syntax/source.ts";
import {
  C_ESCAPES,
  type Lexer,
  type LexerRules,
  previousToken,
  readPattern,
  readText,
  type SpecialToken,
} from "../syntax/tokens.ts";
import {
  augments,
  callNode,
  type InfixTable,
  level,
  NOTHING,
  type Node,
  nameNode,
  textNode,
  wordMap,
} from "../syntax/tree.ts";

const LEXER_RULES: LexerRules = {
  lineComments: ["#"],
  marks: "**= && || >> |& == != <= >= !~ ++ -- += -= *= /= %= ^= **",
  hasBackslashContinuation: true,
  readSpecial,
};

function readSpecial(lexer: Lexer): SpecialToken | undefined {
  const character = lexer.source.charAt(lexer.at);
  if (character === '"') return readText(lexer, { escapes: C_ESCAPES, endsAtLine: true });
  return character === "/" && isPatternPlace(lexer) ? readPattern(lexer) : undefined;
}

function isPatternPlace(lexer: Lexer): boolean {
  const before = previousToken(lexer);
  if (before === undefined || before.kind !== "mark") return before === undefined;
  return ![")", "]"].includes(before.text);
}

/** Tighter than a comparison, so that `print a > "file"` stops at the file. */
const ABOVE_COMPARISON = 6;
const CONCATENATION = 7;

const INFIX: InfixTable = new Map([
  ...level(1, "assign", "="),
  ...augments(1, "other", "+= -= *= /= %= ^= **="),
  ...level(2, "ternary", "?"),
  ...level(3, "choice", "||"),
  ...level(4, "both", "&&"),
  ...level(5, "other", "~ !~ in < > <= >= == !="),
  ...level(5, "method", "| |&"),
  ...level(8, "other", "+ -"),
  ...level(9, "other", "* / %"),
  ...level(10, "other", "^ **"),
]);

const GRAMMAR: Grammar = {
  ...DEFAULT_GRAMMAR,
  infix: INFIX,
  negations: new Set(["!", "-", "+", "++", "--"]),
  endsAtLine: true,
  parenthesesAreList: true,
  readPrimary,
  readSuffix,
  statements: wordMap<(parser: Parser) => Node>([
    ["if while for", readConditional],
    ["else do", readBody],
    ["function func", readFunction],
    ["return", readResult],
    ["print printf", readPrint],
  ]),
};

/** Cut an awk program into nodes: patterns stand in front of their blocks. */
function parseAwk(source: string, budget: ReadingBudget): readonly Node[] {
  return parseStatements(source, LEXER_RULES, GRAMMAR, budget);
}

/** `$1` is a field of the input; `getline x < file` reads a file. */
function readPrimary(parser: Parser): Node | undefined {
  const token = parser.peek();
  if (parser.isNext("$")) {
    parser.at += 1;
    const index = readExpression(parser, 11);
    return callNode("$", [index], token.start);
  }
  if (!parser.isNext("getline")) return undefined;
  parser.at += 1;
  const next = parser.peek();
  const name =
    next.kind === "name" && !next.startsLine && !INFIX.has(next.text) ? parser.take().text : undefined;
  // Whoever pipes into it finds the variable's name in the text.
  if (!parser.takeIf("<")) return textNode(`getline ${name ?? "$0"}`);
  const file = readExpression(parser, ABOVE_COMPARISON);
  const read: Node = callNode("getline", [file], token.start);
  return name === undefined ? read : { kind: "assign", target: nameNode(name), value: read };
}

/** Values side by side are one text. */
function readSuffix(parser: Parser, value: Node): Node | undefined {
  const token = parser.peek();
  const isOperand =
    token.kind === "text" ||
    token.kind === "number" ||
    (token.kind === "name" && !INFIX.has(token.text) && token.text !== "getline") ||
    parser.isNext("$") ||
    (parser.isNext("(") && token.isSpaced);
  if (!isOperand || value === NOTHING || parser.isRestricted) return undefined;
  // One part at a time: the caller reads the next.
  parser.isRestricted = true;
  const next = readExpression(parser, CONCATENATION);
  parser.isRestricted = false;
  if (value.kind !== "operation") return { kind: "operation", operation: "join", operands: [value, next] };
  value.operands.push(next);
  return value;
}

/** `print a, b > file`, `print | "cmd"` */
function readPrint(parser: Parser): Node {
  const word = parser.tokens[parser.at - 1];
  const at = word?.start ?? 0;
  const isDone = (): boolean => endsPrint(parser);
  const isWhole = parser.isNext("(") && isRedirectAfter(parser);
  const items = isWhole
    ? readItems(parser, ")").items
    : readItemsUntil(parser, isDone, ABOVE_COMPARISON).items;
  const redirect = parser.peek();
  if (redirect.kind !== "mark" || ![">", ">>", "|", "|&"].includes(redirect.text) || redirect.startsLine) {
    return { kind: "call", callee: nameNode(word?.text ?? "print"), arguments: items, at };
  }
  parser.at += 1;
  const target = readExpression(parser, ABOVE_COMPARISON);
  return {
    kind: "call",
    callee: nameNode(`${word?.text ?? "print"}${redirect.text}`),
    arguments: [{ value: target }, ...items],
    at,
  };
}

function isRedirectAfter(parser: Parser): boolean {
  const next = parser.tokens[parser.findCloser(parser.at) + 1];
  return next?.kind === "mark" && [">", ">>", "|", "|&", ";", "}"].includes(next.text);
}

function endsPrint(parser: Parser): boolean {
  const token = parser.peek();
  if (token.kind === "end" || (token.startsLine && parser.tokens[parser.at - 1]?.text !== ",")) return true;
  return token.kind === "mark" && [";", "}", ">", ">>", "|", "|&", ")"].includes(token.text);
}

function readFunction(parser: Parser): Node {
  const name = parser.take().text;
  const parameters = parser.isNext("(") ? readItems(parser, ")").items.map(item => item.value) : [];
  const body = [readStatement(parser)];
  return { kind: "function", definition: { name, parameters, body } };
}

const MAX_LINES = 16;

/** `$0` and its fields, when the input is known: any line of it. */
const readsField: LibraryFunction = (call, context) => {
  const input = context.inputs.stdin;
  const known = input === undefined ? undefined : knownText(input);
  if (input === undefined || known === undefined) {
    return textDatum(unknown("any", "$", input?.origins ?? [{ kind: "input" }]));
  }
  const index = Number(knownDatumText(call.positional[0]) ?? Number.NaN);
  const lines = known
    .split("\n")
    .filter(line => line !== "")
    .slice(0, MAX_LINES);
  return createChoice(
    lines.map(line => {
      const field = index === 0 ? line : line.trim().split(/\s+/)[index - 1];
      return textDatum(
        field === undefined || Number.isNaN(index)
          ? unknown("any", "$", input.origins)
          : text(field, input.origins),
      );
    }),
  );
};

/** Special files of gawk are connections. */
function noteConnection(
  context: EvaluationContext,
  call: FunctionCall,
  target: Datum,
  sent: readonly Datum[],
): boolean {
  if (knownDatumText(target)?.startsWith("/inet") !== true) return false;
  noteNetwork(context, call, target, sent);
  return true;
}

/** What `print a, b` writes; `printf` fills its template. */
function printed(call: FunctionCall, items: readonly Datum[]): Datum {
  const [template, ...fillings] = items;
  if (call.name.startsWith("printf") && template !== undefined) return formatted(template, fillings);
  return joined([...separatedBy(literal(" "), items), literal("\n")]);
}

const printsToProgram = withArgument("0", (command, call, context) => {
  const items = call.positional.slice(1);
  if (noteConnection(context, call, command, items)) return undefined;
  const line = items.length === 0 ? readsField({ ...call, positional: [literal("0")] }, context) : undefined;
  const argv = [literal("sh"), literal("-c"), command];
  noteSpawn(context, call, argv, false, undefined, line ?? printed(call, items));
  return undefined;
});

function printsToFile(isAppend: boolean): LibraryFunction {
  return withArgument("0", (path, call, context) => {
    const items = call.positional.slice(1);
    if (noteConnection(context, call, path, items)) return undefined;
    return noteWrite(context, call, path, isAppend, printed(call, items));
  });
}

/** `"cmd" | getline` */
const readsProgram = withArgument("this", (command, call, context) => {
  const output = noteConnection(context, call, command, [])
    ? reference("connection", [fromNetwork(context)])
    : reference("getline", noteShell(context, call, command));
  const name = /^getline (.*)$/.exec(knownDatumText(call.positional[0]) ?? "")?.[1];
  if (name !== undefined) context.globals.names.set(name, output);
  return output;
});

/** What an awk program can do besides printing. */
export const AWK = defineLanguage({
  id: "awk",
  parse: parseAwk,
  functions: () => [
    ["print printf", "prints"],
    ["system", "runsShell", "0"],
    ["{print,printf}{|,|&}", printsToProgram],
    ["{print,printf}>", printsToFile(false)],
    ["{print,printf}>>", printsToFile(true)],
    ["$", readsField],
    ["getline", "reads", "0"],
    ["sprintf", "formats", "0", "1.."],
    ["tolower", "changesText", "0", "lower"],
    ["toupper", "changesText", "0", "upper"],
  ],
  methods: () => [["| |&", readsProgram]],
  constants: () => [
    ["ENVIRON", () => wholeEnvironment("ENVIRON")],
    ["ARGV", context => argumentList(context, "awk")],
    ["FILENAME", context => textDatum(context.inputs.arguments[0] ?? text(""))],
  ],
  environments: new Set(["ENVIRON"]),
  hoistsFunctions: true,
});
