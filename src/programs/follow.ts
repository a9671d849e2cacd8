import type { Programs } from "../shell/programs.ts";
import { findCriticalWords } from "./critical-words.ts";
import { interpretBy } from "./interpreters/run-code.ts";
import { findModel, isProgram, knownPrograms } from "./models.ts";
import { runOptionStrings } from "./wrappers/option-strings.ts";

const SELDOM_FAIL = new Set(["mkdir", "echo", "printf"]);

export const PROGRAMS: Programs = {
  follow(name, call, runs) {
    if (name === undefined || !runs) return { output: undefined, effects: [] };
    runOptionStrings(name, call);
    return { output: findModel(name)?.(call), effects: [] };
  },
  interpret: interpretBy,
  isKnown: isProgram,
  get names() {
    return knownPrograms();
  },
  seldomFails: name => SELDOM_FAIL.has(name),
  findDangerous: findCriticalWords,
};
