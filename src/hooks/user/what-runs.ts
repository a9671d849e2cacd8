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
const MAX_MATCHES = 500;
const MAX_QUOTED_DEPTH = 3;
const WORD = /[\w@.~/+*?-]+/g;
/** A part of a word in the shell: in quotes, behind a backslash, computed, or plain. */
const PART =
  /"((?:\\.|[^"\\\n])*)"|'([^'\n]*)'|\\(.)|(\$\{[^}\n]*\}|\$\([^()\n]*\)|`[^`\n]*`|\$\w+|\{[^{}\n]*\})|([\w@.~/+*?[\]%:,-]+)/g;
/** Between two words: a new command begins. */
const BEGINS_COMMAND = /[;|&(\n]/;
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
  ".java",
  ".class",
  ".jar",
  "/index.js",
  "/__init__.py",
  "/__main__.py",
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
  [/^go$/, /\.go$|^go\.(?:mod|work)$/],
];

/**
 * Programs that make the hook's own program of sources at each run, and where they do more than that, the word that says
 * so. What tests, checks or builds the project is for sources that change all day; those are not what is agreed to.
 */
const RUNNERS = [
  "(?:cargo|go|dotnet|swift|zig|gradlew?|sbt|mill|lein|stack|cabal|crystal|dub|nimble|nim|mix|gleam|dune|scala-cli|dart|bazel(?:isk)?|buck2|deno)\\b[^;&|\\n]{0,200}?\\s(?:run|r|exec|task)",
  "mvnw?\\b[^;&|\\n]{0,200}?\\sexec:\\w+",
  "java|kotlin|cljs?|clj|clojure|tsx|ts-node|vite-node",
].join("|");
/** Where a command begins, or behind what starts a tool of the project. */
const STARTS_BUILD = new RegExp(
  String.raw`(?:^|[;&|({\n"'\x60]\s*|(?:^|\s)(?:env|sudo|time|nohup|exec|command|npx|bunx|dlx)\s+)(?:\w+=\S*\s+)*(?:[\w.-]*/)*(?:${RUNNERS})(?=$|[\s;&|"'\x60])`,
  "i",
);
const BUILT =
  /\.(?:rs|go|cs|fs|vb|swift|zig|java|class|kts?|scala|sc|groovy|gradle|clj[cs]?|edn|hs|cr|d|nims?|exs?|erl|gleam|mli?|dart|cc?|cpp|cxx|h|hh|hpp|mm?|s|asm|[mc]?[jt]sx?|vue|svelte|py|pyx|rb|php|pl|pm|t|lua|(?:ba|z)?sh|proto|\w+proj|sln|props|targets|toml|jsonc?|ya?ml|xml|mk|cmake|bzl|bazel|cabal|sbt|mod|sum|work|properties|cfg|ini)$|^(?:[a-z]*makefile|justfile|build|workspace|dune|gemfile|rakefile|cmakelists\.txt)$/i;
/** Of git, of hosts, of ours, and what is fetched or written at each run. */
const NOT_BUILT =
  /^(?:\.git|\.claude|\.amplihack|node_modules|\.venv|venv|__pycache__|\.gradle|\.build|\.next|\.cache|\.?zig-cache|zig-out|\.dart_tool)$/;
/** Beside the file that says how a project is built, and nowhere else: `src/bin` holds sources. */
const OUTPUT = /^(?:target|build|dist|out|bin|obj|_build)$/;
const MANIFEST =
  /^(?:Cargo\.toml|go\.mod|package\.json|Package\.swift|build\.zig|pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|build\.(?:sbt|sc)|mix\.exs|dune-project|dub\.(?:json|sdl)|pubspec\.yaml|deno\.jsonc?|project\.clj|.*\.(?:\w\wproj|sln|cabal|nimble))$/;
const MAX_BUILT = 2_000;
const MAX_BUILT_FOLDERS = 2_000;

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
  return listFiles(system, projectRoot, [projectRoot], search => {
    for (const handler of handlersIn(data))
      for (const text of textsIn(handler).map(one => withProject(one, projectRoot))) {
        // An argument or a variable may be one name with blanks in it.
        if (text.includes(" ")) search.take(resolve(projectRoot, text));
        search.look(text, [projectRoot]);
      }
  });
}

function withProject(text: string, projectRoot: string): string {
  return text.replace(/\$\{?CLAUDE_PROJECT_DIR(?::?-[^}]*)?\}?/g, projectRoot).replace(/~\+(?=\/)/g, ".");
}

/** `places`: from where the text of a file names others, besides its own folder. */
function listFiles(
  system: System,
  projectRoot: string,
  places: readonly string[],
  begin: (search: Search) => void,
): readonly string[] {
  const search = new Search(system, projectRoot);
  begin(search);
  return search.follow(places);
}

class Search {
  readonly #system: System;
  readonly #projectRoot: string;
  readonly #found = new Set<string>();
  readonly #pending: { readonly path: string; readonly size: number }[] = [];
  readonly #trees = new Set<string>();
  readonly #beginnings = new Map<string, ReadonlySet<string>>();
  #words = 0;
  #isFollowing = false;

  constructor(system: System, projectRoot: string) {
    this.#system = system;
    this.#projectRoot = projectRoot;
  }

  take(path: string): boolean {
    if (!isInside(this.#projectRoot, path)) return false;
    if (this.#found.has(path)) return true;
    const facts = this.#system.files.follow(path);
    if (facts?.kind !== "file") return false;
    this.#found.add(path);
    this.#pending.push({ path, size: facts.size });
    return true;
  }

  look(text: string, from: readonly string[]): void {
    const folders = [...from];
    const takers = new Set<RegExp>(SPREADS.test(text) ? [/^/] : []);
    const seen = new Set<string>();
    // Texts are full of such names: only where the command itself says so.
    if (!this.#isFollowing && STARTS_BUILD.test(text)) this.#takeTree(from[0] ?? this.#projectRoot);
    for (const { word, isRun, isComputed } of wordsIn(text)) {
      const key = `${word}\n${folders.length}`;
      if (seen.has(key) || (isComputed && !isRun)) continue;
      seen.add(key);
      if (++this.#words > MAX_WORDS || this.#found.size >= MAX_FILES + MAX_BUILT) return;
      if (PATTERN.test(word))
        for (const folder of folders)
          for (const path of listMatches(this.#system.files, folder, inProject(word))) this.take(path);
      // `cd scripts && ./check.sh`, `make -C tools`: what comes next may be named from there.
      const folder = resolve(this.#projectRoot, inProject(word));
      if (folders.length < MAX_FOLDERS && !folders.includes(folder) && this.#isFolder(folder)) {
        folders.push(folder);
        for (const names of takers) this.#takeFrom(folder, names);
      }
      // A tool of the project by its name: only where the command itself says so, since texts are full of names.
      const isTool = !this.#isFollowing && /^[\w.-]+$/.test(word);
      if (isTool && this.take(join(this.#projectRoot, "node_modules/.bin", word))) continue;
      const near = folders.filter(each => this.#mayHold(each, word));
      if (candidates(word, near).some(path => this.take(path))) continue;
      for (const [programs, names] of TASK_FILES)
        if (programs.test(basename(word)) && !takers.has(names)) {
          takers.add(names);
          for (const each of folders) this.#takeFrom(each, names);
        }
    }
  }

  /** What is named outright comes before what files say, so that a long file hides nothing of it. */
  follow(places: readonly string[]): readonly string[] {
    const { files, text } = this.#system;
    this.#words = 0;
    this.#isFollowing = true;
    for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift())
      if (next.size <= MAX_FILE_BYTES)
        this.look(text.decode(files.read(next.path, MAX_FILE_BYTES)).text, [dirname(next.path), ...places]);
    return [...this.#found].sort();
  }

  /** What somebody agrees to is compared whole, or not agreed to. */
  #takeTree(top: string): void {
    if (this.#trees.has(top)) return;
    this.#trees.add(top);
    const pending = [top];
    let taken = 0;
    for (let at = 0; at < pending.length; at++) {
      const folder = pending[at] ?? top;
      const names = [...this.#listed(folder)].sort();
      const isBuiltHere = names.some(name => MANIFEST.test(name));
      for (const name of names) {
        const path = join(folder, name);
        const kind = this.#system.files.inspect(path)?.kind;
        const isSkipped = NOT_BUILT.test(name) || (isBuiltHere && OUTPUT.test(name));
        if (kind === "directory" && !isSkipped) pending.push(path);
        else if (BUILT.test(name) && this.take(path)) taken += 1;
        if (taken > MAX_BUILT || pending.length > MAX_BUILT_FOLDERS)
          throw new Error(
            `${top} has more files than can be compared, and a hook builds them at each run; let the hook start a program that is built`,
          );
      }
    }
  }

  #takeFrom(folder: string, names: RegExp): void {
    for (const name of this.#listed(folder)) if (names.test(name)) this.take(join(folder, name));
  }

  #isFolder(path: string): boolean {
    return this.#system.files.follow(path)?.kind === "directory";
  }

  #listed(folder: string): readonly string[] {
    return isInside(this.#projectRoot, folder) && this.#isFolder(folder)
      ? this.#system.files.list(folder)
      : [];
  }

  /** Nearly all words of a text name nothing: told by one look at each folder. */
  #mayHold(folder: string, word: string): boolean {
    const [first = ""] = /^[^/.]+/.exec(word) ?? [];
    if (first === "" || !isInside(this.#projectRoot, folder)) return true;
    const known =
      this.#beginnings.get(folder) ?? new Set(this.#listed(folder).map(name => name.split(".")[0] ?? ""));
    this.#beginnings.set(folder, known);
    return known.has(first);
  }
}

/** One word of a command or of code, as far as it can be told without knowing the language. */
interface NamedWord {
  readonly word: string;
  /** it begins a command, or stands behind an interpreter */
  readonly isRun: boolean;
  /** a part of it is a variable or the output of a command, for which `*` stands */
  readonly isComputed: boolean;
}

const PATTERN = /[*?]|\[.+\]/;
/** What runs every file of a folder that it is given: `run-parts x`, `ls x | xargs sh`, `find x -exec sh {} +` */
const SPREADS = /\brun-parts\b|(?:\b(?:xargs|parallel)\b|-(?:exec|ok)(?:dir)?\s)/;

/** First what stands there by itself, then what quotes, backslashes and variables make of it. */
function* wordsIn(text: string, depth = 0): Iterable<NamedWord> {
  if (depth === 0)
    for (const [word] of text.replace(/\$\{?\w+\}?/g, "").matchAll(WORD))
      yield { word, isRun: false, isComputed: false };
  const quoted: string[] = [];
  let word = "";
  let [isRun, isComputed, end, program] = [true, false, 0, ""];
  for (const part of text.matchAll(PART)) {
    const [all, double, single, escaped, computed, plain = ""] = part;
    const inQuotes = double ?? single;
    if (part.index > end && word !== "") {
      yield { word, isRun: isRun || INTERPRETER.test(basename(program)), isComputed };
      if (!word.startsWith("-")) program = word;
      isRun = BEFORE_COMMAND.test(word);
      [word, isComputed] = ["", false];
    }
    isRun ||= word === "" && BEGINS_COMMAND.test(text.slice(end, part.index));
    end = part.index + all.length;
    const inside = double?.replace(COMPUTED, "*").replace(/\\(.)/g, "$1") ?? single;
    isComputed ||= computed !== undefined || (double !== undefined && inside?.includes("*") === true);
    word += inside ?? escaped ?? (computed === undefined ? plain : "*");
    if (inQuotes !== undefined && /[\s;&|(]/.test(inQuotes)) quoted.push(inQuotes);
  }
  if (word !== "") yield { word, isRun: isRun || INTERPRETER.test(basename(program)), isComputed };
  if (depth < MAX_QUOTED_DEPTH) for (const inner of quoted) yield* wordsIn(inner, depth + 1);
}

const COMPUTED = /\$\{[^}]*\}|\$\([^()]*\)|`[^`]*`|\$\w+/g;
/** Words of the shell behind which a command begins, and programs that start the next word. */
const BEFORE_COMMAND = /^(?:do|then|else|if|while|until|!|exec|sudo|env|time|nohup|command|\w+=.*)$/;

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
  const paths = listFiles(system, projectRoot, [cwd, projectRoot], search => void search.take(path));
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
  const folders = [...new Set([cwd, projectRoot])];
  const found = new Set<string>();
  let program = "";
  for (const { word, isRun: isStarted, isComputed } of wordsIn(withProject(command, projectRoot))) {
    if (word.startsWith("-") || (isComputed && !isStarted)) continue;
    const isRun = INTERPRETER.test(basename(program));
    program = word;
    const inner = inProject(word);
    // A plain word is data for a program, or a folder to go to.
    const isPath = word.includes("/") || CODE.test(word);
    const paths = isRun
      ? candidates(word, folders)
      : folders.flatMap(folder => [resolve(folder, word), resolve(folder, inner)]);
    const matched = PATTERN.test(word) ? folders.flatMap(folder => listMatches(files, folder, inner)) : [];
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

/** Names that a pattern fits, part by part; one of signs alone says nothing. */
function listMatches(files: System["files"], folder: string, word: string): readonly string[] {
  if (!/\w/.test(word.replace(/\[.*?\]/g, ""))) return [];
  const pattern = resolve(folder, word);
  const parts = pattern.split("/");
  const first = parts.findIndex(part => PATTERN.test(part));
  let places = [parts.slice(0, first).join("/")];
  for (const part of parts.slice(first)) {
    places = places
      .flatMap(place => {
        if (!PATTERN.test(part)) return [join(place, part)];
        if (files.follow(place)?.kind !== "directory") return [];
        return files.list(place).flatMap(name => (globMatches(part, name) ? [join(place, name)] : []));
      })
      .slice(0, MAX_MATCHES);
  }
  return places;
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

/** Every text in it: words, variables, paths. */
function textsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Every object of a hook file that says what is to be done, wherever it stands. */
function handlersIn(data: Json, depth = 0): readonly Json[] {
  if (typeof data !== "object" || data === null || depth > 20) return [];
  const isHandler =
    isJsonObject(data) && ["command", "url", "tool"].some(name => typeof data[name] === "string");
  return isHandler ? [data] : Object.values(data).flatMap(member => handlersIn(member as Json, depth + 1));
}
