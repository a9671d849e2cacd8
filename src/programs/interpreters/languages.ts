import type { Language } from "../../shell/code-calls.ts";
import type { OptionGrammar } from "../../shell/options.ts";

/** How one family of interpreters takes its program text. */
export interface LanguageSpec {
  readonly language: Language;
  readonly names: RegExp;
  readonly options: OptionGrammar;
  /** Options whose value is code; several are lines of one program. */
  readonly code: readonly string[];
  /** Options whose value is a file of code. */
  readonly files?: readonly string[];
  /** Options that run an installed module instead of a script. */
  readonly modules?: readonly string[];
  /** The first operand is the program text itself, as in awk. */
  readonly isOperandCode?: boolean;
  /** Options whose value is `name=text`, a variable of the program. */
  readonly variables?: readonly string[];
  /** First words that are not operands: `deno run`. */
  readonly subcommands?: readonly string[];
}

const SPECS: readonly LanguageSpec[] = [
  {
    language: "python",
    names: /^(?:python|pypy|ipython)[\d.]*w?$/,
    options: {
      flags: "-bBdEhiIOPqsSuvVx",
      values: "-cmWX check-hash-based-pycs",
      stopsAtOperand: true,
    },
    code: ["c"],
    modules: ["m"],
  },
  {
    language: "javascript",
    names: /^(?:node|nodejs|bun|tsx|ts-node|qjs)$/,
    options: {
      flags: "-ichvb check interactive watch inspect inspect-brk bun",
      values:
        "-rC e|eval p|print|pe require import loader conditions env-file input-type title max-old-space-size stack-size",

      abbreviates: false,
      stopsAtOperand: true,
    },
    code: ["e", "p"],
    subcommands: ["run", "x", "exec"],
  },
  {
    language: "perl",
    names: /^perl[\d.]*$/,
    options: {
      flags: "-acfnpsStTuUvwWX",
      values: "-I e|E",
      optional: "-iFMmdDxV",
      digits: "-l0C",

      stopsAtOperand: true,
    },
    code: ["e"],
  },
  {
    language: "ruby",
    names: /^(?:j?ruby[\d.]*|irb|pry)$/,
    options: {
      flags: "-acdlnpsSvwWy version verbose yjit",
      values: "-eIrCE require",
      optional: "-iFKTx",
      digits: "-0",
      stopsAtOperand: true,
    },
    code: ["e"],
  },
  {
    language: "php",
    names: /^php[\d.]*(?:-cgi)?$/,
    options: {
      flags: "-aCehHilmnqsvw",
      values: "-dczSt r|B|R|E|run|process-code|process-begin|process-end f|F|file define",

      stopsAtOperand: true,
    },
    code: ["r"],
    files: ["f"],
  },
  {
    language: "lua",
    names: /^(?:lua[\d.]*|luajit)$/,
    options: { flags: "-iEvW", values: "-el", stopsAtOperand: true },
    code: ["e"],
  },
  {
    language: "awk",
    names: /^(?:[gmn]?awk|original-awk|goawk)$/,
    options: {
      flags: "-cCghIkMnNOPrsStV posix traditional re-interval sandbox csv",
      values: "-Fil v|assign f|E|file|exec e|source field-separator include load",

      stopsAtOperand: true,
    },
    variables: ["v"],
    code: ["e"],
    files: ["f"],
    isOperandCode: true,
  },
  {
    language: "sed",
    names: /^g?sed$/,
    options: {
      flags:
        "-nErsuz quiet silent regexp-extended separate null-data unbuffered posix debug sandbox follow-symlinks",
      values: "-l e|expression f|file line-length",
      optional: "-i in-place",
    },
    code: ["e"],
    files: ["f"],
    isOperandCode: true,
  },
  {
    language: "applescript",
    names: /^osascript$/,
    options: { flags: "-is", values: "-els", stopsAtOperand: true },
    code: ["e"],
  },
  {
    language: "expect",
    names: /^(?:expect|tclsh[\d.]*|wish)$/,
    options: { flags: "-dDinNv", values: "-cf", optional: "-b", stopsAtOperand: true },
    code: ["c"],
    files: ["f"],
  },
];

/** The spec of the interpreter with this name, if it is one. */
export function languageOptions(program: string): LanguageSpec | undefined {
  return SPECS.find(spec => spec.names.test(program));
}
