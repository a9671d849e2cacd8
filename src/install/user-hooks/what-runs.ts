import { isJsonObject, type Json, memberAt, stringAt } from "../../protocol/index.ts";
import { basename, dirname, globMatches, isInside, join, resolve, type System } from "../../system/index.ts";

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
  const { files } = system;
  const found = new Set<string>();
  let words = 0;
  const look = (text: string, near: readonly string[]): void => {
    const folders = [...near];
    for (const [word] of text.replace(/\$\{?\w+\}?/g, "").matchAll(WORD)) {
      if (++words > MAX_WORDS || found.size >= MAX_FILES) return;
      if (/[*?]/.test(word))
        for (const folder of folders) for (const path of matching(folder, word)) take(path);
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
  const matching = (folder: string, word: string): readonly string[] => {
    const pattern = resolve(folder, inProject(word));
    return listed(dirname(pattern)).flatMap(name => {
      const path = join(dirname(pattern), name);
      return globMatches(basename(pattern), name) ? [path] : [];
    });
  };
  const take = (path: string): boolean => {
    if (!isInside(projectRoot, path)) return false;
    if (found.has(path)) return true;
    const facts = files.follow(path);
    if (facts?.kind !== "file") return false;
    found.add(path);
    if (facts.size <= MAX_FILE_BYTES)
      look(system.text.decode(files.read(path, MAX_FILE_BYTES)).text, [dirname(path), projectRoot]);
    return true;
  };
  for (const handler of handlersIn(data))
    look(JSON.stringify(handler).replace(/\$\{?CLAUDE_PROJECT_DIR\}?/g, projectRoot), [projectRoot]);
  return [...found].sort();
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
