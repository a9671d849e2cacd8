import { readCode } from "../code/read-code.ts";
import { analyse, analyseArgv as analyseShellArgv } from "../shell/analyse.ts";
import type { ShellHandlers } from "../shell/code-calls.ts";
import type { ShellContext, ShellFacts } from "../shell/facts.ts";

const HANDLERS: ShellHandlers = { readCode };

/** Shell text to facts, code in other languages included. Never throws. */
export function analyseCommand(command: string, context: ShellContext): ShellFacts {
  return analyse(command, context, HANDLERS);
}

/** A program that is about to start with exactly these words. */
export function analyseArgv(argv: readonly string[], context: ShellContext): ShellFacts {
  return analyseShellArgv(argv, context, HANDLERS);
}
