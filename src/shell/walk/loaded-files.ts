import { listAt, memberAt, readJson } from "../../protocol/index.ts";
import { LIMITS } from "../limits.ts";
import { writtenEntry } from "../state/files.ts";
import type { FileEntry, ProgramCall } from "../state/state.ts";
import { callEnvironment } from "../state/variables.ts";
import { parseShell } from "../syntax/parse.ts";
import { baseName, directoryName, joinPath, knownText, text, type Value } from "../value.ts";
import { findInterpreter, readOwnScript, readScript, runInNewShell } from "./code-runs.ts";

/**
 * Programs load files that variables name: `NODE_OPTIONS=--require=./x.js`, `BASH_ENV=x`, `PATH=./bin:$PATH`,
 * `GIT_CONFIG_GLOBAL=x`. There are more such variables than anybody can list, so any file that this command or this
 * session wrote counts as run when a variable names it, or names the directory it lies in.
 */
export function runLoadedFiles(call: ProgramCall): void {
  const { session } = call.scope;
  if (call.place.kind !== "local") return;
  const entries = callEnvironment(call);
  for (const { name, value } of entries) {
    // Shells run this one themselves, whatever is in it.
    if (value === undefined || value.pieces.length === 0 || name === "PROMPT_COMMAND") continue;
    const written = value.pieces.map(piece => (piece.kind === "text" ? piece.text : "\n")).join("");
    runValue(value, call);
    runWritten(written, call);
    if (session.context.ownFiles !== undefined) runOwn(written, call);
    if (LOADS_FILES.test(name)) runProjects(written, call);
    if (name === "PATH") runShadowing(written, call);
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
  // `MAKEFLAGS='--eval=$(shell …)'`
  for (const [, inner = ""] of known.matchAll(/\$\(shell\s+([^()]+)\)/g))
    runInNewShell(text(inner), call, { from: "handler", via: "option" });
  const [, command = "", first = ""] = /^[\s|!@:]*((?![\s|!@:])(\S+)\s[\s\S]*)$/.exec(known) ?? [];
  if (programs.isKnown(baseName(first)))
    runInNewShell(text(command), call, { from: "handler", via: "option" });
  else if (/["'`(]/.test(known))
    programs.interpret("other", value, [], call, { from: "handler", via: "option" });
}

/** The words of a value that may be paths: `-I/x`, `--require=./x`, `a:b`, `-r x`. */
function pathsIn(value: string): readonly string[] {
  const words = value.split(/[\s:,;="'@]+/).filter(word => word !== "" && word.length < 4096);
  return words.slice(0, 64).flatMap(word => withEndings(word.startsWith("-") ? word.slice(2) : word));
}

/** `-r./x` and `-Mx`: interpreters put the ending of their files behind a name that has none. */
function withEndings(name: string): readonly string[] {
  return /^(?=.*\w)[\w./-]+$/.test(name) && !/\.\w+$/.test(name)
    ? [name, ...["rb", "js", "cjs", "pm"].map(ending => `${name}.${ending}`)]
    : [name];
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
    const paths =
      ownFiles.has(path) && files.kind(path) === "file"
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

/** Variables that are there to name a file of code, or a program, which others then run. */
const LOADS_FILES =
  /^(?:BASH_ENV|ENV|NODE_OPTIONS|PYTHONSTARTUP|RUBYOPT|PERL5OPT|LUA_INIT\w*|GIT_(?:SSH|EXTERNAL_DIFF|ASKPASS|EDITOR|SEQUENCE_EDITOR|PAGER|PROXY_COMMAND)|SSH_ASKPASS|EDITOR|VISUAL|PAGER|MANPAGER|BROWSER|LESSOPEN)$/;

/** Folders of packages hold programs that are meant. */
const OF_PACKAGES = /(?:node_modules\/\.bin|\.?venv\/bin|vendor\/bin)\/?$/;

/** `PATH="$PWD/tools:$PATH" git status`: a file there that has the name of a known program is started in its place. */
function runShadowing(value: string, call: ProgramCall): void {
  const { programs } = call.scope.session;
  const name = knownText(call.argv[0] ?? text("")) ?? "/";
  if (name.includes("/") || !programs.isKnown(name)) return;
  for (const folder of value.split(":", 16)) {
    if (!/^[./~]|\//.test(folder) || folder.includes("\n") || OF_PACKAGES.test(folder)) continue;
    const path = `${folder}/${name}`;
    const content = readScript(text(path), call);
    if (content !== undefined) runLoadedText(content, path, call);
  }
}

/** What lies in the project is read as a script is that is started by its name. */
function runProjects(value: string, call: ProgramCall): void {
  const { session } = call.scope;
  for (const word of pathsIn(value)) {
    if (!/[./]/.test(word) || session.runValues.has(`file ${word}`)) continue;
    session.runValues.add(`file ${word}`);
    const content = readScript(text(word), call);
    if (content !== undefined) runLoadedText(content, word, call);
  }
}

const INTERPRETERS: readonly (readonly [endings: RegExp, interpreter: string])[] = [
  [/\.(?:[cm]?[jt]sx?)$/, "node"],
  [/\.pyi?$|\.ipynb$/, "python3"],
  [/\.rb$/, "ruby"],
  [/\.p[lm]$/, "perl"],
  [/\.php$/, "php"],
  [/\.lua$/, "lua"],
];

/** Runs a text of which only the name of its file tells the language. */
export function runLoadedText(written: Value, path: string, call: ProgramCall): void {
  const code = /\.ipynb$/.test(path) ? readCells(written) : written;
  const source = { from: "file", path: text(path), via: "script" } as const;
  const interpreter = findInterpreter(code) ?? INTERPRETERS.find(([endings]) => endings.test(path))?.[1];
  const deeper: ProgramCall = { ...call, scope: { ...call.scope, depth: call.scope.depth + 1 } };
  const { programs } = call.scope.session;
  const output = programs.interpret(interpreter ?? "other", code, [], deeper, source);
  if (output !== undefined && interpreter !== undefined) return;
  const known = knownText(code);
  const isShell = SHELL_NAME.test(path) || interpreter !== undefined;
  if (known !== undefined && !isShell && isSettings(path, known)) {
    const dangers = (word: string): boolean => programs.findDangerous(word).length > 0;
    for (const command of findCommands(plainText(path, known), name => programs.isKnown(name), dangers))
      runInNewShell(command, deeper, source);
    return;
  }
  if (isShell || parseShell(known ?? "").problems.length === 0) runInNewShell(code, deeper, source);
}

/** The code of a notebook; lines behind `!` go to a shell. */
function readCells(notebook: Value): Value {
  const read = readJson(knownText(notebook) ?? "");
  const cells = read.ok ? listAt(read.value, "cells") : [];
  const sources = cells
    .filter(cell => memberAt(cell, "cell_type") === "code")
    .map(cell => [memberAt(cell, "source") ?? ""].flat().join(""));
  const code = sources
    .join("\n")
    .replace(/^[ \t]*!(.*)$/gm, (_, line: string) => `__import__("os").system(${JSON.stringify(line)})`);
  return text(code, notebook.origins);
}

const SHELL_NAME = /\.(?:sh|bash|zsh|ksh|fish|bats)$|rc$|profile$|env$/;

/** Files of `name = value` lines, of rules with recipes behind a tab, and of languages without a reader: commands stand in them. */
function isSettings(path: string, content: string): boolean {
  if (SHELL_NAME.test(path) || content.startsWith("#!")) return false;
  return (
    /\.(?:mk|mak|cfg|conf|ini|toml|ya?ml|json|properties|rs|go|java|kts?|gradle|groovy|scala|cs|swift|exs?|clj|r|jl|nix|dart|hs|ml|cmake|bzl|bazel|tf|hcl|service|xml|zig|build|gyp|gypi|proj|csproj|fsproj|props|targets|ninja|sbt|cabal|pkl|cue|dhall|lock)$/i.test(
      path,
    ) ||
    /^(?:(?:GNU)?[Mm]akefile|[Jj]ustfile|\.justfile|CMakeLists\.txt|Procfile.*|BUILD|WORKSPACE|Jenkinsfile|Vagrantfile|Earthfile|Tiltfile|Dockerfile.*|Containerfile|Brewfile|Caddyfile|Snakefile)$/.test(
      baseName(path),
    ) ||
    /^[ \t]*\[[^\]\n]+\][ \t\r]*$/m.test(content)
  );
}

const MAX_SETTINGS = 64;
const MAX_HARMFUL = 1024;
const MAX_LINES = 16_384;
const MAX_COMMAND = 1000;
/** Strings in the languages of such files; three marks first. */
const STRING = /"""([\s\S]{1,2000}?)"""|"((?:[^"\\\n]|\\.){1,1000})"|'((?:[^'\\\n]|\\.){1,1000})'/g;

/** How languages write the home folder of whoever runs them. */
const HOME_CALL =
  /\$ENV\{HOME\}|\$\(HOME\)|(?:(?<![\w.])[\w.]*getenv|Getenv|get_env!?|env|property|getProperty|environ\.get|expanduser)\s*\(\s*["'](?:HOME|user\.home|~)["']\s*\)|ENV\[["']HOME["']\]|\bDir\.home\b|\b(?:\w+\.)?(?:homedir|home_dir|UserHomeDir)\(\)/g;

const ENTITIES: Readonly<Record<string, string>> = { quot: "'", apos: "'", lt: "<", gt: ">", amp: "&" };

/** Without tags, but with what their attributes say, and with the home folder in one spelling. */
function plainText(path: string, content: string): string {
  const bare = /\.(?:xml|\w*proj|props|targets)$/i.test(path)
    ? content
        .replace(/<[^>\n]{0,600}>/g, tag => ` ${(tag.match(/"[^"]*"|'[^']*'/g) ?? []).join("\n")}\n`)
        .replace(/&(quot|apos|lt|gt|amp);/g, (_, name: string) => ENTITIES[name] ?? " ")
    : content;
  return bare.replace(HOME_CALL, '"~"');
}

/** `"rm", "-rf", x`, `[rm, -rf, x]`: the words of a command, one by one. */
const LIST = /(["']?)[\w./~-]{1,200}\1(?:\s*,\s*(?:"[^"\n]{1,300}"|'[^'\n]{1,300}'|[\w./~$-]{1,200})){1,16}/g;

/**
 * What a program may run of such a text: lines, what follows `=` or `:`, strings and lists of words, as far as they begin with
 * the name of a program that is known; and whatever follows the name of one that does harm.
 */
function findCommands(
  content: string,
  isKnownProgram: (name: string) => boolean,
  isDangerous: (word: string) => boolean,
): readonly Value[] {
  const found = new Set<string>();
  const harmful = new Set<string>();
  const add = (candidate: string) => {
    const command = candidate.replace(/^[\s@+!-]+/, "").trim();
    const first = /^(?:[A-Za-z_]\w*=\S*\s+)*["']?([\w./~-]+)["']?\s/.exec(command)?.[1];
    if (first === undefined || command.length > MAX_COMMAND || !isKnownProgram(baseName(first))) return;
    // However many others stand before one that does harm, it is seen.
    if (!isDangerous(baseName(first))) {
      if (found.size < MAX_SETTINGS) found.add(command);
    } else if (harmful.size < MAX_HARMFUL) harmful.add(command);
  };
  for (const match of content.matchAll(STRING)) add(unescaped(match[1] ?? match[2] ?? match[3] ?? ""));
  for (const [list] of content.matchAll(LIST))
    add(list.replace(/["']?(?<!\s)\s*,\s*["']?/g, " ").replace(/^["']|["']$/g, ""));
  for (const line of content.split("\n", MAX_LINES)) {
    if (/^\s*(?:\/\/(?!go:generate)|#)/.test(line)) continue;
    for (const { 1: word = "", index } of line.matchAll(
      /(?:^|[\s("'`=:@{,;|&])([a-z][\w-]*)(?=\s+[-~/.$"'\w])/g,
    ))
      if (isDangerous(word))
        add(
          line
            .slice(index)
            .replace(/^[^a-z]+/, "")
            .replace(/["'`)}\]][\s\S]*$/, ""),
        );
    const value = /^[^=:]*[=:]\s*([\s\S]*)$/.exec(line)?.[1];
    add(line.replace(/^\s*\/\/go:generate\s/, ""));
    if (value !== undefined) add(value.trimEnd().replace(/^["']\s*(?:!\s*)?|(?<!["',])["',]+$/g, ""));
  }
  return [...harmful, ...found].map(command => text(command));
}

function unescaped(written: string): string {
  return written.replace(/\\(.)/g, (_, character: string) => (character === "n" ? "\n" : character));
}
