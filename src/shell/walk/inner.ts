import type { Parent } from "../facts.ts";
import { NO_OUTPUT } from "../state/output.ts";
import type { Output, ProgramCall } from "../state/types.ts";
import type { Value } from "../value.ts";

/** Runs the program that a wrapper was given. Functions and builtins of the shell are out of reach for it. */
export function runInner(
  argv: readonly Value[],
  call: ProgramCall,
  changes: Partial<ProgramCall> = {},
  via: Parent["via"] = "wrapper",
): Output {
  if (argv.length === 0) return NO_OUTPUT;
  return call.scope.session.walker.execute({
    ...call,
    declarations: [],
    isInShell: false,
    wrappers: call.wrappers + 1,
    parent: { invocation: call.id, via },
    ...changes,
    argv,
  });
}
