import { LIMITS } from "../limits.ts";
import { writtenEntry } from "../state/files.ts";
import type { FileEntry, ProgramCall } from "../state/state.ts";
import { environmentOf } from "../state/variables.ts";
import { parseShell } from "../syntax/parse.ts";
import { baseName, directoryName, joinPath, knownText, text, type Value } from "../value.ts";
import { interpreterOf, readOwnScript, runInNewShell } from "./code-runs.ts";

/**
 * Programs load files that variables name: `NODE_OPTIONS=--require=./x.js`, `BASH_ENV=x`, `PATH=./bin:$PATH`,
 * `GIT_CONFIG_GLOBAL=x`. There are more such variables than anybody can list, so any file that this command or this
 * session wrote counts as run when a variable names it, or names the directory it lies in.
 */
export function runLoadedFiles(call: ProgramCall): void {
  const { session } = call.scope;
  if (call.place.kind !== "local") return;
  const entries = environmentOf(call);
  for (const { name, value } of entries) {
    // Shells run this one themselves, whatever is in it.
    if (value === undefined || value.pieces.length === 0 || name === "PROMPT_COMMAND") continue;
    const written = value.pieces.map(piece => (piece.kind === "text" ? piece.text : "\n")).join("");
    runValue(value, call);
    runWritten(written, call);
    if (session.context.ownFiles !== undefined) runOwn(written, call);
  }
}

/**
 * A value that is itself a command or code: `PAGER='rm -rf x'`, `GIT_CONFIG_VALUE_0='!rm x'`,
 * `LUA_INIT='os.execute("rm x")'`.
 */
function runValue(value: Value, call: ProgramCall): void {
  const known = knownText(value);
  const { programs, runValues } = call.scope.session;
  if (known === undefined || !/\s/.test(known) || runValues.has(known)) return;
  runValues.add(known);
  const [, command = "", first = ""] = /^[\s|!@:]*((\S+)\s[\s\S]*)$/.exec(known) ?? [];
  if (programs.isKnown(baseName(first)))
    runInNewShell(text(command), call, { from: "handler", via: "option" });
  else if (/["'`(]/.test(known))
    programs.interpret("other", value, [], call, { from: "handler", via: "option" });
}

/** The words of a value that may be paths: `-I/x`, `--require=./x`, `a:b`, `-r x`. */
function pathsIn(value: string): readonly string[] {
  const words = value.split(/[\s:,;="'@]+/).filter(word => word !== "" && word.length < 4096);
  return words.slice(0, 64).flatMap(word => (word.startsWith("-") ? [word.slice(2)] : [word]));
}

function runWritten(value: string, call: ProgramCall): void {
  const { state, session } = call.scope;
  if (state.files.size === 0 || !session.budget.take(state.files.size)) return;
  const named = new Set(pathsIn(value).flatMap(path => knownText(joinPath(call.cwd, text(path))) ?? []));
  for (const [path, entry] of state.files) {
    if (entry.isDirectory === true) continue;
    if (named.has(path) || value.includes(path) || liesIn(named, path, call)) runEntry(path, entry, call);
  }
}

const MAX_DEPTH = 4;

/** Below a directory that was named; directly in it, where that is the working directory or one around it. */
function liesIn(named: ReadonlySet<string>, path: string, { cwd }: ProgramCall): boolean {
  const around = `${knownText(cwd) ?? ""}/`;
  let folder = directoryName(path);
  for (let depth = 0; depth < MAX_DEPTH && folder !== "/"; depth += 1) {
    if (named.has(folder)) return depth === 0 || !around.startsWith(`${folder}/`);
    folder = directoryName(folder);
  }
  return false;
}

function runEntry(path: string, given: FileEntry, call: ProgramCall): void {
  const { loadedFiles } = call.scope.session;
  const entry = writtenEntry(text(path), call.cwd, call.scope) ?? given;
  if (loadedFiles.has(entry)) return;
  loadedFiles.add(entry);
  for (const content of entry.contents) runLoadedText(content, path, call);
}

/** What the session wrote in earlier calls. */
function runOwn(value: string, call: ProgramCall): void {
  const { files, ownFiles } = call.scope.session.context;
  if (ownFiles === undefined || files === undefined) return;
  for (const word of pathsIn(value)) {
    const path = knownText(joinPath(call.cwd, text(word)));
    if (path === undefined || !path.startsWith("/")) continue;
    const paths = ownFiles.has(path)
      ? [path]
      : ownFiles.hasBelow?.(path) === true
        ? (files.list(path, LIMITS.directoryEntries) ?? []).map(name => `${path}/${name}`)
        : [];
    for (const one of paths) {
      if (!ownFiles.has(one)) continue;
      const content = readOwnScript(text(one), call);
      if (content !== undefined) runLoadedText(content, one, call);
    }
  }
}

const INTERPRETERS: readonly (readonly [endings: RegExp, interpreter: string])[] = [
  [/\.(?:[cm]?[jt]sx?)$/, "node"],
  [/\.pyi?$/, "python3"],
  [/\.rb$/, "ruby"],
  [/\.p[lm]$/, "perl"],
  [/\.php$/, "php"],
  [/\.lua$/, "lua"],
];

/** Runs a text of which only the name of its file tells the language. */
export function runLoadedText(code: Value, path: string, call: ProgramCall): void {
  const source = { from: "file", path: text(path), via: "script" } as const;
  const interpreter = interpreterOf(code) ?? INTERPRETERS.find(([endings]) => endings.test(path))?.[1];
  const deeper: ProgramCall = { ...call, scope: { ...call.scope, depth: call.scope.depth + 1 } };
  const { programs } = call.scope.session;
  const output = programs.interpret(interpreter ?? "other", code, [], deeper, source);
  if (output !== undefined && interpreter !== undefined) return;
  const known = knownText(code);
  const commands = known !== undefined && isSettings(path, known) ? commandsOf(known) : [code];
  const isShell = SHELL_NAME.test(path) || interpreter !== undefined;
  for (const command of commands)
    if (isShell || parseShell(knownText(command) ?? "").problems.length === 0)
      runInNewShell(command, deeper, source);
}

const SHELL_NAME = /\.(?:sh|bash|zsh|ksh|fish)$|rc$|profile$|env$/;

/** Files of `name = value` lines, and of rules with recipes behind a tab. */
function isSettings(path: string, content: string): boolean {
  if (SHELL_NAME.test(path) || content.startsWith("#!")) return false;
  return (
    /\.(?:mk|mak|cfg|conf|ini|toml|ya?ml|json|properties)$/.test(path) ||
    /^(?:GNU)?[Mm]akefile$/.test(baseName(path)) ||
    /^\s*\[[^\]\n]+\]\s*$/m.test(content)
  );
}

const MAX_SETTINGS = 64;

/** Values that a program may run: what follows `=` or `:`, without quotes and the mark of a command. */
function commandsOf(content: string): readonly Value[] {
  return content
    .split("\n")
    .slice(0, MAX_SETTINGS)
    .flatMap(line => {
      const value = /^\t|^\s*-\s/.test(line)
        ? line.replace(/^\s*[-@+]?\s*/, "")
        : /^[^=:]*[=:]\s*(.*)$/.exec(line)?.[1];
      const command = value?.replace(/^["']?\s*!?\s*|["',]*\s*$/g, "") ?? "";
      return /\s/.test(command.trim()) ? [text(command)] : [];
    });
}
