import type { Parent } from "../facts.ts";
import type { Value } from "../value.ts";
import type { ProgramCall } from "./call.ts";
import { execute } from "./execute.ts";
import { NO_OUTPUT, type Output } from "./output.ts";

/** Runs the program that a wrapper was given. Functions and builtins of the shell are out of reach for it. */
export function runInner(
  argv: readonly Value[],
  call: ProgramCall,
  changes: Partial<ProgramCall> = {},
  road: Parent["road"] = "wrapper",
): Output {
  if (argv.length === 0) return NO_OUTPUT;
  return execute({
    ...call,
    declarations: [],
    isInShell: false,
    wrappers: call.wrappers + 1,
    parent: { invocation: call.id, road },
    ...changes,
    argv,
  });
}
