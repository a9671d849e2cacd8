import type { CodeReader, CodeReading } from "./code.ts";
import { JAVASCRIPT } from "./javascript/library.ts";
import { PYTHON } from "./python/library.ts";
import { readProgram } from "./read-program.ts";
import { RUBY } from "./ruby/library.ts";

/** Read program text for what it does. Never throws; linear in the text. */
export const readCode: CodeReader = (language, code, context, invocation): CodeReading => {
  switch (language) {
    case "python":
      return readProgram(PYTHON, code, context, invocation);
    case "javascript":
      return readProgram(JAVASCRIPT, code, context, invocation);
    case "ruby":
      return readProgram(RUBY, code, context, invocation);
    default:
      return { calls: [], isComplete: false };
  }
};
