import type { CodeReader, CodeReading } from "../shell/code-calls.ts";
import { readAppleScript } from "./languages/applescript.ts";
import { AWK } from "./languages/awk/library.ts";
import { readCmd } from "./languages/cmd.ts";
import { JAVASCRIPT } from "./languages/javascript/library.ts";
import { LUA } from "./languages/lua/library.ts";
import { PERL } from "./languages/perl/library.ts";
import { PHP } from "./languages/php/library.ts";
import { POWERSHELL } from "./languages/powershell/library.ts";
import { PYTHON } from "./languages/python/library.ts";
import { RUBY } from "./languages/ruby/library.ts";
import { readSed } from "./languages/sed.ts";
import { readTcl } from "./languages/tcl.ts";
import { readVim } from "./languages/vim.ts";
import { readProgram } from "./meaning/read-program.ts";

/** Read program text for what it does. Never throws; linear in the text. */
export const readCode: CodeReader = (language, code, inputs, invocation): CodeReading => {
  switch (language) {
    case "python":
      return readProgram(PYTHON, code, inputs, invocation);
    case "javascript":
      return readProgram(JAVASCRIPT, code, inputs, invocation);
    case "perl":
      return readProgram(PERL, code, inputs, invocation);
    case "php":
      return readProgram(PHP, code, inputs, invocation);
    case "lua":
      return readProgram(LUA, code, inputs, invocation);
    case "ruby":
      return readProgram(RUBY, code, inputs, invocation);
    case "awk":
      return readProgram(AWK, code, inputs, invocation);
    case "sed":
      return readSed(code, inputs);
    case "vim":
      return readVim(code, inputs, invocation);
    case "applescript":
      return readAppleScript(code, inputs, invocation);
    case "expect":
      return readTcl(code, inputs);
    case "powershell":
      return readProgram(POWERSHELL, code, inputs, invocation);
    case "cmd":
      return readCmd(code, inputs);
  }
};
