import type { CodeReader, CodeReading } from "../shell/code-calls.ts";
import { readAppleScript } from "./applescript.ts";
import { AWK } from "./awk/library.ts";
import { readCmd } from "./cmd.ts";
import { JAVASCRIPT } from "./javascript/library.ts";
import { LUA } from "./lua/library.ts";
import { PERL } from "./perl/library.ts";
import { PHP } from "./php/library.ts";
import { POWERSHELL } from "./powershell/library.ts";
import { PYTHON } from "./python/library.ts";
import { readProgram } from "./read-program.ts";
import { RUBY } from "./ruby/library.ts";
import { readSed } from "./sed.ts";
import { readTcl } from "./tcl.ts";
import { readVim } from "./vim.ts";

/** Read program text for what it does. Never throws; linear in the text. */
export const readCode: CodeReader = (language, code, context, invocation): CodeReading => {
  switch (language) {
    case "python":
      return readProgram(PYTHON, code, context, invocation);
    case "javascript":
      return readProgram(JAVASCRIPT, code, context, invocation);
    case "perl":
      return readProgram(PERL, code, context, invocation);
    case "php":
      return readProgram(PHP, code, context, invocation);
    case "lua":
      return readProgram(LUA, code, context, invocation);
    case "ruby":
      return readProgram(RUBY, code, context, invocation);
    case "awk":
      return readProgram(AWK, code, context, invocation);
    case "sed":
      return readSed(code, context);
    case "vim":
      return readVim(code, context, invocation);
    case "applescript":
      return readAppleScript(code, context, invocation);
    case "expect":
      return readTcl(code, context);
    case "powershell":
      return readProgram(POWERSHELL, code, context, invocation);
    case "cmd":
      return readCmd(code, context);
  }
};
