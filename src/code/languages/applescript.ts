import type { CodeContext, CodeReading } from "../../shell/code-calls.ts";
import type { Value } from "../../shell/value.ts";
import type { LanguageDefinition, LibraryFunction } from "../meaning/context.ts";
import { homeDatum } from "../meaning/context.ts";
import { literal } from "../meaning/datum.ts";
import { noteDelete, noteShell } from "../meaning/effects.ts";
import { evaluates, passes, runsShell } from "../meaning/models.ts";
import { readProgram } from "../meaning/read-program.ts";
import { PLAIN_ESCAPES } from "../syntax/escapes.ts";
import { DEFAULT_GRAMMAR, readExpression } from "../syntax/expressions.ts";
import type { Grammar } from "../syntax/grammar.ts";
import { level } from "../syntax/grammar.ts";
import type { Parser } from "../syntax/reader.ts";
import { createParser, isNext, peek, take, takeIf } from "../syntax/reader.ts";
import type { ReadingBudget } from "../syntax/reading-budget.ts";
import { step } from "../syntax/reading-budget.ts";
import { readQuoted } from "../syntax/strings.ts";
import type { LexerRules } from "../syntax/tokens.ts";
import { tokenise } from "../syntax/tokens.ts";
import type { Node } from "../syntax/tree.ts";
import { nameNode } from "../syntax/tree.ts";

const LEXER_RULES: LexerRules = {
  lineComments: ["--", "#"],
  blockComments: [["(*", "*)"]],
  marks: ["¬", "≠"],
  nameCharacters: "",
  hasBackslashContinuation: false,
  readSpecial: lexer => {
    if (lexer.source.charAt(lexer.at) !== '"') return undefined;
    lexer.at += 1;
    return { kind: "text", text: "", pieces: readQuoted(lexer, { close: '"', escapes: PLAIN_ESCAPES }) };
  },
};

/** Phrases that do something, and the function that stands for them. */
const PHRASES: readonly (readonly [words: readonly string[], name: string])[] = [
  [["do", "shell", "script"], "do shell script"],
  [["do", "script"], "do script"],
  [["run", "script"], "run script"],
  [["path", "to", "home", "folder"], "path to home folder"],
  [["quoted", "form", "of"], "quoted form of"],
  [["posix", "path", "of"], "quoted form of"],
  [["posix", "file"], "quoted form of"],
  [["delete"], "delete"],
  [["shut", "down"], "shut down"],
  [["restart"], "restart"],
  [["log", "out"], "log out"],
];

/** What the phrases that end the work of everybody come to as commands. */
const ENDINGS: readonly (readonly [phrase: string, command: string])[] = [
  ["shut down", "shutdown -h now"],
  ["restart", "shutdown -r now"],
  ["log out", "launchctl bootout"],
];
const WITHOUT_VALUE: ReadonlySet<string> = new Set([
  "path to home folder",
  ...ENDINGS.map(([phrase]) => phrase),
]);

const GRAMMAR: Grammar = {
  ...DEFAULT_GRAMMAR,
  infix: new Map([...level(2, "join", "&"), ...level(1, "other", "= is")]),
  prefixes: new Set(["the"]),
  negations: new Set(["not", "-"]),
  memberMarks: new Set(),
  spreads: new Set(),
  endsAtLine: true,
  allowsSpacedCall: false,
  parenthesesAreList: true,
  bracesAreRecord: false,
  readPrimary: readPhrase,
};

function parseAppleScript(source: string, budget: ReadingBudget): readonly Node[] {
  const parser = createParser(tokenise(source, LEXER_RULES, budget), GRAMMAR, budget);
  const nodes: Node[] = [];
  while (peek(parser).kind !== "end" && step(budget)) {
    const before = parser.at;
    nodes.push(readStatement(parser));
    if (parser.at === before) parser.at += 1;
  }
  return nodes;
}

/** `set x to value`; everything else is looked through for phrases. */
function readStatement(parser: Parser): Node {
  const isSetting = isNext(parser, "set") && peek(parser, 1).kind === "name" && isNext(parser, "to", 2);
  if (!isSetting) return readExpression(parser);
  parser.at += 1;
  const target = nameNode(take(parser).text);
  takeIf(parser, "to");
  return { kind: "assign", target, value: readExpression(parser) };
}

function readPhrase(parser: Parser): Node | undefined {
  const at = peek(parser).start;
  for (const [words, name] of PHRASES) {
    const isHere = words.every((word, ahead) => {
      const token = peek(parser, ahead);
      return token.kind === "name" && token.text.toLowerCase() === word;
    });
    if (!isHere) continue;
    parser.at += words.length;
    const value = WITHOUT_VALUE.has(name) ? [] : [{ value: readExpression(parser, 2) }];
    return { kind: "call", callee: nameNode(name), arguments: value, at };
  }
  return undefined;
}

const removes: LibraryFunction = (call, context) => {
  const [target] = call.positional;
  if (target?.kind === "text") noteDelete(context, call, target, true);
  return undefined;
};

const APPLESCRIPT: LanguageDefinition = {
  id: "applescript",
  parse: parseAppleScript,
  functions: new Map<string, LibraryFunction>([
    ["do shell script", runsShell()],
    ["do script", runsShell()],
    ["run script", evaluates],
    ["quoted form of", passes()],
    ["path to home folder", (_call, context) => homeDatum(context)],
    ["delete", removes],
    ...ENDINGS.map(([phrase, command]): [string, LibraryFunction] => [
      phrase,
      (call, context) => {
        noteShell(context, call, literal(command));
        return undefined;
      },
    ]),
  ]),
  methods: new Map(),
  constants: new Map(),
  properties: new Map(),
  canonical: path => path,
  environments: new Set(),
  returnsLast: false,
};

/** Read AppleScript for `do shell script` and its kin. */
export function readAppleScript(code: Value, inputs: CodeContext, invocation: number): CodeReading {
  return readProgram(APPLESCRIPT, code, inputs, invocation);
}
