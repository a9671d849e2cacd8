import {
  blankSeparated,
  describe,
  joinPath,
  knownText,
  type Output,
  type ProgramCall,
  readContents,
  readOwnScript,
  runInNewShell,
  runInner,
  splitAssignment,
  text,
  unknownOutput,
  type Value,
  writtenEntry,
} from "../../shell/index.ts";
import type { Field, ParsedCall } from "../model/program.ts";
import { runString } from "../model/run.ts";
import { stdinOf } from "./file-access.ts";

/** Builds by rules: recipes are read when they come from stdin, or were written by this command or this session. */
export const make: Field = {
  programs: () => [
    {
      names: "make",
      isGnu: true,
      is: ["readsNothing"],
      options: {
        flags: "-bBdeikLpqrRsStvw n|dry-run|just-print always-make silent quiet keep-going touch question",
        values: "-IjoWl C|directory f|file|makefile E|eval include-dir old-file what-if",
        optional: "-O jobs load-average debug output-sync",
      },
      run: runMake,
    },
    { names: "cmake", is: ["readsNothing"], run: runPortable },
    {
      names: "just",
      is: ["readsNothing"],
      options: {
        values: "f|justfile d|working-directory shell",
        flags: "n|dry-run l|list",
        abbreviates: false,
      },
      run: runJust,
    },
    {
      names: "task go-task",
      is: ["readsNothing"],
      options: { values: "t|taskfile d|dir", flags: "n|dry l|list a|list-all", abbreviates: false },
      run: call =>
        runTasks(call, ["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"], runTaskfile),
    },
    { names: "gradle mvn", is: ["readsNothing"] },
  ],
};

function runMake(call: ParsedCall): Output {
  const { options } = call;
  const cwd = options.valuesOf("C").reduce((directory, value) => joinPath(directory, value), call.cwd);
  const inner: ProgramCall = { ...call, cwd };
  if (options.isOn("n")) return [unknownOutput(call)];
  const given = new Map<string, string>();
  for (const value of call.operands) {
    const assigned = splitAssignment(value);
    const known = assigned?.value === undefined ? undefined : knownText(assigned.value);
    if (assigned !== undefined && known !== undefined) given.set(assigned.name, known);
    if (assigned?.name === "SHELL" && assigned.value !== undefined) runString(assigned.value, inner);
  }
  const named = options.valuesOf("f");
  const files = named.length > 0 ? named : [text("GNUmakefile"), text("makefile"), text("Makefile")];
  const goals = call.operands.flatMap(value => (splitAssignment(value) === undefined ? describe(value) : []));
  for (const file of files)
    for (const content of makefilesOf(file, inner)) runMakefile(content, given, goals, inner);
  for (const fragment of options.valuesOf("E")) runMakefile(fragment, given, goals, inner);
  return [unknownOutput(call)];
}

/** A makefile that comes in, or that this command or this session wrote; those that it includes with it. */
function makefilesOf(file: Value, call: ProgramCall): readonly Value[] {
  const isStdin = knownText(file) === "-" || knownText(file) === "/dev/stdin";
  if (isStdin) return stdinOf(call);
  const contents = writtenText(file, call);
  const included = contents.flatMap(content =>
    [...(knownText(content) ?? "").matchAll(/^ *-?s?include +([^\n#]+)/gm)].flatMap(([, names = ""]) =>
      blankSeparated(names).flatMap(name => writtenText(text(name), call)),
    ),
  );
  return [...contents, ...included];
}

/** What this command put into a file, or what this session did. */
export function writtenText(file: Value, call: ProgramCall): readonly Value[] {
  if (writtenEntry(file, call.cwd, call.scope) !== undefined)
    return readContents(file, call.cwd, call.stdin, call.scope);
  const own = readOwnScript(file, call);
  return own === undefined ? [] : [own];
}

/** The first of the files that was written decides; without a task the first one in it runs. */
function runTasks(
  call: ParsedCall,
  names: readonly string[],
  run: (content: Value, goals: readonly string[], call: ProgramCall) => void,
): Output {
  const { options } = call;
  if (options.has("n", "l", "a", "help", "version")) return [unknownOutput(call)];
  const directory = options.valueOf("d");
  const inner: ProgramCall = directory === undefined ? call : { ...call, cwd: joinPath(call.cwd, directory) };
  const named = options.valuesOf("f", "t");
  const goals = call.operands.map(describe).filter(goal => !goal.includes("="));
  for (const file of named.length > 0 ? named : names.map(name => text(name)))
    for (const content of writtenText(file, inner)) run(content, goals, inner);
  return [unknownOutput(call)];
}

/** Recipes as in a makefile, but with any indentation and `{{…}}` for variables. */
function runJustfile(content: Value, goals: readonly string[], call: ProgramCall): void {
  const plain = (knownText(content) ?? "")
    .replace(/\{\{\s*(\w+)\s*\}\}/g, "$($1)")
    .replace(/^(\w+)\s*:=\s*["']([^"'\n]*)["']/gm, "$1 := $2")
    .replace(/^(?: {2,}|\t)/gm, "\t")
    .replace(/^(@?[\w-]+)[^\n:=]*:(?!=)/gm, "$1:");
  runMakefile(text(plain, content.origins), new Map(), goals, call);
}

/** Every command of a task file: which task calls which is not followed. */
function runTaskfile(content: Value, _goals: readonly string[], call: ProgramCall): void {
  const lines = (knownText(content) ?? "").split("\n");
  const commands = lines.flatMap(
    line => /^\s*(?:-\s+(?:cmd:\s*)?|cmd:\s*)(?![\w-]+:(?:\s|$))(.+)$/.exec(line)?.[1] ?? [],
  );
  const code = commands.map(command => command.replace(/^(["'])(.*)\1$/, "$2")).join("\n");
  if (code !== "") runInNewShell(text(code, content.origins), call, { from: "file", via: "script" });
}

/** Recipe lines, and the commands of `$(shell …)`; make variables that the text does not set are the shell's guess. */
function runMakefile(
  content: Value,
  given: ReadonlyMap<string, string>,
  goals: readonly string[],
  call: ProgramCall,
): void {
  const known = knownText(content);
  if (known === undefined) {
    runInNewShell(content, call, { from: "stdin", via: "script" });
    return;
  }
  const lines = known.replaceAll("\\\n", " ").split("\n");
  const variables = readVariables(lines, given);
  const isNeeded = neededLines(lines, goals);
  const recipe = lines.flatMap((line, index) => {
    if (!isNeeded(index)) return [];
    const inline = /^[^\t#][^:#=]*:[^=;]*;(.*)$/.exec(line)?.[1];
    const command = line.startsWith("\t") ? line.slice(1) : inline;
    const calls = [...line.matchAll(/\$\(shell ([^)]*)\)/g)].map(match => match[1] ?? "");
    return [
      ...calls,
      ...(command === undefined ? [] : [expandVariables(command.replace(/^\s*[@+-]+/, ""), variables)]),
    ];
  });
  if (recipe.length > 0)
    runInNewShell(text(recipe.join("\n"), content.origins), call, { from: "stdin", via: "script" });
}

const RULE = /^(@?[^\t#\s:=][^:=#]*):(?!=)([^=;#]*)(?:;|$|#)/;

/** The lines of the rules that the goals lead to, and all that are in none; everything when a goal has no rule. */
function neededLines(lines: readonly string[], goals: readonly string[]): (index: number) => boolean {
  const ruleOf = new Map<number, readonly string[]>();
  const needs = new Map<string, readonly string[]>();
  let current: readonly string[] = [];
  for (const [index, line] of lines.entries()) {
    const [, targets, prerequisites = ""] = RULE.exec(line) ?? [];
    if (targets !== undefined) {
      current = blankSeparated(targets.replace(/^@/, ""));
      for (const target of current)
        needs.set(target, [...(needs.get(target) ?? []), ...blankSeparated(prerequisites)]);
    } else if (!line.startsWith("\t") && line.trim() !== "" && !line.startsWith("#")) current = [];
    ruleOf.set(index, current);
  }
  const [first] = [...needs.keys()].filter(target => !target.startsWith("."));
  const waiting = goals.length > 0 ? [...goals] : [first ?? ""];
  const isOpen =
    waiting.some(goal => !needs.has(goal)) || [...needs.keys()].some(target => /[%$]/.test(target));
  const reached = new Set<string>();
  for (let goal = waiting.pop(); goal !== undefined; goal = waiting.pop()) {
    if (reached.has(goal)) continue;
    reached.add(goal);
    waiting.push(...(needs.get(goal) ?? []));
  }
  return index => {
    const targets = ruleOf.get(index) ?? [];
    return isOpen || targets.length === 0 || targets.some(target => reached.has(target));
  };
}

const MAX_VALUE_LENGTH = 4096;

/** `NAME = value` in all its spellings. Words on the command line win over the makefile's own. */
function readVariables(
  lines: readonly string[],
  given: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const variables = new Map(given);
  for (const line of lines) {
    const found = /^ *(?:export +|override +)?(\w+)[ \t]*(?:::?|\?)?=[ \t]*([^#]*)/.exec(line);
    const [, name, written] = found ?? [];
    if (name === undefined || written === undefined || given.has(name)) continue;
    const value = expandVariables(written.trimEnd(), variables);
    // Functions of make and what they give are not known here.
    if (value.length <= MAX_VALUE_LENGTH && !value.includes("$")) variables.set(name, value);
    else variables.delete(name);
  }
  return variables;
}

/** `$(NAME)` and `${NAME}` become what make puts there, `$$` the shell's own dollar. */
function expandVariables(written: string, variables: ReadonlyMap<string, string>): string {
  return written.replace(/\$(?:\$|\((\w+)\)|\{(\w+)\})/g, (whole, round?: string, curly?: string) => {
    const name = round ?? curly;
    if (name === undefined) return whole === "$$" ? "$" : whole;
    return variables.get(name) ?? `\${${name}}`;
  });
}

/** `cmake -E rm -rf DIR`: small commands that are the same everywhere. */
/** `just --command PROGRAM …` runs a program with the variables of the justfile. */
function runJust(call: ParsedCall): Output {
  const at = call.argv.findIndex(word => ["-c", "--command"].includes(knownText(word) ?? ""));
  if (at >= 0) return runInner(call.argv.slice(at + 1), call);
  return runTasks(call, ["justfile", "Justfile", ".justfile"], runJustfile);
}

function runPortable(call: ParsedCall): Output {
  const at = call.argv.findIndex(word => knownText(word) === "-E");
  const [action, ...rest] = call.argv.slice(at + 1);
  const name = action === undefined ? undefined : knownText(action);
  const program = at < 0 || name === undefined ? undefined : PORTABLE.get(name);
  return program === undefined
    ? [unknownOutput(call)]
    : runInner([...program.split(" ").map(word => text(word)), ...rest], call);
}

const PORTABLE: ReadonlyMap<string, string> = new Map([
  ["rm", "rm"],
  ["remove", "rm -f"],
  ["remove_directory", "rm -rf"],
  ["rename", "mv"],
  ["copy", "cp"],
  ["copy_directory", "cp -r"],
  ["env", "env"],
  ["cat", "cat"],
]);
