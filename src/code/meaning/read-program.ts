import { type CodeContext, type CodeReading, createBudget, text, type Value } from "../../shell/index.ts";
import { createReadingBudget, type ReadingBudget } from "../syntax/reading-budget.ts";
import { type Source, sourceOf } from "../syntax/source.ts";
import type { LanguageDefinition } from "./context.ts";
import { textDatum } from "./datum.ts";
import { createContext, runProgram } from "./evaluate.ts";

/** Read a program of a language that has names, texts and calls. */
export function readProgram(
  language: LanguageDefinition,
  code: Value,
  inputs: CodeContext,
  invocation: number,
): CodeReading {
  const source = sourceOf(code);
  const budget = createReadingBudget(source.text.length, inputs.budget);
  const nodes = language.parse(source.text, budget);
  if (nodes.length === 0) return { calls: [], isComplete: !budget.isCutShort };
  const context = createContext(language, source, inputs, invocation, budget);
  for (const [name, value] of inputs.variables ?? []) context.globals.names.set(name, textDatum(value));
  runProgram(context, nodes);
  return { calls: context.calls, isComplete: !budget.isCutShort };
}

const MAX_STEPS = 20_000_000;

/** A budget for text that is not part of a shell analysis: statements for a database. */
export function standaloneBudget(length: number): ReadingBudget {
  return createReadingBudget(length, createBudget(MAX_STEPS));
}

/** Follow code that runs inside a database: it has no files, arguments or variables. */
export function runInDatabase(language: LanguageDefinition, source: Source, budget: ReadingBudget): void {
  const inputs: CodeContext = {
    cwd: text("."),
    home: "",
    tmpdir: "",
    user: undefined,
    arguments: [],
    stdin: undefined,
    environment: () => undefined,
    budget: budget.total,
  };
  runProgram(createContext(language, source, inputs, 0, budget), language.parse(source.text, budget));
}
