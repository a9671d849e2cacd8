import {
  baseName,
  describe,
  directoryName,
  joinPath,
  knownText,
  leaveUnexamined,
  type Output,
  type ProgramCall,
  parseShell,
  readContents,
  readScript,
  runLoadedText,
  text,
  unknownOutput,
  type Value,
  wordAt,
  words,
  writtenEntry,
} from "../../shell/index.ts";
import { type Field, type ParsedCall, type Program, program } from "../model/program.ts";
import { runOptionText, runString } from "../model/run.ts";
import { runInterpreterCode } from "../model/run-code.ts";
import { recordCodeEffect } from "./file-access.ts";
import { sqlLosses } from "./sql.ts";

const CODE_OPTIONS = [
  ["Rscript R bb groovy scala swift ghc ghci ocaml janet", "e"],
  ["julia", "e eval E print"],
  ["octave sbcl erl crystal", "eval"],
  ["guile", "c"],
  ["racket clojure clj emacsclient", "e eval"],
  ["elixir", "e eval rpc-eval"],
  ["kotlin", "e expression"],
  ["jshell", ""],
  ["swipl", "g t"],
  ["emacs", "eval execute"],
] as const;

let searched: ReadonlySet<string> | undefined;

/** Code of these languages is searched and not read. */
export function isSearched(program: string): boolean {
  searched ??= new Set(CODE_OPTIONS.flatMap(([names]) => words(names)));
  return searched.has(program);
}

/** Interpreters without a reader of their own, with the options that hold code; and compilers. */
export const otherLanguages: Field = {
  programs: () => [
    ...CODE_OPTIONS.map(([names, code]): Program => interpreter(names, code)),
    { ...interpreter("iex", "e eval"), is: ["dangerous"] },
    program("go", "readsNothing namesHosts", {
      runsFiles: "*",
      run: compile,
      tool: ({ argv }) => (knownText(wordAt(argv, 1)) === "run" ? argv.slice(2) : undefined),
      harmless: { reads: "list version", runs: "build test vet" },
      shows: "env doc help",
    }),
    program(
      // A text that is no source shows in what they complain about, and in what they expand.
      "gcc cc clang g++ c++ clang++ tcc rustc javac kotlinc swiftc zig ocamlopt fpc dmd nim",
      "namesHosts",
      { run: compile, runsFiles: "*.zig *.nim *.nims *.nimble *.rs" },
    ),
    program("java", "", { runsFiles: "*", run: compile, tool: archiveTool }),
  ],
};

/** Whatever the language, a function whose name says that it reads a file: `(insert-file-contents "x")`, `File.read("x")`. */
const FILE_LINES =
  /\b[\w.:-]{0,40}(?:read|load|open|slurp|include|insert|find)[\w.:-]{0,40}[ \t(]{1,8}(?:[\w.]{1,40}\()?["']([^"'\n]{1,200})["']/gi;

function interpreter(names: string, code: string): Program {
  return {
    names,
    options: { values: code, abbreviates: false, isSingleDash: true },
    fileLines: FILE_LINES,
    run(call) {
      const codes = call.options.valuesOf(...words(code));
      for (const one of codes) followUnreadCode(knownText(one) ?? "", call);
      if (codes.length === 0) runUnknownProgram(call);
      if (codes.length === 0 && call.stdin !== undefined) followUnreadCode(knownText(call.stdin) ?? "", call);
      return [unknownOutput(call)];
    },
  };
}

/** `java -jar flyway-9.1.jar clean` is `flyway.jar clean`. */
function archiveTool({ argv }: ParsedCall): readonly Value[] | undefined {
  const archive = argv[2];
  if (archive === undefined || knownText(wordAt(argv, 1)) !== "-jar") return undefined;
  const name = baseName(describe(archive)).replace(/-\d[\d.]*(?=\.jar$)/, "");
  return [text(name), ...argv.slice(3)];
}

/** Strings are short here, so that text full of open quotes costs no more than its length. */
const STRING = String.raw`(?:\x60([^\x60]{0,500})\x60|"((?:\\.|[^"\\]){0,500})"|'((?:\\.|[^'\\]){0,500})')`;
const MAX_SEARCHED = 64 * 1024;

/** A statement that a call hands to a database, and the loss of all rows of a table. */
const STATEMENTS = new RegExp(
  String.raw`\b(?:query|execute|sql|statement)!?[\s(]+(?:[\w.]+,\s*)?${STRING}`,
  "gi",
);
const EMPTIES = /\b([A-Z][\w.]*\.)?(?:delete_all|truncate_all|drop_table)\b!?[\s(]+:?([\w.]+)/g;

/** Looks for what code of a language without a reader starts, deletes and tells a database. */
export function followUnreadCode(whole: string, call: ProgramCall): void {
  const { session } = call.scope;
  const code = whole.slice(0, MAX_SEARCHED);
  if (code !== whole)
    leaveUnexamined(session, "steps", "code too long to be searched", whole.slice(MAX_SEARCHED), call.span);
  session.budget.take(code.length);
  runInterpreterCode("other", text(code), [], call, { from: "argument" });
  for (const match of code.matchAll(STATEMENTS))
    for (const effect of sqlLosses(text(stringIn(match, 1)), [], undefined, ""))
      recordCodeEffect({ kind: "operation", effect, at: match.index }, call);
  for (const { 2: table = "", index } of code.matchAll(EMPTIES)) {
    const loss = {
      kind: "operation",
      rule: "db.delete",
      what: "delete every row",
      target: table,
      names: [table],
    } as const;
    recordCodeEffect({ kind: "operation", effect: loss, at: index }, call);
  }
}

function stringIn(match: RegExpExecArray | RegExpMatchArray, first: number): string {
  return (match[first] ?? match[first + 1] ?? match[first + 2] ?? "").replace(/\\(["'\\])/g, "$1");
}

/** Options, in any spelling, behind which programs take code, and subcommands that do. */
const CODE_OPTION =
  /^(?:-{1,2}(?:[a-z]?[cegorxp]|eval(?:uate)?|exec(?:ute)?|(?:\w+-)?expr(?:ession)?|code|commands?|cmd|script|batch(?:-string)?|goal|do|run|shell|sh|on-[\w-]+)|eval|exec|execute(?:-\w+)?)$/i;

/**
 * A program of which nothing is known may be an interpreter: text behind an option that elsewhere holds code is searched as
 * code and read as a command, and so is a file of this command that it is given.
 */
export function runUnknownProgram(call: ParsedCall): void {
  for (const [index, word] of call.argv.entries()) {
    if (index === 0) continue;
    const previous = knownText(wordAt(call.argv, index - 1)) ?? "";
    const code =
      /^--?(?:eval|exec|execute|command|cmd|code|(?:\w+-)?expr(?:ession)?|run|shell|script|batch(?:-string)?|on-[\w-]+|[ce])[=:](.+)$/s.exec(
        knownText(word) ?? "",
      )?.[1];
    if (index > 1 && CODE_OPTION.test(previous)) runUnknownCode(word, call);
    else if (code !== undefined) runUnknownCode(text(code), call);
    else runUnknownFile(word, call);
  }
  if (call.stdin !== undefined && call.operands.every(isStdinWord))
    runUnknownCode(call.stdin, { ...call, stdin: undefined });
}

/** Without a file it may be an interpreter, which reads its program from its input. */
function isStdinWord(word: Value): boolean {
  return /^(?:-|run|eval|\/dev\/stdin)$/.test(knownText(word) ?? "");
}

function runUnknownCode(code: Value, call: ParsedCall): void {
  const known = knownText(code);
  if (known === undefined || !/[\s("'`!]/.test(known.trim())) return;
  followUnreadCode(known, call);
  // What no shell can read, or begins with no program, is no command: `-p "explain rm -rf /"`.
  const first = baseName(/^\s*(?:\w+=\S*\s+)*([\w./-]+)/.exec(known)?.[1] ?? "");
  const { programs } = call.scope.session;
  const isProgram = programs.isKnown(first) || programs.findDangerous(first).length > 0;
  if (isProgram && parseShell(known).problems.length === 0) runString(code, call);
}

function runUnknownFile(path: Value, call: ParsedCall): void {
  const name = knownText(path) ?? "-";
  if (name.startsWith("-")) return;
  const isStdin = /^\/dev\/(?:stdin|fd\/0)$/.test(name);
  if (!isStdin && writtenEntry(path, call.cwd, call.scope) === undefined) return;
  for (const content of readContents(path, call.cwd, call.stdin, call.scope))
    runLoadedText(content, name, call);
}

/** What a program will do that is compiled from text of this very command. */
export function compile(call: ParsedCall): Output {
  for (const [index, word] of call.argv.entries()) {
    const code = /^--?(?:eval|e)[=:](.+)$/s.exec(knownText(word) ?? "")?.[1];
    if (code !== undefined) followUnreadCode(code, call);
    const previous = knownText(wordAt(call.argv, index - 1)) ?? "";
    if (index > 1 && /^-{1,2}(?:e|eval|expr)$/.test(previous)) followUnreadCode(knownText(word) ?? "", call);
    // `go test -exec 'sh x'`: in front of what was built
    if (/^-{1,2}(?:tool)?exec$/.test(previous)) runOptionText(word, call);
  }
  const sources = call.argv
    .slice(1)
    .filter(word => /^[^-].*\.(?!jar$)\w+$|^-$|^\/dev\/stdin$/.test(knownText(word) ?? ""));
  // Without a source they read it from their input.
  for (const path of sources.length === 0 && call.stdin !== undefined ? [text("-")] : sources) {
    const isStdin = /^(?:-|\/dev\/stdin)$/.test(knownText(path) ?? "");
    const isWritten = isStdin || writtenEntry(path, call.cwd, call.scope) !== undefined;
    const contents = isStdin
      ? [call.stdin]
      : isWritten
        ? readContents(path, call.cwd, call.stdin, call.scope)
        : [readScript(path, call)];
    for (const content of contents) {
      const known = content === undefined ? undefined : knownText(content);
      if (known === undefined) continue;
      for (const name of includedNames(known)) {
        const folder = isStdin ? call.cwd : text(directoryName(describe(joinPath(call.cwd, path))));
        recordCodeEffect({ kind: "read", path: joinPath(folder, text(name)), at: 0 }, call);
      }
      if (isWritten) followUnreadCode(known, call);
    }
  }
  return [unknownOutput(call)];
}

const INCLUDED =
  /^[ \t]*#[ \t]*(?:include|embed|import)[ \t]*["<]([^">\n]{1,300})[">]|\b(?:include_str|include_bytes|include)!\([ \t]*"([^"\n]{1,300})"/gm;
const SOURCE = /\.(?:h|hh|hpp|hxx|c|cc|cpp|cxx|inc|inl|ipp|def|tcc|rs)$|^[\w/+-]+$/;
const MAX_INCLUDED = 32;

/** Files that a source takes in and that are no source: what is in them shows in what a compiler says and makes. */
function includedNames(code: string): readonly string[] {
  const names = [...code.matchAll(INCLUDED)].map(([, one, other]) => one ?? other ?? "");
  return names.filter(name => !SOURCE.test(name)).slice(0, MAX_INCLUDED);
}
