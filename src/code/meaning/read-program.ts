import type { CodeContext, CodeReading } from "../../shell/code-calls.ts";
import type { Value } from "../../shell/value.ts";
import { createReadingBudget } from "../syntax/reading-budget.ts";
import { sourceOf } from "../syntax/source.ts";
import { createContext, type LanguageDefinition } from "./context.ts";
import { textDatum } from "./datum.ts";
import { runProgram } from "./evaluate.ts";

/** Read a program of a language that has names, texts and calls. */
export function readProgram(
  library: LanguageDefinition,
  code: Value,
  inputs: CodeContext,
  invocation: number,
): CodeReading {
  const source = sourceOf(code);
  const budget = createReadingBudget(source.text.length, inputs.budget);
  const context = createContext(library, source, inputs, invocation, budget);
  for (const [name, value] of inputs.variables ?? []) context.globals.names.set(name, textDatum(value));
  runProgram(context, library.parse(source.text, budget));
  return { calls: context.calls, isComplete: !budget.isCutShort };
}
