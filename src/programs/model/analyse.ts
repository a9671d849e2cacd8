import { readCode } from "../../code/index.ts";
import type { OwnProgram } from "../../config/index.ts";
import {
  analyse,
  analyseFile as analyseLoaded,
  analyseArgv as analyseWords,
  type CodeReader,
  type Knowledge,
  type ShellContext,
  type ShellFacts,
} from "../../shell/index.ts";
import { programsWith } from "./follow.ts";
import { ownPrograms } from "./own-programs.ts";
import { hasTrait } from "./registry.ts";

const NONE: readonly OwnProgram[] = [];

/** Shell text to facts, with everything that is known about programs and languages. Never throws. */
export function analyseCommand(
  command: string,
  context: ShellContext,
  own: readonly OwnProgram[] = NONE,
): ShellFacts {
  return analyse(command, context, createKnowledge(own));
}

/** A program that is about to start with exactly these words. */
export function analyseArgv(
  argv: readonly string[],
  context: ShellContext,
  own: readonly OwnProgram[] = NONE,
): ShellFacts {
  return analyseWords(argv, context, createKnowledge(own));
}

/** What the text of a file would do if a program loaded it. */
export function analyseFile(
  path: string,
  content: string,
  context: ShellContext,
  own: readonly OwnProgram[],
): ShellFacts {
  return analyseLoaded(path, content, context, createKnowledge(own));
}

/** What a program prints that is started by code of another language. */
export function describeOutput(program: string): "network" | "decoded" | "program" {
  if (hasTrait(program, "fetches")) return "network";
  return hasTrait(program, "decodes") || hasTrait(program, "unpacks") ? "decoded" : "program";
}

const readCodeOfPrograms: CodeReader = (language, code, context, invocation) =>
  readCode(language, code, { ...context, outputOf: describeOutput }, invocation);

const known = new WeakMap<readonly OwnProgram[], Knowledge>();

function createKnowledge(own: readonly OwnProgram[]): Knowledge {
  const made = known.get(own);
  if (made !== undefined) return made;
  const knowledge = { readCode: readCodeOfPrograms, programs: programsWith(ownPrograms(own)) };
  known.set(own, knowledge);
  return knowledge;
}
