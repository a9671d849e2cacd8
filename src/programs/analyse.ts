import { readCode } from "../code/read-code.ts";
import { analyse, analyseArgv as analyseWords } from "../shell/analyse.ts";
import type { ShellContext, ShellFacts } from "../shell/facts.ts";
import { PROGRAMS } from "./follow.ts";

const KNOWLEDGE = { readCode, programs: PROGRAMS };

/** Shell text to facts, with everything that is known about programs and languages. */
export function analyseCommand(command: string, context: ShellContext): ShellFacts {
  return analyse(command, context, KNOWLEDGE);
}

/** A program that is about to start with exactly these words. */
export function analyseArgv(argv: readonly string[], context: ShellContext): ShellFacts {
  return analyseWords(argv, context, KNOWLEDGE);
}
