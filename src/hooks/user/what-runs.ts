import { isJsonObject, type Json, memberAt, stringAt } from "../../protocol/index.ts";
import { findHome } from "../../state/index.ts";
import { basename, dirname, globMatches, isInside, join, resolve, type System } from "../../system/index.ts";
import { type BuiltHandler, digestFiles } from "./manifest.ts";
import { readTrusted } from "./own-names.ts";

// What a person agrees to when they trust a file of hooks: the programs that it starts, the addresses that it sends to,
// and the files of the project that those programs are, read or import.

const MAX_FILES = 200;
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_WORDS = 20_000;
const MAX_FOLDERS = 8;
const WORD = /[\w@.~/+*?-]+/g;
/** A module is named without the ending of its file. */
const ENDINGS = [
  "",
  ".sh",
  ".py",
  ".js",
  ".mjs",
  ".cjs",
  ".ts",
  ".mts",
  ".rb",
  ".pl",
  "/index.js",
  "/__init__.py",
];

/** Programs that run what a file says which no word of the command names. */
const TASK_FILES: readonly (readonly [programs: RegExp, files: RegExp])[] = [
  [
    /^(?:p?np[mx]|npm-run-all|yarn|bunx?|node|turbo|nx|lerna|lefthook|husky|wireit)$/,
    /^(?:package|turbo|nx|lerna)\.json$|^lefthook\.ya?ml$/,
  ],
  [/^g?make$/i, /^(?:gnu)?makefile$|\.mk$/i],
  [/^just$/, /^\.?justfile$/i],
  [/^(?:go-)?task$/, /^taskfile(?:\.dist)?\.ya?ml$/i],
  [/^deno$/, /^deno\.jsonc?$/],
  [/^(?:mise|rtx)$/, /^\.?mise\.toml$/],
  [/^(?:rake|bundle|rails)$/, /^(?:rakefile|gemfile)$/i],
  [
    /^(?:tox|nox|inv|invoke|fab|doit|poe|pdm|uv|uvx|poetry|hatch|pipenv|pytest)$/,
    /^(?:tox\.ini|setup\.cfg|pyproject\.toml|pipfile|(?:nox|fab)file\.py|tasks\.py|dodo\.py|conftest\.py)$/i,
  ],
  [/^pre-commit$/, /^\.pre-commit-config\.yaml$/],
  [/^(?:gulp|grunt)$/, /^g(?:ulp|runt)file\.\w+$/i],
  [/^(?:gradle|mvn|ant|sbt)w?$/, /^(?:build\.(?:gradle(?:\.kts)?|xml|sbt)|pom\.xml)$/],
  [
    /^(?:composer|mix|cargo|docker|docker-compose)$/,
    /^(?:composer\.json|mix\.exs|cargo\.toml|build\.rs|dockerfile|(?:docker-)?compose\.ya?ml)$/i,
  ],
];

/** What hooks in Claude's shape start and send to, for people: one line each. */
export function listActions(data: Json): readonly string[] {
  return handlersIn(data).flatMap(handler => {
    const args = memberAt(handler, "args");
    const command = [stringAt(handler, "command"), ...(Array.isArray(args) ? args : [])].filter(
      word => typeof word === "string",
    );
    const url = stringAt(handler, "url");
    const tool = stringAt(handler, "tool");
    return [
      ...(command.length === 0 ? [] : [`runs ${command.join(" ")}`]),
      ...(url === undefined ? [] : [`sends to ${url}`]),
      ...(tool === undefined ? [] : [`calls ${stringAt(handler, "server") ?? "?"}: ${tool}`]),
    ];
  });
}

/** The files of the project that these hooks name or run, and those which the text of such a file names, and so on. */
export function listFilesThatRun(system: System, projectRoot: string, data: Json): readonly string[] {
  return listFiles(system, projectRoot, [projectRoot], ({ look }) => {
    for (const handler of handlersIn(data))
      look(withProject(JSON.stringify(handler), projectRoot), [projectRoot]);
  });
}

function withProject(text: string, projectRoot: string): string {
  return text.replace(/\$\{?CLAUDE_PROJECT_DIR\}?/g, projectRoot);
}

interface Search {
  readonly look: (text: string, near: readonly string[]) => void;
  readonly take: (path: string) => boolean;
}

/** `places`: from where the text of a file names others, besides its own folder. */
function listFiles(
  system: System,
  projectRoot: string,
  places: readonly string[],
  begin: (search: Search) => void,
): readonly string[] {
  const { files } = system;
  const found = new Set<string>();
  let words = 0;
  const look = (text: string, near: readonly string[]): void => {
    const folders = [...near];
    for (const [word] of text.replace(/\$\{?\w+\}?/g, "").matchAll(WORD)) {
      if (++words > MAX_WORDS || found.size >= MAX_FILES) return;
      if (/[*?]/.test(word))
        for (const folder of folders)
          for (const path of listMatches(files, folder, inProject(word))) take(path);
      if (candidates(word, folders).some(take)) continue;
      // `cd scripts && ./check.sh`, `make -C tools`: what comes next may be named from there.
      const folder = resolve(projectRoot, inProject(word));
      if (
        folders.length < MAX_FOLDERS &&
        !folders.includes(folder) &&
        files.follow(folder)?.kind === "directory"
      )
        folders.push(folder);
      for (const [programs, names] of TASK_FILES)
        if (programs.test(basename(word)))
          for (const each of folders)
            for (const name of listed(each)) if (names.test(name)) take(join(each, name));
    }
  };
  const listed = (folder: string): readonly string[] =>
    isInside(projectRoot, folder) && files.follow(folder)?.kind === "directory" ? files.list(folder) : [];
  const take = (path: string): boolean => {
    if (!isInside(projectRoot, path)) return false;
    if (found.has(path)) return true;
    const facts = files.follow(path);
    if (facts?.kind !== "file") return false;
    found.add(path);
    if (facts.size <= MAX_FILE_BYTES)
      look(system.text.decode(files.read(path, MAX_FILE_BYTES)).text, [dirname(path), ...places]);
    return true;
  };
  begin({ look, take });
  return [...found].sort();
}

/** A script of the project that a hook runs, with all that it runs, and that nobody agreed to as it is now. */
export interface UnagreedScript {
  readonly path: string;
  /** it was agreed to when something else stood there */
  readonly isChanged: boolean;
}

const CODE = /\.(?:ba|z|k|fi)?sh$|\.(?:py|rb|pl|php|lua|ps1|[mc]?[jt]s)$/;
const INTERPRETER =
  /^(?:(?:ba|z|k|da|fi)?sh|source|\.|python[\d.]*|node|deno|bun|ruby|perl|php|lua|tsx|pwsh)$/;
const ANY_EXECUTE = 0o111;

/**
 * The scripts of the project that a command names from where it runs, and that were not agreed to. A path of somebody's
 * own file leads to another script in every project, and one of a project's file to another in every folder of it.
 */
export function findUnagreedScripts(
  system: System,
  stateHome: string,
  { action, runs }: Pick<BuiltHandler, "action" | "runs">,
  { cwd, projectRoot }: { readonly cwd: string; readonly projectRoot: string },
): readonly UnagreedScript[] {
  const home = findHome(system);
  // Who works in the home has no project: what lies there is theirs.
  if (home !== undefined && isInside(projectRoot, home)) return [];
  const text = actionWords(action)
    .join(" ")
    .replace(/\$\{?HOME\}?(?=\/)/g, home ?? "");
  return scriptsNamed(system, text, cwd, projectRoot)
    .filter(path => runs?.paths.includes(path) !== true)
    .flatMap(path => {
      const known = readTrusted(system, stateHome, path);
      const isAgreed = known?.paths !== undefined && digestFiles(system, known.paths) === known.sha256;
      return isAgreed ? [] : [{ path, isChanged: known !== undefined }];
    });
}

/** A script with all that it runs, for who agrees to it. */
export function withAllItRuns(
  system: System,
  path: string,
  { cwd, projectRoot }: { readonly cwd: string; readonly projectRoot: string },
): { readonly paths: readonly string[]; readonly sha256: string } {
  const paths = listFiles(system, projectRoot, [cwd, projectRoot], ({ take }) => void take(path));
  return { paths, sha256: digestFiles(system, paths) };
}

function actionWords(action: BuiltHandler["action"]): readonly string[] {
  if (action.kind === "command") return [action.command, ...(action.args ?? [])];
  const server = action.kind === "mcp_tool" ? action.description : undefined;
  const args = memberAt(server, "args");
  return [stringAt(server, "command") ?? "", ...(Array.isArray(args) ? args : [])].filter(
    word => typeof word === "string",
  );
}

/** Paths and names with the ending of a script count, and whatever stands behind an interpreter. */
function scriptsNamed(
  { files }: Pick<System, "files">,
  command: string,
  cwd: string,
  projectRoot: string,
): readonly string[] {
  const text = withProject(command, projectRoot).replace(/\$\{?\w+\}?/g, "");
  const folders = [...new Set([cwd, projectRoot])];
  const found = new Set<string>();
  let program = "";
  for (const [word] of text.matchAll(WORD)) {
    if (word.startsWith("-")) continue;
    const isRun = INTERPRETER.test(basename(program));
    program = word;
    const inner = inProject(word);
    // A plain word is data for a program, or a folder to go to.
    const isPath = word.includes("/") || CODE.test(word);
    const paths = isRun
      ? candidates(word, folders)
      : folders.flatMap(folder => [resolve(folder, word), resolve(folder, inner)]);
    const matched = /[*?]/.test(word) ? folders.flatMap(folder => listMatches(files, folder, inner)) : [];
    for (const path of [...paths, ...matched]) {
      if (!isInside(projectRoot, path)) continue;
      const facts = files.follow(path);
      if (facts?.kind === "directory" && folders.length < MAX_FOLDERS && !folders.includes(path))
        folders.push(path);
      const isCode = CODE.test(path) || ((facts?.mode ?? 0) & ANY_EXECUTE) !== 0;
      if (facts?.kind === "file" && (isRun || (isPath && isCode))) found.add(path);
    }
  }
  return [...found];
}

function listMatches(files: System["files"], folder: string, word: string): readonly string[] {
  const pattern = resolve(folder, word);
  const place = dirname(pattern);
  if (files.follow(place)?.kind !== "directory") return [];
  return files.list(place).flatMap(name => (globMatches(basename(pattern), name) ? [join(place, name)] : []));
}

/** `$PWD/scripts/x` and `$(git rev-parse --show-toplevel)/scripts/x` are read from their first slash on. */
function inProject(word: string): string {
  return word.replace(/^\/+/, "");
}

function candidates(word: string, folders: readonly string[]): readonly string[] {
  const inner = inProject(word);
  const forms = [word, ...(inner === word ? [] : [inner])];
  if (/^[\w.]+$/.test(word)) forms.push(word.replaceAll(".", "/"));
  return folders.flatMap(folder =>
    forms.flatMap(form => ENDINGS.map(ending => resolve(folder, form) + ending)),
  );
}

/** Every object of a hook file that says what is to be done, wherever it stands. */
function handlersIn(data: Json, depth = 0): readonly Json[] {
  if (typeof data !== "object" || data === null || depth > 20) return [];
  const isHandler =
    isJsonObject(data) && ["command", "url", "tool"].some(name => typeof data[name] === "string");
  return isHandler ? [data] : Object.values(data).flatMap(member => handlersIn(member as Json, depth + 1));
}
