import type { CodeReader, Language } from "../shell/index.ts";
import { APPLESCRIPT } from "./languages/applescript.ts";
import { AWK } from "./languages/awk.ts";
import { CMD } from "./languages/cmd.ts";
import { JAVASCRIPT } from "./languages/javascript/library.ts";
import { LUA } from "./languages/lua.ts";
import { OTHER } from "./languages/other.ts";
import { PERL } from "./languages/perl/library.ts";
import { PHP } from "./languages/php.ts";
import { POWERSHELL } from "./languages/powershell/library.ts";
import { PYTHON } from "./languages/python/library.ts";
import { RUBY } from "./languages/ruby/library.ts";
import { SED } from "./languages/sed.ts";
import { TCL } from "./languages/tcl.ts";
import { VIM } from "./languages/vim.ts";
import { readProgram } from "./meaning/evaluate.ts";
import type { LanguageDefinition } from "./meaning/evaluation-context.ts";

const LANGUAGES: Readonly<Record<Language, LanguageDefinition>> = {
  python: PYTHON,
  javascript: JAVASCRIPT,
  perl: PERL,
  ruby: RUBY,
  php: PHP,
  lua: LUA,
  awk: AWK,
  sed: SED,
  vim: VIM,
  applescript: APPLESCRIPT,
  expect: TCL,
  powershell: POWERSHELL,
  cmd: CMD,
  other: OTHER,
};

/** Read program text for what it does. Never throws; linear in the text. */
export const readCode: CodeReader = (language, code, inputs, invocation) =>
  readProgram(LANGUAGES[language], code, inputs, invocation);
