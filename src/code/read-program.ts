import type { CodeContext, CodeReading } from "../shell/code-calls.ts";
import type { Value } from "../shell/value.ts";
import { effortFor } from "./effort.ts";
import { textDatum } from "./meaning/datum.ts";
import { runProgram } from "./meaning/evaluate.ts";
import { createRun, type Library } from "./meaning/run.ts";
import { sourceOf } from "./source.ts";

/** Read a program of a language that has names, texts and calls. */
export function readProgram(
  library: Library,
  code: Value,
  context: CodeContext,
  invocation: number,
): CodeReading {
  const source = sourceOf(code);
  const effort = effortFor(source.text.length, context.budget);
  const run = createRun(library, source, context, invocation, effort);
  for (const [name, value] of context.variables ?? []) run.globals.names.set(name, textDatum(value));
  runProgram(run, library.parse(source.text, effort));
  return { calls: run.calls, isComplete: !effort.isCutShort };
}
