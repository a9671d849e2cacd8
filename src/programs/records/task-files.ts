import { isJsonObject, ownValue, readJson } from "../../protocol/index.ts";
import {
  joinPath,
  knownText,
  type Language,
  type ProgramCall,
  readScript,
  runInNewShell,
  runLoadedText,
  text,
  type Value,
  words,
  writtenEntry,
} from "../../shell/index.ts";
import type { ParsedCall } from "../model/program.ts";
import { runInterpreterCode } from "../model/run-code.ts";
import { splitRows } from "../model/text-table.ts";

/** Programs whose words name tasks of the project, behind `+` the one that must stand first, and the files of the tasks. */
const TASK_FILES = `
  task go-task | Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml
  rake | Rakefile rakefile Rakefile.rb
  invoke inv | tasks.py
  fab | fabfile.py
  nox | noxfile.py
  doit | dodo.py
  gulp | gulpfile.js gulpfile.mjs gulpfile.cjs gulpfile.ts
  grunt | Gruntfile.js gruntfile.js
  composer | composer.json
  deno+task | deno.json deno.jsonc package.json
  mise rtx | mise.toml .mise.toml mise.local.toml
  poe pdm hatch pixi rye taskipy | pyproject.toml pixi.toml hatch.toml
  tox | tox.ini pyproject.toml
  cargo+make | Makefile.toml
  gradle gradlew | build.gradle build.gradle.kts
  ant | build.xml
  lefthook | lefthook.yml
  fastlane | fastlane/Fastfile Fastfile
  mage | magefile.go
  xc | README.md
  mix | mix.exs
  jake | Jakefile.js Jakefile
  devbox+run | devbox.json
  wireit turbo nx lerna | package.json
`;
/** Words that say that a task follows, and are none. */
const VERBS = /^(?:run|run-script|task|exec|make|x|tasks|flow)$/;
const MAX_SECTIONS = 16;
const MAX_GOALS = 8;
let table: ReadonlyMap<string, TaskFiles> | undefined;

interface TaskFiles {
  readonly verb: string | undefined;
  readonly files: readonly string[];
}

/**
 * A task of the project that is started by its name is judged by what the project's file says of it, as a script is. What this
 * command or this session wrote is read as a whole elsewhere.
 */
export function runNamedTasks(call: ParsedCall): void {
  table ??= new Map(
    splitRows(TASK_FILES).flatMap(row => {
      const [names = "", files = ""] = row.split("|");
      return words(names).map(each => {
        const [name = "", verb] = each.split("+");
        return [name, { verb, files: words(files) }] as const;
      });
    }),
  );
  const found = table.get(call.program);
  if (found === undefined || call.place.kind !== "local") return;
  const given = call.argv.slice(1).flatMap(word => knownText(word) ?? []);
  if (found.verb !== undefined && given.find(word => !/^[-+]/.test(word)) !== found.verb) return;
  const goals = given
    .map(word => word.replace(/^[^\s=]*=/, ""))
    .filter(word => /^[\w@][\w:.@/-]{0,99}$/.test(word) && !VERBS.test(word));
  const { files: disk } = call.scope.session.context;
  const folders = given.filter(
    word =>
      !word.startsWith("-") && disk?.kind(knownText(joinPath(call.cwd, text(word))) ?? "") === "directory",
  );
  for (const folder of [".", ...folders.slice(0, 2)]) {
    const inner: ProgramCall = folder === "." ? call : { ...call, cwd: joinPath(call.cwd, text(folder)) };
    for (const file of found.files) runTasks(file, goals.slice(0, MAX_GOALS), inner);
  }
}

function runTasks(file: string, goals: readonly string[], call: ProgramCall): void {
  if (writtenEntry(text(file), call.cwd, call.scope) !== undefined) return;
  const content = readScript(text(file), call);
  const known = content === undefined ? undefined : knownText(content);
  if (content === undefined || known === undefined) return;
  const find = /\.jsonc?$/.test(file) ? taskInJson(known) : taskInLines(known);
  const waiting = goals.length > 0 ? [...goals] : ["default"];
  const seen = new Set<string>();
  for (let goal = waiting.shift(); goal !== undefined && seen.size < MAX_SECTIONS; goal = waiting.shift()) {
    if (seen.has(goal)) continue;
    seen.add(goal);
    const task = find(goal);
    if (task === undefined) continue;
    runTask(file, text(task, content.origins), call);
    waiting.push(...namedIn(task));
  }
}

const LANGUAGES: readonly (readonly [endings: RegExp, language: Language])[] = [
  [/\.py$/, "python"],
  [/(?:^|\/)(?:Rake|rake|Fast)file(?:\.rb)?$|\.rb$/, "ruby"],
  [/\.[cm]?[jt]s$|^Jakefile$/, "javascript"],
];

function runTask(file: string, task: Value, call: ProgramCall): void {
  if (/\.jsonc?$/.test(file)) {
    runInNewShell(task, call, { from: "file", via: "script" });
    return;
  }
  const language = LANGUAGES.find(([endings]) => endings.test(file))?.[1];
  if (language !== undefined) runInterpreterCode(language, task, [], call, { from: "file" });
  // `sh "rm -rf x"`, `cmds: [rm -rf x]`, `run = "rm -rf x"`: commands stand in strings and behind keys.
  runLoadedText(task, `${file.replace(/\.\w+$/, "")}.toml`, call);
}

/** Other tasks that a task names where it says what it needs. */
function namedIn(task: string): readonly string[] {
  return task
    .split("\n")
    .flatMap(line => NEEDS.exec(line)?.[1] ?? [])
    .flatMap(rest => rest.match(/\w[\w:.-]*/g) ?? [])
    .slice(0, 32);
}

const NEEDS =
  /(?:\b(?:depends\w*|deps|dependencies|needs|wait_for|pre|post|tasks?|sequence|series|parallel|run_task)\b|^@)(.*)/i;

/** `scripts` or `tasks` of a manifest: a text, a list of texts, or an object with one. */
function taskInJson(content: string): (name: string) => string | undefined {
  const read = readJson(content.replace(/^\s*\/\/.*$/gm, ""));
  const manifest = read.ok ? read.value : undefined;
  return name => {
    for (const key of ["tasks", "scripts", "shell"]) {
      const list = isJsonObject(manifest) ? ownValue(manifest, key) : undefined;
      const nested = key === "shell" && isJsonObject(list) ? ownValue(list, "scripts") : list;
      const task = isJsonObject(nested) ? ownValue(nested, name) : undefined;
      if (task !== undefined) return taskLines(task).join("\n");
    }
    return undefined;
  };
}

function taskLines(task: unknown): readonly string[] {
  if (typeof task === "string") return [task];
  if (Array.isArray(task)) return task.flatMap(taskLines);
  return isJsonObject(task) ? Object.values(task).flatMap(taskLines) : [];
}

/**
 * The lines that belong to a name: a section of a TOML or INI file, what is indented below a key, a function or a call that
 * defines a task. How the many formats of tasks are written differs, but not that the name comes first and the rest below.
 */
function taskInLines(content: string): (name: string) => string | undefined {
  const lines = content.split("\n");
  return name => {
    const word = name.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
    const section = new RegExp(`^\\s*\\[+[^\\]\\n]*(?<![\\w-])${word}(?![\\w-])[^\\]\\n]*\\]+\\s*$`);
    const key = new RegExp(
      `^\\s*(?:- )?(?:["']?${word}["']?\\s*[:=]|(?:.{0,80}(?<![\\w-]))?(?:task|def|function|func|fn|target|exports|register|registerTask|lane)(?![\\w-])[\\s(:."'=]*(?:name=["'])?${word}(?![\\w-]))`,
    );
    const found = lines.flatMap((line, index) =>
      section.test(line) ? sectionAt(lines, index) : key.test(line) ? blockAt(lines, index) : [],
    );
    return found.length === 0 ? undefined : found.join("\n");
  };
}

function sectionAt(lines: readonly string[], start: number): readonly string[] {
  const end = lines.findIndex((line, index) => index > start && /^\s*\[+[\w."':-]+\]+\s*$/.test(line));
  return lines.slice(start + 1, end < 0 ? undefined : end);
}

function blockAt(lines: readonly string[], start: number): readonly string[] {
  const indentation = (line: string) => line.length - line.trimStart().length;
  const depth = indentation(lines[start] ?? "");
  let end = start + 1;
  while (end < lines.length && (lines[end]?.trim() === "" || indentation(lines[end] ?? "") > depth)) end += 1;
  const closes = /^\s*(?:[})\]]|end\b)/.test(lines[end] ?? "") && indentation(lines[end] ?? "") === depth;
  let first = start;
  while (/^\s*@/.test(lines[first - 1] ?? "")) first -= 1;
  return lines
    .slice(first, closes ? end + 1 : end)
    .map(line => line.slice(Math.min(depth, indentation(line))));
}
