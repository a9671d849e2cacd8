import {
  describe,
  knownText,
  type OptionGrammar,
  type Output,
  type ProgramEffect,
  parseOptions,
  runInner,
  text,
  unknownOutput,
  type Value,
  wordAt,
} from "../../shell/index.ts";
import { listReads } from "../model/effects.ts";
import {
  type Field,
  type KnownCall,
  type Missing,
  type ParsedCall,
  type Program,
  program,
} from "../model/program.ts";
import { type CodeOptions, runFiles, runInterpreter, runInterpreterCode } from "../model/run-code.ts";
import { computeLiteral } from "./encoding.ts";
import { fileInput } from "./file-access.ts";
import { scriptProgram } from "./frameworks.ts";
import { offeredByPhp, offeredByPython, offeredByRuby } from "./servers.ts";
import { compileSubstitutions } from "./substitute.ts";

// Small programs for text that certainly do nothing but change text. What is not on these lists is code.

const ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|/(?:\\.|[^/\\\n])*/[IM]*)`;
const ADDRESSES = new RegExp(String.raw`^(?:${ADDRESS}(?:\s*,\s*(?:[+~]?\d+|${ADDRESS}))?\s*)?!?\s*`);
/** Commands that touch nothing but the lines. */
const LINE_COMMAND = /^(?:[dDgGhHnNpPx=zl]|[qQ]\d*)(?=\s*(?:[;}\n]|$))/;
const BRANCH = /^(?:[btT](?:[ \t]*\w+)?|:[ \t]*\w+)(?=\s*(?:[;}\n]|$))/;
/** Text to the end of the line. */
const INSERTION = /^[aic](?:\\\n|\\?[ \t]*)[^\n]*/;

/** `sed` with commands that only change lines, in a script that is known. */
function gapOfSed({ options, operands }: KnownCall): Missing | undefined {
  const given = options.valuesOf("e");
  const scripts = given.length > 0 ? given : operands.slice(0, 1);
  const suffix = options.valueOf("i");
  if (suffix !== undefined && !/^[\w.~-]*$/.test(knownText(suffix) ?? "/"))
    return { kind: "option", what: "sed -i", why: "its copies may lie elsewhere" };
  for (const script of scripts) {
    const known = knownText(script);
    if (known === undefined) return { kind: "value", what: "sed", why: "its script is not known" };
    if (!changesLinesOnly(known))
      return { kind: "code", what: "sed", why: "its script may do more than change lines" };
  }
  return undefined;
}

function changesLinesOnly(script: string): boolean {
  let rest = script;
  while (rest !== "") {
    rest = rest.replace(/^[\s;}]+/, "");
    if (rest === "") return true;
    if (rest.startsWith("#")) {
      rest = rest.replace(/^[^\n]*/, "");
      continue;
    }
    rest = rest.replace(ADDRESSES, "");
    if (rest.startsWith("{")) {
      rest = rest.slice(1);
      continue;
    }
    const end = /^[sy]/.test(rest)
      ? endOfSubstitution(rest)
      : ([LINE_COMMAND, BRANCH, INSERTION].map(one => one.exec(rest)?.[0].length).find(length => length) ??
        0);
    if (end === 0) return false;
    rest = rest.slice(end);
  }
  return true;
}

/** The length of `s/a/b/flags` or `y/a/b/`; 0 where it cannot be told, or where a flag writes or runs something. */
function endOfSubstitution(text: string): number {
  const delimiter = text.charAt(1);
  if (!/[^\w\s\\]/.test(delimiter)) return 0;
  let parts = 0;
  let at = 2;
  let isInBrackets = false;
  for (; at < text.length && parts < 2; at += 1) {
    const character = text.charAt(at);
    if (character === "\\") at += 1;
    // Inside brackets programs differ in whether the delimiter ends the pattern.
    else if (character === "[" && parts === 0) isInBrackets = true;
    else if (character === "]") isInBrackets = false;
    else if (character === delimiter) {
      if (isInBrackets) return 0;
      parts += 1;
    }
  }
  if (parts < 2) return 0;
  const [flags = ""] = /^[0-9gpiIM]*/.exec(text.slice(at)) ?? [];
  return /^\s*(?:[;}\n]|$)/.test(text.slice(at + flags.length)) ? at + flags.length : 0;
}

/** `awk` whose program prints and counts: no other program, no file, no environment. */
function gapOfAwk({ operands, options }: KnownCall): Missing | undefined {
  const program = operands[0] === undefined ? undefined : knownText(operands[0]);
  if (program === undefined) return { kind: "value", what: "awk", why: "its program is not known" };
  const assigned = [...operands.slice(1), ...options.valuesOf("v")].map(word => knownText(word) ?? "");
  if (assigned.some(word => /^(?:ENVIRON|ARGV|ARGC|FS)\b/.test(word)))
    return { kind: "option", what: "awk -v", why: "this variable decides what is read" };
  if (/\bENVIRON\b/.test(program))
    return { kind: "secret", what: "awk ENVIRON", why: "variables of the environment are shown" };
  const code = /\/(?=[^/\n"]*")[^/\n]*\//.test(program)
    ? program
    : program.replace(/"(?:\\.|[^"\\])*(?:"|$)/g, '""');
  const leaves =
    /\b(?:system|getline|close|fflush|ARGV|ARGC|PROCINFO)\b|@|(?:^|[^|])\|(?!\|)|\bprintf?\b(?:[^;}\n]{0,3000}>|[^;}\n]{3000})/;
  return leaves.test(code) || /\b(?:system|getline)\b/.test(program)
    ? { kind: "code", what: "awk", why: "its program may do more than print" }
    : undefined;
}

const JAVASCRIPT: CodeOptions = { language: "javascript", code: "e p", printed: "p" };
const JAVASCRIPT_OPTIONS: OptionGrammar = {
  flags: "-ichvb check interactive watch inspect inspect-brk bun help version",
  values:
    "-rC e|eval p|print|pe require import loader conditions env-file input-type title max-old-space-size stack-size",
  abbreviates: false,
  stopsAtOperand: true,
};

const SED: CodeOptions = { language: "sed", code: "e", files: "f", isOperandCode: true };

/** Interpreters whose programs are read. */
export const languages: Field = {
  tellsChanges: true,
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table, a record a program
  programs: () => [
    program("python python2 python3", "readsNothing decodes dangerous changesMore", {
      setBy: "PYTHONPATH PYTHONHOME PYTHONSTARTUP",
      ...interpreter(
        { language: "python", code: "c", module: "m" },
        // `!cmd` of IPython; plain Python knows no such line.
        {
          pattern: /^(?:python|pypy|ipython)[\d.]*w?$/,
          shellLines: /^[ \t]*!(.*)$/gm,
          tool: pythonTool,
          effects: offeredByPython,
        },
      ),
      options: {
        flags: "-bBdEhiIOPqsSuvVx help version",
        values: "-cmWX check-hash-based-pycs",
        stopsAtOperand: true,
      },
      // What its code does is told by those who read it.
      complete: { names: "python python3", only: "b B c E I q s S u V h help version", gap: gapOfPython },
    }),
    program("node nodejs tsx ts-node qjs", "readsNothing decodes dangerous changesMore", {
      setBy: "NODE_OPTIONS",
      ...interpreter(JAVASCRIPT, { options: JAVASCRIPT_OPTIONS, rewrite: unbundle }),
      complete: { names: "node", only: "v version h help", gap: onlyTells },
    }),
    program("perl", "readsNothing decodes dangerous changesMore", {
      ...interpreter({ language: "perl", code: "e" }, { pattern: /^perl[\d.]*$/, effects: effectsInPlace }),
      options: {
        flags: "-acfnpsStTuUvwWX",
        values: "-I e|E",
        optional: "-iFMmdDxV",
        digits: "-l0C",
        stopsAtOperand: true,
      },
    }),
    program("ruby irb pry", "readsNothing decodes dangerous changesMore", {
      ...interpreter(
        { language: "ruby", code: "e" },
        {
          pattern: /^j?ruby[\d.]*$/,
          effects: call => [...effectsInPlace(call), ...offeredByRuby(call)],
        },
      ),
      options: {
        flags: "-acdlnpsSvwWy version verbose yjit",
        values: "-eIrCE require",
        optional: "-iFKTx",
        digits: "0",
        stopsAtOperand: true,
      },
    }),
    program("php", "readsNothing dangerous changesMore", {
      ...interpreter(
        { language: "php", code: "r", files: "f" },
        { pattern: /^php[\d.]*(?:-cgi)?$/, effects: offeredByPhp },
      ),
      options: {
        flags: "-aCehHilmnqsvw",
        values: "-dczSt r|run|B|R|E|process-code|process-begin|process-end f|file|F define",
        stopsAtOperand: true,
      },
    }),
    program("lua luajit", "dangerous changesMore", {
      ...interpreter({ language: "lua", code: "e" }, { pattern: /^lua[\d.]*$/ }),
      options: { flags: "-iEvW", values: "-el", stopsAtOperand: true },
    }),
    program("awk gawk mawk nawk original-awk goawk", "passesOn selects readsSockets dangerous", {
      ...interpreter(
        { language: "awk", code: "e", files: "f", isOperandCode: true, variable: "v" },
        { effects: effectsOfAwk },
      ),
      options: {
        flags: "-cCghIkMnNOPrsStV posix traditional re-interval sandbox csv",
        values: "-Fil v|assign f|file|exec|E e|source field-separator include load",
        abbreviates: false,
        stopsAtOperand: true,
      },
      complete: { names: "awk gawk mawk nawk", except: "i l f e include load csv g h I k", gap: gapOfAwk },
    }),
    program("sed", "passesOn selects gnu", {
      complete: { except: "f follow-symlinks", gap: gapOfSed },
      ...interpreter(SED, { run: runSed, effects: effectsOfSed }),
      options: {
        flags:
          "-nsuz E|r|regexp-extended quiet silent separate null-data unbuffered posix debug sandbox follow-symlinks help version",
        values: "-l e|expression f|file line-length",
        optional: "i|in-place",
      },
    }),
    program("osascript", "dangerous changesMore", {
      ...interpreter({ language: "applescript", code: "e" }),
      options: { flags: "i", values: "-els", stopsAtOperand: true },
    }),
    program("expect wish", "changesMore", {
      ...interpreter({ language: "expect", code: "c", files: "f" }, { pattern: /^tclsh[\d.]*$/ }),
      options: { flags: "-dDinNv", values: "-cf", optional: "b", stopsAtOperand: true },
    }),
    program("deno", "readsNothing dangerous changesMore", {
      runsFiles: "*",
      options: {
        flags: "-ApTq print allow-all quiet no-check check",
        values: "-cL ext config import-map log-level",
        optional: "allow-read allow-write allow-net allow-env allow-run allow-sys allow-ffi",
      },
      run: runDeno,
      operations: [
        "publish publish|pub|publ|publi|publis | publish a package to everybody | safer npm publish --dry-run | stops npm publish",
      ],
    }),
  ],
};

function interpreter(takes: CodeOptions, more: Partial<Program> = {}): Omit<Program, "names"> {
  return { language: takes.language, run: call => runScript(call) ?? runInterpreter(takes, call), ...more };
}

/** A script that is a program with a record of its own. */
function runScript(call: ParsedCall): Output | undefined {
  const program = scriptProgram(call);
  return program === undefined ? undefined : runInner(program, call);
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
  if (name === "run" && first !== undefined) runFiles("javascript", [first], rest, call);
  const readsStdin = name === undefined || name === "-" || (first !== undefined && knownText(first) === "-");
  if (!readsStdin || call.stdin === undefined) return [unknownOutput(call)];
  return runInterpreterCode("javascript", call.stdin, rest, call, { from: "stdin" });
}

/** The script is read for what it runs and writes; the text that comes out is computed where it can be. */
function runSed(started: ParsedCall): Output {
  const call = withoutEmptySuffix(started);
  const { options } = call;
  runInterpreter(SED, call);
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
  return computeLiteral(fileInput(call, files), content => change?.(content), call);
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
    ...(suffix === "" ? [] : [{ kind: "alter" as const, path, beside: (name: string) => [name + suffix] }]),
  ]);
}

/** `gawk -i inplace` writes back what it prints. */
function effectsOfAwk(call: ParsedCall): readonly ProgramEffect[] {
  const { options, operands } = call;
  const isInPlace = options.valuesOf("i", "include").some(value => /^inplace(\.awk)?$/.test(describe(value)));
  if (!isInPlace) return listReads({ names: "awk", reads: { text: "f e", files: "f" } }, call);
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

/** Asked for its version it runs nothing. */
function onlyTells({ program: what, options }: KnownCall): Missing | undefined {
  return options.has("v", "version", "h", "help") && options.operands.length === 0
    ? undefined
    : { kind: "code", what, why: "code that was not read to its end" };
}

/** A program in the words or in what comes in; without any it waits for somebody to type. */
function gapOfPython({ program: what, options, operands: [first], stdin }: KnownCall): Missing | undefined {
  const isGiven = options.has("c", "V", "version", "h", "help");
  const isRead = stdin !== undefined && (first === undefined || knownText(first) === "-");
  return isGiven || isRead ? undefined : { kind: "code", what, why: "a file is run" };
}

/** `python -m alembic …`, `python setup.py upload`. */
function pythonTool({ argv }: ParsedCall): readonly Value[] | undefined {
  const [, first, second] = argv;
  if (first === undefined) return undefined;
  const word = describe(first);
  if (word === "-m" && second !== undefined) return argv.slice(2);
  return word.endsWith("setup.py") ? [text("setup.py"), ...argv.slice(2)] : undefined;
}
