import {
  baseName,
  describe,
  homeAt,
  knownText,
  leaveUnexamined,
  type Output,
  type ProgramCall,
  readContents,
  text,
  unknownOutput,
  type Value,
  wordAt,
  words,
  writtenEntry,
} from "../../shell/index.ts";
import { type Field, type ParsedCall, type Program, program } from "../model/program.ts";
import { runString } from "../model/run.ts";
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

/** Code of these languages is searched and not read. */
export function isSearched(program: string): boolean {
  return CODE_OPTIONS.some(([names]) => words(names).includes(program));
}

/** Interpreters without a reader of their own, with the options that hold code; and compilers. */
export const otherLanguages: Field = {
  programs: () => [
    ...CODE_OPTIONS.map(([names, code]): Program => interpreter(names, code)),
    { ...interpreter("iex", "e eval"), is: ["dangerous"] },
    program("go", "readsNothing namesHosts", {
      run: compile,
      harmless: { reads: "list version", runs: "build test vet" },
      shows: "env doc help",
    }),
    program(
      "gcc cc clang g++ c++ clang++ tcc rustc javac kotlinc swiftc zig ocamlopt fpc dmd nim",
      "readsNothing namesHosts",
      { run: compile },
    ),
    program("java", "", { run: compile, tool: archiveTool }),
  ],
};

function interpreter(names: string, code: string): Program {
  return {
    names,
    options: { values: code, abbreviates: false, isSingleDash: true },
    run(call) {
      const codes = call.options.valuesOf(...words(code));
      for (const one of codes) followUnreadCode(knownText(one) ?? "", call);
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

/** A call that starts a process, with its first string: the one text search, for languages without a reader. */
const STARTS = new RegExp(
  String.raw`\b(?:system2?|shell(?:-command(?:-to-string)?)?|exec\w*|run|spawn\w*|popen|cmd|sh|os_cmd|os:cmd)\b[\s([]*${STRING}`,
  "g",
);
/** The same with a string for every word. */
const WORDS =
  /(?:\bcall-process|\bCommand|\bstart-process|\bSystem\.cmd|\bProcessBuilder|\bexec|\brun|\bsh|\bsystem2|\bspawn)\b([^;\n]{0,2000})/g;
/** `"rm -rf x".execute()` of Groovy, `"rm -rf x".!` of Scala. */
const STRING_STARTS = new RegExp(String.raw`${STRING}\s*\.(?:execute\b|!)`, "g");
const DELETES = new RegExp(
  String.raw`(?<![\w.:-])((?:[A-Za-z]\w*(?:\.|::))*(?:unlink|rm|rm_rf!?|rm!|rmdir|rmtree|removeItem|delete-directory|delete-file|deleteRecursively|removeDirectoryRecursive|removeFile|file\.remove|delete|deleteDirectory|RemoveAll|remove_dir_all|remove_all))[\s(]*(?:[A-Za-z]+:\s*)?(?:(?:Paths?\.(?:get|of)|new File|URL|c)\()?${STRING}`,
  "g",
);
/** A statement that a call hands to a database, and the loss of all rows of a table. */
const STATEMENTS = new RegExp(
  String.raw`\b(?:query|execute|sql|statement)!?[\s(]+(?:[\w.]+,\s*)?${STRING}`,
  "gi",
);
const EMPTIES = /\b([A-Z][\w.]*\.)?(?:delete_all|truncate_all|drop_table)\b!?[\s(]+:?([\w.]+)/g;
const SINGLE_FILE = /(?:^|\.)(?:delete-file|file\.remove|removeFile|rm!|delete)$/;
const ANY_STRING = new RegExp(STRING, "g");

/** Looks for what code of a language without a reader starts, deletes and tells a database. */
export function followUnreadCode(whole: string, call: ProgramCall): void {
  const { session } = call.scope;
  const code = whole.slice(0, MAX_SEARCHED);
  if (code !== whole)
    leaveUnexamined(session, "steps", "code too long to be searched", whole.slice(MAX_SEARCHED), call.span);
  session.budget.take(code.length);
  for (const match of [...code.matchAll(STARTS), ...code.matchAll(STRING_STARTS)]) {
    runString(text(stringIn(match, 1)), call);
  }
  for (const match of code.matchAll(WORDS)) {
    const words = [...(match[1] ?? "").matchAll(ANY_STRING)].map(word => stringIn(word, 1));
    if (words.length > 1) runString(text(words.map(quoted).join(" ")), call);
  }
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
  for (const match of code.matchAll(DELETES)) {
    const path = pathOf(stringIn(match, 2), call);
    const isRecursive = !SINGLE_FILE.test(match[1] ?? "");
    recordCodeEffect({ kind: "delete", path, isRecursive, at: match.index }, call);
  }
}

function stringIn(match: RegExpExecArray | RegExpMatchArray, first: number): string {
  return (match[first] ?? match[first + 1] ?? match[first + 2] ?? "").replace(/\\(["'\\])/g, "$1");
}

function quoted(word: string): string {
  return `'${word.replace(/'/g, "'\\''")}'`;
}

/** Emacs and others read `~` themselves. */
function pathOf(written: string, call: ProgramCall): Value {
  return text(written.replace(/^~(?=\/|$)/, () => homeAt(call.place, call.scope.session.context.home)));
}

/** What a program will do that is compiled from text of this very command. */
function compile(call: ParsedCall): Output {
  const sources = call.argv.slice(1).filter(word => /^[^-].*\.\w+$|^-$/.test(knownText(word) ?? ""));
  for (const path of sources) {
    const isStdin = knownText(path) === "-";
    if (!isStdin && writtenEntry(path, call.cwd, call.scope) === undefined) continue;
    const contents = isStdin ? [call.stdin] : readContents(path, call.cwd, call.stdin, call.scope);
    for (const content of contents)
      if (content !== undefined) followUnreadCode(knownText(content) ?? "", call);
  }
  return [unknownOutput(call)];
}
