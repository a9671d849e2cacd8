import type { Parent } from "../facts.ts";
import type { Value } from "../value.ts";
import type { Call } from "../walk/call.ts";
import { execute } from "../walk/execute.ts";
import { NO_OUTPUT, type Output } from "../walk/output.ts";

/** Runs the program that a wrapper was given. Functions and builtins of the shell are out of reach for it. */
export function runInner(
  argv: readonly Value[],
  call: Call,
  id: number,
  changes: Partial<Call> = {},
  road: Parent["road"] = "wrapper",
): Output {
  if (argv.length === 0) return NO_OUTPUT;
  return execute({
    ...call,
    declarations: [],
    isInShell: false,
    wrappers: call.wrappers + 1,
    parent: { invocation: id, road },
    ...changes,
    argv,
  });
}
