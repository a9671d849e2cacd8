import type { CodeCall, CodeContext } from "../../shell/code-calls.ts";
import type { Value } from "../../shell/value.ts";
import { select, withArgument } from "../meaning/arguments.ts";
import { homeDatum } from "../meaning/context.ts";
import { firstValue, knownTextOf } from "../meaning/datum.ts";
import { noteDelete, noteWrite } from "../meaning/effects.ts";
import { createContext, evaluate } from "../meaning/evaluate.ts";
import { defineLanguage } from "../meaning/library-table.ts";
import { C_ESCAPES } from "../syntax/escapes.ts";
import { DEFAULT_GRAMMAR, readExpression } from "../syntax/expressions.ts";
import { augments, level } from "../syntax/grammar.ts";
import { createParser, type Grammar, readMany } from "../syntax/parser.ts";
import type { ReadingBudget } from "../syntax/reading-budget.ts";
import type { Source } from "../syntax/source.ts";
import { readQuoted } from "../syntax/strings.ts";
import { type LexerRules, tokenise } from "../syntax/tokens.ts";

const LEXER_RULES: LexerRules = {
  lineComments: [],
  blockComments: [],
  marks: ".. .= == != =~ && || ->",
  nameCharacters: ":#$&",
  hasBackslashContinuation: false,
  readSpecial: lexer => {
    const character = lexer.source.charAt(lexer.at);
    if (character !== '"' && character !== "'") return undefined;
    lexer.at += 1;
    const isRaw = character === "'";
    const pieces = readQuoted(lexer, {
      close: character,
      escapes: isRaw ? undefined : C_ESCAPES,
      isVerbatim: isRaw,
      doubles: isRaw,
    });
    return { kind: "text", text: "", pieces };
  },
};

const GRAMMAR: Grammar = {
  ...DEFAULT_GRAMMAR,
  infix: new Map([
    ...level(1, "assign", "="),
    ...augments(1, "join", ".="),
    ...level(2, "ternary", "?"),
    ...level(3, "choice", "|| &&"),
    ...level(4, "other", "== != =~ < >"),
    ...level(5, "join", ". .."),
    ...level(6, "other", "+ - * / %"),
  ]),
  negations: new Set(["!", "-", "+"]),
  memberMarks: new Set(["->"]),
  allowsSpacedCall: true,
  bracesAreRecord: true,
};

/** `delete(path, "rf")` */
const removes = withArgument("0", (path, call, context) =>
  noteDelete(context, call, path, knownTextOf(select(call, "1"))?.includes("r") === true),
);

/** `writefile(lines, path, "a")` */
const writes = withArgument("1", (path, call, context) =>
  noteWrite(context, call, path, knownTextOf(select(call, "2"))?.includes("a") === true),
);

const VIM = defineLanguage({
  id: "vim",
  parse: () => [],
  functions: () => [
    ["system systemlist job_start jobstart term_start termopen", "runsWords", "0"],
    ["delete", removes],
    ["writefile", writes],
    ["readfile readblob", "reads", "0"],
    ["rename", "moves", "0", "1"],
    ["expand fnamemodify", "makesPath", "0", "home for tilde"],
  ],
  constants: () => [["$HOME", homeDatum]],
});

/** Follow one Vim script expression; gives the value of its last part and the calls in it. */
export function readVimExpression(
  expression: string,
  source: Source,
  inputs: CodeContext,
  invocation: number,
  budget: ReadingBudget,
): { value: Value | undefined; calls: readonly CodeCall[] } {
  const parser = createParser(tokenise(expression, LEXER_RULES, budget), GRAMMAR, budget);
  const nodes = readMany(
    parser,
    () => false,
    () => readExpression(parser),
  );
  const context = createContext(VIM, source, inputs, invocation, budget);
  const data = nodes.map(node => evaluate(context, context.globals, node));
  const last = data.at(-1);
  return { value: last === undefined ? undefined : firstValue(last), calls: context.calls };
}
