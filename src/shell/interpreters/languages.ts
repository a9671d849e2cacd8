import type { Language } from "../code-calls.ts";
import { type OptionSpec, optionNames } from "../options.ts";

/** How one family of interpreters takes its program text. */
export interface LanguageSpec {
  readonly language: Language;
  readonly names: RegExp;
  readonly options: OptionSpec;
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
      flags: [..."bBdEhiIOPqsSuvVx"],
      values: ["c", "m", "W", "X", "check-hash-based-pycs"],
      stopsAtOperand: true,
    },
    code: ["c"],
    modules: ["m"],
  },
  {
    language: "javascript",
    names: /^(?:node|nodejs|bun|tsx|ts-node|qjs)$/,
    options: {
      flags: optionNames("", "i c check interactive h v watch inspect inspect-brk b bun"),
      values: optionNames(
        "",
        "e eval p print pe r require import loader C conditions env-file input-type title max-old-space-size stack-size",
      ),
      as: { eval: "e", print: "p", pe: "p" },
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
      flags: [..."acfnpsStTuUvwWX"],
      values: ["e", "E", "I"],
      optional: optionNames("", "i F M m d D x V"),
      digits: ["l", "0", "C"],
      as: { E: "e" },
      stopsAtOperand: true,
    },
    code: ["e"],
  },
  {
    language: "ruby",
    names: /^(?:j?ruby[\d.]*|irb|pry)$/,
    options: {
      flags: optionNames("acdlnpsSvwWy", "version verbose yjit"),
      values: optionNames("", "e I r C E require"),
      optional: ["i", "F", "K", "T", "x"],
      digits: ["0"],
      stopsAtOperand: true,
    },
    code: ["e"],
  },
  {
    language: "php",
    names: /^php[\d.]*(?:-cgi)?$/,
    options: {
      flags: [..."aCehHilmnqsvw"],
      values: optionNames("", "r f d c B R E F z S t run file define process-code process-begin process-end"),
      as: {
        run: "r",
        B: "r",
        R: "r",
        E: "r",
        "process-code": "r",
        "process-begin": "r",
        "process-end": "r",
        file: "f",
        F: "f",
      },
      stopsAtOperand: true,
    },
    code: ["r"],
    files: ["f"],
  },
  {
    language: "lua",
    names: /^(?:lua[\d.]*|luajit)$/,
    options: { flags: [..."iEvW"], values: ["e", "l"], stopsAtOperand: true },
    code: ["e"],
  },
  {
    language: "awk",
    names: /^(?:[gmn]?awk|original-awk|goawk)$/,
    options: {
      flags: optionNames("cCghIkMnNOPrsStV", "posix traditional re-interval sandbox csv"),
      values: optionNames("", "F v f e E i l field-separator assign file source exec include load"),
      as: { file: "f", source: "e", exec: "f", E: "f", assign: "v" },
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
      flags: optionNames(
        "nErsuz",
        "quiet silent regexp-extended separate null-data unbuffered posix debug sandbox follow-symlinks",
      ),
      values: optionNames("", "e f l expression file line-length"),
      optional: ["i", "in-place"],
      as: { expression: "e", file: "f" },
    },
    code: ["e"],
    files: ["f"],
    isOperandCode: true,
  },
  {
    language: "applescript",
    names: /^osascript$/,
    options: { flags: ["i", "s"], values: ["e", "l", "s"], stopsAtOperand: true },
    code: ["e"],
  },
  {
    language: "expect",
    names: /^(?:expect|tclsh[\d.]*|wish)$/,
    options: { flags: [..."dDinNv"], values: ["c", "f"], optional: ["b"], stopsAtOperand: true },
    code: ["c"],
    files: ["f"],
  },
];

/** The spec of the interpreter with this name, if it is one. */
export function languageOptions(program: string): LanguageSpec | undefined {
  return SPECS.find(spec => spec.names.test(program));
}
