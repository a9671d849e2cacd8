import type { Language } from "../shell/code-calls.ts";
import type { ProgramEffect } from "../shell/effects.ts";
import { type OptionGrammar, parseOptions } from "../shell/options.ts";
import { baseName } from "../shell/paths.ts";
import type { CodeSource, Output, ProgramCall } from "../shell/state/types.ts";
import { describe, knownText, text, type Value, wordAt } from "../shell/value.ts";
import { unknownOutput } from "../shell/walk/code-runs.ts";
import { computeLiteral } from "./encoding.ts";
import { inputOf } from "./file-access.ts";
import type { Field, ParsedCall, Program } from "./program.ts";
import { readsOf } from "./reads.ts";
import { type CodeOptions, runInterpreter, runInterpreterCode } from "./run-code.ts";
import { compileSubstitutions } from "./substitute.ts";

interface Interpreter extends Program {
  readonly takes: CodeOptions;
}

const JAVASCRIPT: CodeOptions = { language: "javascript", code: "e p" };
const JAVASCRIPT_OPTIONS: OptionGrammar = {
  flags: "-ichvb check interactive watch inspect inspect-brk bun help version",
  values:
    "-rC e|eval p|print|pe require import loader conditions env-file input-type title max-old-space-size stack-size",
  abbreviates: false,
  stopsAtOperand: true,
};

const INTERPRETERS: readonly Interpreter[] = [
  {
    names: "python python2 python3",
    pattern: /^(?:python|pypy|ipython)[\d.]*w?$/,
    is: ["readsNothing", "decodes", "dangerous"],
    // `!cmd` of IPython; plain Python knows no such line.
    shellLines: /^\s*!(.*)$/gm,
    takes: { language: "python", code: "c", module: "m" },
    options: {
      flags: "-bBdEhiIOPqsSuvVx help version",
      values: "-cmWX check-hash-based-pycs",
      stopsAtOperand: true,
    },
    tool: pythonTool,
  },
  {
    names: "node nodejs tsx ts-node qjs",
    is: ["readsNothing", "decodes", "dangerous"],
    takes: JAVASCRIPT,
    options: JAVASCRIPT_OPTIONS,
    rewrite: unbundle,
  },
  {
    names: "perl",
    pattern: /^perl[\d.]*$/,
    is: ["readsNothing", "decodes", "dangerous"],
    takes: { language: "perl", code: "e" },
    options: {
      flags: "-acfnpsStTuUvwWX",
      values: "-I e|E",
      optional: "-iFMmdDxV",
      digits: "-l0C",
      stopsAtOperand: true,
    },
    effects: effectsInPlace,
  },
  {
    names: "ruby irb pry",
    pattern: /^j?ruby[\d.]*$/,
    is: ["readsNothing", "decodes", "dangerous"],
    takes: { language: "ruby", code: "e" },
    options: {
      flags: "-acdlnpsSvwWy version verbose yjit",
      values: "-eIrCE require",
      optional: "-iFKTx",
      digits: "0",
      stopsAtOperand: true,
    },
    effects: effectsInPlace,
  },
  {
    names: "php",
    pattern: /^php[\d.]*(?:-cgi)?$/,
    is: ["readsNothing", "dangerous"],
    takes: { language: "php", code: "r", files: "f" },
    options: {
      flags: "-aCehHilmnqsvw",
      values: "-dczSt r|run|B|R|E|process-code|process-begin|process-end f|file|F define",
      stopsAtOperand: true,
    },
    tool: phpTool,
  },
  {
    names: "lua luajit",
    pattern: /^lua[\d.]*$/,
    is: ["dangerous"],
    takes: { language: "lua", code: "e" },
    options: { flags: "-iEvW", values: "-el", stopsAtOperand: true },
  },
  {
    names: "awk gawk mawk nawk original-awk goawk",
    is: ["passesOn", "selects", "readsSockets", "dangerous"],
    takes: { language: "awk", code: "e", files: "f", isOperandCode: true, variable: "v" },
    options: {
      flags: "-cCghIkMnNOPrsStV posix traditional re-interval sandbox csv",
      values: "-Fil v|assign f|file|exec|E e|source field-separator include load",
      stopsAtOperand: true,
      abbreviates: false,
    },
    effects: effectsOfAwk,
  },
  {
    names: "sed",
    isGnu: true,
    is: ["passesOn", "selects"],
    takes: { language: "sed", code: "e", files: "f", isOperandCode: true },
    options: {
      flags:
        "-nsuz E|r|regexp-extended quiet silent separate null-data unbuffered posix debug sandbox follow-symlinks help version",
      values: "-l e|expression f|file line-length",
      optional: "i|in-place",
    },
    effects: effectsOfSed,
  },
  {
    names: "osascript",
    is: ["dangerous"],
    takes: { language: "applescript", code: "e" },
    options: { flags: "i", values: "-els", stopsAtOperand: true },
  },
  {
    names: "expect wish",
    pattern: /^tclsh[\d.]*$/,
    takes: { language: "expect", code: "c", files: "f" },
    options: { flags: "-dDinNv", values: "-cf", optional: "b", stopsAtOperand: true },
  },
];

/** Interpreters whose programs are read. */
export const languages: Field = {
  toldExcept: "python node perl ruby php lua osascript expect deno",
  programs: () => [
    ...INTERPRETERS.map(interpreter => ({
      ...interpreter,
      run: interpreter.takes.language === "sed" ? runSed : runWith(interpreter.takes),
    })),
    {
      names: "deno",
      is: ["readsNothing", "dangerous"],
      options: {
        flags: "-ApTq print allow-all quiet no-check check",
        values: "-cL ext config import-map log-level",
        optional: "allow-read allow-write allow-net allow-env allow-run allow-sys allow-ffi",
      },
      run: runDeno,
    },
  ],
};

function runWith(takes: CodeOptions): (call: ParsedCall) => Output {
  return call => runInterpreter(takes, call);
}

/** Runs the text of a file by the interpreter it names; undefined for shells and for what is not known. */
export function interpretBy(
  name: string,
  code: Value,
  operands: readonly Value[],
  call: ProgramCall,
  source: CodeSource,
): Output | undefined {
  const language: Language | undefined =
    name === "bun"
      ? "javascript"
      : INTERPRETERS.find(({ names, pattern }) => names.split(" ").includes(name) || pattern?.test(name))
          ?.takes.language;
  return language === undefined ? undefined : runInterpreterCode(language, code, operands, call, source);
}

/** A package manager that is an interpreter as well: `bun -e CODE`, `bun run FILE`. */
export function runJavaScript(call: ParsedCall): Output {
  const isSubcommand = /^(?:run|x|exec)$/.test(knownText(wordAt(call.argv, 1)) ?? "");
  const options = parseOptions(unbundle(call.argv), JAVASCRIPT_OPTIONS, isSubcommand ? 2 : 1);
  const operands = options.operandValues;
  return runInterpreter(JAVASCRIPT, { ...call, options, operands });
}

/** node reads `-pe` as one option with the code in the next word. */
function unbundle(argv: readonly Value[]): readonly Value[] {
  return argv.map(word => (knownText(word) === "-pe" ? text("-e") : word));
}

function runDeno(call: ParsedCall): Output {
  const [subcommand, first, ...rest] = call.operands;
  const name = subcommand === undefined ? undefined : knownText(subcommand);
  if (name === "eval" && first !== undefined)
    return runInterpreterCode("javascript", first, rest, call, { from: "argument" });
  const readsStdin = name === undefined || name === "-" || (first !== undefined && knownText(first) === "-");
  if (!readsStdin || call.stdin === undefined) return [unknownOutput(call)];
  return runInterpreterCode("javascript", call.stdin, rest, call, { from: "stdin" });
}

/** The script is read for what it runs and writes; the text that comes out is computed where it can be. */
function runSed(started: ParsedCall): Output {
  const call = withoutEmptySuffix(started);
  const { options } = call;
  runInterpreter({ language: "sed", code: "e", files: "f", isOperandCode: true }, call);
  if (options.has("f") && !options.has("e")) return [unknownOutput(call)];
  const given = options.valuesOf("e");
  const [first, ...rest] = call.operands;
  const scripts = given.length === 0 && first !== undefined ? [first] : given;
  const files = given.length === 0 ? rest : call.operands;
  const known = scripts.map(script => knownText(script));
  const isSimple = !options.has("n", "quiet", "silent", "f", "i", "z", "null-data", "s", "separate");
  const change =
    isSimple && known.every(script => script !== undefined)
      ? compileSubstitutions(known.join("\n"), options.has("E"), call.scope.session.budget)
      : undefined;
  return computeLiteral(inputOf(call, files), content => change?.(content), call);
}

/** BSD sed has the suffix of `-i` in a word of its own, mostly an empty one. */
function withoutEmptySuffix(call: ParsedCall): ParsedCall {
  const isEmpty = call.options.has("i") && call.operands[0]?.pieces.length === 0;
  return isEmpty ? { ...call, operands: call.operands.slice(1) } : call;
}

function effectsOfSed(call: ParsedCall): readonly ProgramEffect[] {
  const { options, operands } = call;
  const files = options.has("e", "f") ? operands : operands.slice(1);
  if (!options.has("i")) return files.map(path => ({ kind: "read", path, isCopy: false }));
  const suffix = knownText(options.valueOf("i") ?? text("")) ?? "";
  return files.flatMap((path): readonly ProgramEffect[] => [
    { kind: "write", path, how: "edit" },
    ...(suffix === "" ? [] : [{ kind: "alter" as const, path, beside: (name: string) => name + suffix }]),
  ]);
}

/** `gawk -i inplace` writes back what it prints. */
function effectsOfAwk(call: ParsedCall): readonly ProgramEffect[] {
  const { options, operands } = call;
  const isInPlace = options.valuesOf("i", "include").some(value => /^inplace(\.awk)?$/.test(describe(value)));
  if (!isInPlace) return readsOf({ names: "awk", reads: { text: "f e", files: "f" } }, call);
  const files = options.has("f", "e") ? operands : operands.slice(1);
  return files.map(path => ({ kind: "write", path, how: "edit" }));
}

/** `-i` of perl and ruby edits the files that follow the program. */
function effectsInPlace({ options, operands }: ParsedCall): readonly ProgramEffect[] {
  const hasCode = options.has("e");
  if (options.has("n", "p") && !options.has("i"))
    return (hasCode ? operands : operands.slice(-1)).map(path => ({ kind: "read", path, isCopy: false }));
  if (!options.has("i") || options.has("c")) return [];
  return (hasCode ? operands : operands.slice(1)).map(path => ({ kind: "write", path, how: "edit" }));
}

/** `python -m alembic …`, `python manage.py flush`. */
function pythonTool({ argv }: ParsedCall): readonly Value[] | undefined {
  const [, first, second] = argv;
  if (first === undefined) return undefined;
  const word = describe(first);
  if (word === "-m" && second !== undefined) return argv.slice(2);
  const script = ["manage.py", "setup.py"].find(name => word.endsWith(name));
  return script === undefined ? undefined : [text(script), ...argv.slice(2)];
}

/** `php artisan …`, `php bin/console …`. */
function phpTool({ argv }: ParsedCall): readonly Value[] | undefined {
  const name = baseName(describe(wordAt(argv, 1)));
  return name === "console" || name === "artisan" ? [text(name), ...argv.slice(2)] : undefined;
}
