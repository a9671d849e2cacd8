import { isJsonObject, type JsonObject, ownValue, readJson } from "../../protocol/index.ts";
import {
  blankSeparated,
  concatenate,
  describe,
  joinPath,
  joinValues,
  knownText,
  type Language,
  type Output,
  type ProgramCall,
  readContents,
  readOwnScript,
  readScript,
  runInNewShell,
  runInner,
  splitAssignment,
  text,
  unknownOutput,
  type Value,
  words,
  writtenEntry,
} from "../../shell/index.ts";
import { type Field, type ParsedCall, type Program, program } from "../model/program.ts";
import { runString } from "../model/run.ts";
import { runFiles } from "../model/run-code.ts";
import { knownStdin } from "./file-access.ts";
import { runRemotely } from "./remote.ts";

/** Builds by rules: recipes are read when they come from stdin, or were written by this command or this session. */
export const make: Field = {
  programs: () => [
    program("make", "readsNothing gnu runsTargets", {
      options: {
        flags: "-bBdeikLpqrRsStvw n|dry-run|just-print always-make silent quiet keep-going touch question",
        values: "-IjoWl C|directory f|file|makefile E|eval include-dir old-file what-if",
        optional: "-O jobs load-average debug output-sync",
      },
      run: runMake,
    }),
    program("cmake", "readsNothing", { run: runPortable, runsFiles: "*" }),
    program("just", "readsNothing runsTargets", {
      options: {
        values: "f|justfile d|working-directory shell",
        flags: "n|dry-run l|list",
        abbreviates: false,
      },
      run: runJust,
    }),
    program("task go-task", "readsNothing runsTargets", {
      options: { values: "t|taskfile d|dir", flags: "n|dry l|list a|list-all", abbreviates: false },
      run: call =>
        runTasks(call, ["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"], runTaskfile),
    }),
    program("gradle mvn", "readsNothing runsTargets", {
      operations: [
        "mvn: publish …deploy|release:perform | publish an artifact | safer mvn verify | stops mvn thing deploy",
        "gradle: publish publish|uploadArchives|publishToMavenCentral|publishPlugins | publish an artifact | safer gradle publishToMavenLocal | stops gradle publish",
        "mvn: db.reset …flyway:clean | empty the database | safer mvn flyway:info | stops mvn flyway:clean",
        "gradle: db.reset flywayClean | empty the database | safer gradle flywayInfo | stops gradle flywayClean",
        "gradle: publish …publish*|*:publish* | publish an artifact | free on *publishToMavenLocal | safer gradle publishToMavenLocal | stops gradle thing publishAll",
      ],
    }),
  ],
};

function runMake(call: ParsedCall): Output {
  const { options } = call;
  const cwd = options.valuesOf("C").reduce((directory, value) => joinPath(directory, value), call.cwd);
  const inner: ProgramCall = { ...call, cwd };
  if (options.isOn("n")) {
    // Its functions run all the same.
    for (const fragment of options.valuesOf("E"))
      for (const [, command = ""] of (knownText(fragment) ?? "").matchAll(/\$\(shell ([^()]*)\)/g))
        runString(text(command), inner);
    return [unknownOutput(call)];
  }
  const given = new Map<string, string>();
  for (const value of call.operands) {
    const assigned = splitAssignment(value);
    const known = assigned?.value === undefined ? undefined : knownText(assigned.value);
    if (assigned !== undefined && known !== undefined) given.set(assigned.name, known);
    if (assigned?.name === "SHELL" && assigned.value !== undefined) runString(assigned.value, inner);
  }
  const named = options.valuesOf("f");
  const files = named.length > 0 ? named : [text("GNUmakefile"), text("makefile"), text("Makefile")];
  const goals = call.operands.filter(value => splitAssignment(value)?.value === undefined).map(describe);
  for (const file of files)
    for (const { content, isProjects } of findMakefiles(file, inner))
      runMakefile(content, given, goals, inner, isProjects);
  for (const fragment of options.valuesOf("E")) runMakefile(fragment, given, goals, inner);
  return [unknownOutput(call)];
}

interface RecipeFile {
  readonly content: Value;
  /** neither this command nor this session wrote it */
  readonly isProjects: boolean;
}

/** A makefile that comes in, that this command or this session wrote, or the project's own; those that it includes with it. */
function findMakefiles(file: Value, call: ProgramCall): readonly RecipeFile[] {
  const found = recipeFiles(file, call);
  const included = found.flatMap(({ content }) =>
    [...(knownText(content) ?? "").matchAll(/^ *-?s?include +([^\n#]+)/gm)].flatMap(([, names = ""]) =>
      blankSeparated(names).flatMap(name => recipeFiles(text(name), call)),
    ),
  );
  return [...found, ...included];
}

function recipeFiles(file: Value, call: ProgramCall): readonly RecipeFile[] {
  const isStdin = /^(?:-|\/dev\/(?:stdin|fd\/0))$/.test(knownText(file) ?? "");
  if (isStdin) return knownStdin(call).map(content => ({ content, isProjects: false }));
  const written = writtenText(file, call);
  if (written.length > 0) return written.map(content => ({ content, isProjects: false }));
  const content = readScript(file, call);
  return content === undefined ? [] : [{ content, isProjects: true }];
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
  run: (file: RecipeFile, goals: readonly string[], call: ProgramCall) => void,
): Output {
  const { options } = call;
  if (options.has("n", "l", "a", "help", "version")) return [unknownOutput(call)];
  const directory = options.valueOf("d");
  const inner: ProgramCall = directory === undefined ? call : { ...call, cwd: joinPath(call.cwd, directory) };
  const named = options.valuesOf("f", "t");
  const goals = call.operands.map(describe).filter(goal => !goal.includes("="));
  for (const file of named.length > 0 ? named : names.map(name => text(name)))
    for (const found of recipeFiles(file, inner)) run(found, goals, inner);
  return [unknownOutput(call)];
}

/** Recipes as in a makefile, but with any indentation and `{{…}}` for variables. */
function runJustfile({ content, isProjects }: RecipeFile, goals: readonly string[], call: ProgramCall): void {
  const plain = (knownText(content) ?? "")
    .replace(/\{\{\s*(\w+)\s*\}\}/g, "$($1)")
    .replace(/^(\w+)\s*:=\s*["']([^"'\n]*)["']/gm, "$1 := $2")
    .replace(/^(?: {2,}|\t)/gm, "\t")
    .replace(/^(@?[\w-]+)(?![\w-])[^\n:=]*:(?!=)/gm, "$1:");
  runMakefile(text(plain, content.origins), new Map(), goals, call, isProjects);
}

/** `default: npm run build`: a task that is one command. */
const SHORT_TASK =
  /^\s+(?!(?:desc|summary|prompt|label|msg|dir|method|run|platforms|preconditions):)[\w:-]+:\s+([^\s|>{[&*!#][^\n]*\s[^\n]*)$/;

/** Every command of a task file that was just written: which task calls which is not followed. */
function runTaskfile(
  { content, isProjects }: RecipeFile,
  _goals: readonly string[],
  call: ProgramCall,
): void {
  if (isProjects) return;
  const lines = (knownText(content) ?? "").split("\n");
  const commands = lines.flatMap(
    line =>
      (/^\s*(?:-\s+(?:cmd:\s*)?|cmd:\s*)(?![\w-]+:(?:\s|$))([\s\S]+)$/.exec(line) ??
        SHORT_TASK.exec(line))?.[1] ?? [],
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
  isProjects = false,
): void {
  const known = knownText(content);
  if (known === undefined) {
    runInNewShell(content, call, { from: "stdin", via: "script" });
    return;
  }
  const lines = known.replaceAll("\\\n", " ").split("\n");
  const variables = readVariables(lines, given, call);
  const isNeeded = neededLines(
    lines.map(line => (line.startsWith("\t") ? line : expandVariables(line, variables))),
    goals,
    isProjects,
  );
  const recipe = lines.flatMap((line, index) => {
    if (!isNeeded(index)) return [];
    const inline = /^[^\t#][^:#=]*:[^=;]*;(.*)$/.exec(line)?.[1];
    const command = line.startsWith("\t") ? line.slice(1) : inline;
    const calls = [...line.matchAll(/\$\(shell ([^)]*)(?:\)|$)/g)].map(match => match[1] ?? "");
    return [
      ...calls,
      ...(command === undefined
        ? []
        : [expandVariables(command.replace(/^\s*[@+-]+/, ""), variables, isProjects)]),
    ];
  });
  if (recipe.length > 0)
    runInNewShell(text(recipe.join("\n"), content.origins), call, { from: "stdin", via: "script" });
}

const RULE = /^(@?[^\t#\s:=][^:=#]*):(?!=)([^=;#]*)(?:;|$|#)/;

/**
 * The lines of the rules that the goals lead to, and all that are in none. Of a file that was just written everything
 * counts when a goal has no rule; of the project's own, the rules whose targets are patterns.
 */
function neededLines(
  lines: readonly string[],
  goals: readonly string[],
  isProjects: boolean,
): (index: number) => boolean {
  const ruleByLine = new Map<number, readonly string[]>();
  const needs = new Map<string, readonly string[]>();
  let current: readonly string[] = [];
  for (const [index, line] of lines.entries()) {
    const [, targets, prerequisites = ""] = RULE.exec(line) ?? [];
    if (targets !== undefined) {
      current = blankSeparated(targets.replace(/^@/, ""));
      for (const target of current)
        needs.set(target, [...(needs.get(target) ?? []), ...blankSeparated(prerequisites)]);
    } else if (!line.startsWith("\t") && line.trim() !== "" && !line.startsWith("#")) current = [];
    ruleByLine.set(index, current);
  }
  const [first] = [...needs.keys()].filter(target => !target.startsWith("."));
  const waiting = goals.length > 0 ? [...goals] : [first ?? ""];
  const patterns = [...needs.keys()].filter(target => /[%$]/.test(target));
  const isOpen = !isProjects && (waiting.some(goal => !needs.has(goal)) || patterns.length > 0);
  if (isProjects) waiting.push(...patterns);
  const reached = new Set<string>();
  for (let goal = waiting.pop(); goal !== undefined; goal = waiting.pop()) {
    if (reached.has(goal)) continue;
    reached.add(goal);
    waiting.push(...(needs.get(goal) ?? []));
  }
  return index => {
    const targets = ruleByLine.get(index) ?? [];
    return isOpen || targets.length === 0 || targets.some(target => reached.has(target));
  };
}

const MAX_VALUE_LENGTH = 4096;

/** `NAME = value` in all its spellings. Words on the command line win over the makefile's own. */
function readVariables(
  lines: readonly string[],
  given: ReadonlyMap<string, string>,
  { cwd }: ProgramCall,
): ReadonlyMap<string, string> {
  const here = knownText(cwd);
  const variables = new Map([...(here === undefined ? [] : [["CURDIR", here] as const]), ...given]);
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

/** What the environment of whoever runs make says, not the makefile. */
const FROM_OUTSIDE = /^(?:HOME|USER|PWD|OLDPWD|TMPDIR|XDG_\w+)$/;

/**
 * `$(NAME)` and `${NAME}` become what make puts there, `$$` the shell's own dollar. A value of the project's own that only make
 * can find out is taken for a name in the project: most are build folders, and nobody writes a question into each makefile.
 */
function expandVariables(
  written: string,
  variables: ReadonlyMap<string, string>,
  isProjects = false,
): string {
  return written.replace(/\$(?:\$|\((\w+)\)|\{(\w+)\})/g, (whole, round?: string, curly?: string) => {
    const name = round ?? curly;
    if (name === undefined) return whole === "$$" ? "$" : whole;
    const value = variables.get(name);
    return value ?? (isProjects && !FROM_OUTSIDE.test(name) ? `value-of-${name}` : `\${${name}}`);
  });
}

/** `just --command PROGRAM …` runs a program with the variables of the justfile. */
function runJust(call: ParsedCall): Output {
  const at = call.argv.findIndex(word => ["-c", "--command"].includes(knownText(word) ?? ""));
  if (at >= 0) return runInner(call.argv.slice(at + 1), call);
  return runTasks(call, ["justfile", "Justfile", ".justfile"], runJustfile);
}

/** `cmake -E rm -rf DIR`: small commands that are the same everywhere. */
function runPortable(call: ParsedCall): Output {
  const at = call.argv.findIndex(word => knownText(word) === "-E");
  const [action, ...rest] = call.argv.slice(at + 1);
  const name = action === undefined ? undefined : knownText(action);
  const program = at < 0 || name === undefined ? undefined : PORTABLE.get(name);
  if (program === undefined) return [unknownOutput(call)];
  const isContents = program.startsWith("rsync");
  // Only the contents of the sources are meant.
  const given = isContents
    ? rest.map((word, index) => (index < rest.length - 1 ? concatenate([word, text("/.")]) : word))
    : rest;
  return runInner([...program.split(" ").map(word => text(word)), ...given], call);
}

const PORTABLE: ReadonlyMap<string, string> = new Map([
  ["rm", "rm"],
  ["remove", "rm -f"],
  ["remove_directory", "rm -rf"],
  ["rename", "mv -T"],
  ["copy", "cp"],
  ["copy_if_different", "cp"],
  // The folder's contents go into the last one, which is made if it is not there.
  ["copy_directory", "rsync -a"],
  ["copy_directory_if_different", "rsync -a"],
  ["copy_directory_if_newer", "rsync -a"],
  ["create_symlink", "ln -sfn"],
  ["create_hardlink", "ln -f"],
  ["make_directory", "mkdir -p"],
  ["touch", "touch"],
  ["tar", "tar"],
  ["chdir", "env -C"],
  ["time", "env"],
  ["env", "env"],
  ["cat", "cat"],
]);

/** Programs that run what a file of a fixed name says, in a language that is read here. */
export const taskRunners: Field = {
  programs: () => [
    {
      ...runner("rake", "ruby", "Rakefile rakefile Rakefile.rb rakefile.rb"),
      operations: [
        "db.reset db:drop|db:drop:*|db:reset|db:schema:load|db:structure:load|db:purge|db:purge:*|db:truncate_all|db:migrate:reset|db:seed:replant | empty the database | safer rails db:migrate:status | stops rails db:drop",
        "db.reset …db:drop|db:drop:*|db:reset|db:purge|db:truncate_all|db:migrate:reset|db:schema:load | empty the database | safer rails db:migrate:status | stops rails db:drop",
      ],
    },
    runner("invoke inv", "python", "tasks.py"),
    runner("fab", "python", "fabfile.py", runRemotely),
    runner("nox", "python", "noxfile.py"),
    runner("doit", "python", "dodo.py"),
    runner("gulp", "javascript", "gulpfile.js gulpfile.mjs gulpfile.cjs"),
    runner("grunt", "javascript", "Gruntfile.js"),
    // They may write caches, reports and snapshots; a question is never worth it.
    program("tsc eslint jest vitest mypy ruff flake8 prettier biome", "usesFiles", {
      harmless: { runs: "*" },
    }),
    program("pytest py.test", "readsNothing", {
      harmless: { runs: "*", names: "pytest" },
      run: call => runEverywhere("python", "conftest.py", call),
    }),
  ],
};

/** `otherwise` is asked first: a command line that is no task of the file. */
function runner(
  names: string,
  language: Language,
  files: string,
  otherwise: (call: ParsedCall) => Output | undefined = () => undefined,
): Program {
  return {
    names,
    is: ["readsNothing", "runsTasks"],
    run: call =>
      otherwise(call) ??
      runFiles(
        language,
        words(files).map(file => text(file)),
        [],
        call,
        true,
      ),
  };
}

/** Files of that name in any directory: whichever tests run, those above them are loaded. */
function runEverywhere(language: Language, name: string, call: ParsedCall): Output {
  const own = call.scope.session.context.ownFiles?.named(name) ?? [];
  if (own.length > 0)
    return runFiles(
      language,
      own.map(path => text(path)),
      [],
      call,
    );
  return [unknownOutput(call)];
}

const MAX_MANIFEST_BYTES = 256 * 1024;
const RUN = ["run", "run-script", "rum", "urn"];
const INSTALL = ["install", "i", "ci", "add"];
/** Subcommands that are scripts without `run`. */
const LIFECYCLE: Readonly<Record<string, string>> = {
  test: "test",
  t: "test",
  tst: "test",
  start: "start",
  stop: "stop",
  restart: "restart",
};

/** Scripts of a `package.json`, as the package manager would start them. */
export function runScripts(program: string, operands: readonly Value[], call: ProgramCall): void {
  const { names, rest } = chosenScripts(program, operands);
  if (names.length === 0) return;
  const written = writtenText(text("package.json"), call);
  for (const content of written.length > 0 ? written : listedScripts(program, operands, call)) {
    const scripts = scriptsIn(content);
    for (const name of names) {
      const script = ownValue(scripts, name);
      if (typeof script === "string")
        runString(joinValues([text(script, content.origins), ...rest], " "), call);
    }
  }
}

/** The manifest of the project, for a script that is started by its name: what it says is what runs. */
function listedScripts(
  program: string,
  operands: readonly Value[],
  { scope, place, cwd }: ProgramCall,
): readonly Value[] {
  const path = knownText(joinPath(cwd, text("package.json")));
  const first = knownText(operands[0] ?? text("")) ?? "";
  const isNamed =
    RUN.includes(first) || Object.hasOwn(LIFECYCLE, first) || (program !== "npm" && !INSTALL.includes(first));
  if (path === undefined || place.kind !== "local" || !isNamed) return [];
  if (writtenEntry(text("package.json"), cwd, scope) !== undefined) return [];
  const manifest = readManifest(path, scope.session);
  return manifest === undefined ? [] : [manifest];
}

/** By the session in which they are read: a text starts many scripts of one project. */
const manifests = new WeakMap<object, Map<string, Value | undefined>>();

function readManifest(path: string, session: ProgramCall["scope"]["session"]): Value | undefined {
  const known = manifests.get(session) ?? new Map<string, Value | undefined>();
  manifests.set(session, known);
  if (!known.has(path)) {
    const content = session.context.files?.readText(path, MAX_MANIFEST_BYTES);
    known.set(path, content === undefined ? undefined : text(content));
  }
  return known.get(path);
}

interface ChosenScripts {
  readonly names: readonly string[];
  /** Words that are handed on to the script. */
  readonly rest: readonly Value[];
}

function chosenScripts(program: string, operands: readonly Value[]): ChosenScripts {
  const [first = "", second = ""] = operands.slice(0, 2).map(operand => knownText(operand) ?? "");
  if (RUN.includes(first)) return { names: withHooks(second), rest: operands.slice(2) };
  if (INSTALL.includes(first)) return { names: [...withHooks("install"), ...withHooks("prepare")], rest: [] };
  const isOwnName = program !== "npm";
  const name = Object.hasOwn(LIFECYCLE, first) ? LIFECYCLE[first] : isOwnName ? first : undefined;
  return { names: name === undefined ? [] : withHooks(name), rest: operands.slice(1) };
}

function withHooks(name: string): readonly string[] {
  return [`pre${name}`, name, `post${name}`];
}

const readScripts = new WeakMap<Value, JsonObject>();

/** A manifest that is no JSON starts nothing: the package manager refuses it. */
function scriptsIn(content: Value): JsonObject {
  const known = readScripts.get(content);
  if (known !== undefined) return known;
  const written = knownText(content);
  const read = written === undefined ? undefined : readJson(written);
  const manifest = read?.ok === true ? read.value : undefined;
  const scripts = isJsonObject(manifest) ? ownValue(manifest, "scripts") : undefined;
  const found = isJsonObject(scripts) ? scripts : {};
  readScripts.set(content, found);
  return found;
}
