import {
  concatenate,
  execute,
  type Invocation,
  joinPath,
  knownText,
  LIMITS,
  leaveUnexamined,
  type ProgramCall,
  runInNewShell,
  text,
  unknown,
  type Value,
  writtenEntry,
} from "../../shell/index.ts";
import { globMatches } from "../../system/index.ts";
import { isSearched } from "../records/other-languages.ts";
import {
  AGENT_FOLDERS,
  agentFileNames,
  RECIPE_EXTENSIONS,
  RECIPE_FOLDERS,
  type RecipePlaces,
  type Started,
} from "../records/own-commands.ts";
import { findOwnCall } from "../records/own-program.ts";
import { readProjectTree } from "./project-tree.ts";
import { findProgram, isInterpreter } from "./registry.ts";
import { runOptionText } from "./run.ts";
import { importedFiles, runInterpreterCode } from "./run-code.ts";
import { filesRunBy } from "./runs-files.ts";

const MAX_NESTED_RECIPES = 32;

/**
 * Follows what a call of this program starts. All that it reads belongs to what a person is asked about: a file that
 * changes afterwards is another question.
 */
export function runOwn(name: string, call: ProgramCall): void {
  const { argv, isOpenEnded } = call;
  const found = findOwnCall({ argv, program: name, isOpenEnded }, () => false);
  const { codeRuns, invocations } = call.scope.session;
  const [runs, begun] = [codeRuns.length, invocations.length];
  for (const started of found?.starts ?? []) follow(started, call);
  // What runs deeper and was not read there, being the project's own: what a script sources, the program behind `node`.
  for (const { from, code, path, invocation } of codeRuns.slice(runs))
    if (from === "file" && path !== undefined && knownText(code) === undefined)
      noteFiles([path], { ...call, cwd: invocations[invocation ?? -1]?.cwd ?? call.cwd });
  const trees = new Map<string, readonly [ProgramCall, string]>();
  for (const invocation of invocations.slice(begun)) {
    const { program, cwd, place } = invocation;
    const isAll = program !== undefined && isInterpreter(program);
    const there = { ...call, cwd, place };
    const words = invocation.argv.flatMap(partsOfWord);
    const named = words.slice(1).filter(word => isAll || CODE_NAME.test(knownText(word) ?? ""));
    const patterns = filesRunBy(invocation) ?? (loadsModules(invocation) ? "*" : undefined);
    if (patterns !== undefined) trees.set(`${knownText(cwd)}\0${patterns}`, [there, patterns]);
    // `npm test` names a task, and no folder.
    const places = words.slice(1).filter(word => isAll || /[./]/.test(knownText(word) ?? ""));
    const entries = patterns === undefined ? [] : places.flatMap(word => listEntryFiles(word, there));
    const taken = patterns === undefined || isAll ? [] : listMatches(patterns, there);
    noteFiles([...named, ...entries, ...taken], there);
    // Whatever else is named may be what it runs or obeys: it is the same while nothing wrote it.
    for (const word of words) noteStamp(word, there);
  }
  for (const [there, patterns] of trees.values()) noteTree(there, patterns);
}

/** Also with nothing but code among its words, which may import others; a shell runs what its text names. */
function loadsModules({ program }: Invocation): boolean {
  if (program === undefined) return false;
  return (
    isSearched(program) || (isInterpreter(program) && findProgram(program)?.is?.includes("shell") !== true)
  );
}

/** Sources that a build takes, tests that a runner finds, modules that a program imports. */
function noteTree(call: ProgramCall, patterns: string): void {
  const read = call.scope.session.codeRuns.flatMap(({ path, code }) =>
    path === undefined || knownText(code) === undefined ? [] : (knownText(path) ?? []),
  );
  const tree = readProjectTree(call, patterns, new Set(read));
  if (tree === undefined) return;
  note(text(tree.top), text(tree.digest), call);
  if (tree.isWhole) return;
  const message = `${tree.top} has more files than can be compared`;
  leaveUnexamined(call.scope.session, "input-size", message, "", call.span);
}

/** `uv run server.py`, `deno run server.ts` */
const CODE_NAME = /\.(?:[cm]?[jt]sx?|py|rb|php|pl|lua|sh|bash|go|rs|java|kts?|cs|exs?|dart|zig)$/;
const PACKAGE = "package.json";

/** `--import=./first.mjs` names a file behind its sign. */
function partsOfWord(word: Value): readonly Value[] {
  const known = knownText(word);
  const sign = known?.startsWith("-") === true ? known.indexOf("=") : -1;
  return known === undefined || sign < 0 ? [word] : [word, text(known.slice(sign + 1))];
}

/** What a program starts with that is given a folder, or a module without its ending. */
function listEntryFiles(word: Value, call: ProgramCall): readonly Value[] {
  const { files } = call.scope.session.context;
  const top = knownText(joinPath(call.cwd, word));
  if (top === undefined || call.place.kind !== "local") return [];
  const modules = [".js", ".ts"].map(ending => `${top}${ending}`);
  const names = files?.kind(top) === "directory" ? (files.list(top, MAX_FOLDER_NAMES) ?? []) : [];
  const inside = names.filter(name => name === PACKAGE || CODE_NAME.test(name)).map(name => `${top}/${name}`);
  return [...modules, ...inside.slice(0, MAX_IMPORTED)].map(path => text(path));
}

/** Files where it runs that it takes without being told, as `docker compose` does. */
function listMatches(patterns: string, call: ProgramCall): readonly Value[] {
  const top = knownText(call.cwd);
  if (top === undefined || patterns === "*" || call.place.kind !== "local") return [];
  const names = call.scope.session.context.files?.list(top, MAX_FOLDER_NAMES) ?? [];
  const isTaken = (name: string) => patterns.split(" ").some(pattern => globMatches(pattern, name));
  return names.filter(isTaken).map(name => text(`${top}/${name}`));
}

/** A compiled program, or what is too large to be read. */
function noteStamp(word: Value, call: ProgramCall): void {
  const { files } = call.scope.session.context;
  const place = knownText(joinPath(call.cwd, word));
  if (place === undefined || call.place.kind !== "local" || files?.kind(place) !== "file") return;
  if (call.scope.session.codeRuns.some(({ path }) => path !== undefined && knownText(path) === place)) return;
  const stamp = files.stamp?.(place);
  if (stamp !== undefined) note(text(place), text(stamp), call);
}

/** With what they import, as far as that is told by name. */
function noteFiles(names: readonly Value[], call: ProgramCall): void {
  const seen = new Set<string>();
  const pending = [...names];
  for (let next = pending.shift(); next !== undefined && seen.size < MAX_IMPORTED; next = pending.shift())
    for (const { path, content } of readFiles([next], call, noteStamp)) {
      const place = knownText(path) ?? "";
      if (seen.has(place)) continue;
      seen.add(place);
      note(path, content, call);
      if (/\.(?:[cm]?[jt]s|py)$/.test(place))
        pending.push(...importedFiles(place.endsWith(".py") ? "python" : "javascript", content, path));
      if (place.endsWith(`/${PACKAGE}`))
        for (const [, name = ""] of (knownText(content) ?? "").matchAll(/:\s*"([^"\n]+)"/g))
          if (CODE_NAME.test(name))
            pending.push(joinPath(text(place.slice(0, -PACKAGE.length - 1)), text(name)));
    }
}

function follow(started: Started, call: ProgramCall): void {
  switch (started.kind) {
    case "words":
      runWords(started.words, call);
      break;
    case "agent":
      runAgent(started, call);
      break;
    case "text":
      runOptionText(started.text, call);
      break;
    case "code":
      runCode(started.name, call);
      break;
    case "file":
      for (const { path, content } of readFiles(filesAt(started.name, call), call)) note(path, content, call);
      break;
    case "recipe":
      runRecipe(started.name, started, call, new Set());
  }
}

function runWords(words: readonly Value[], call: ProgramCall): void {
  execute({
    ...call,
    argv: words,
    redirections: [],
    declarations: [],
    isInShell: false,
    wrappers: call.wrappers + 1,
    parent: { invocation: call.id, via: "wrapper" },
  });
}

/** As if it were typed there. Settings, servers and prompts that its words name say what it does. */
function runAgent({ words, directory }: Extract<Started, { kind: "agent" }>, call: ProgramCall): void {
  const there = directory === undefined ? call : { ...call, cwd: joinPath(call.cwd, directory) };
  runWords(words, there);
  const named = words.slice(1).flatMap(word => {
    const value = knownText(word) ?? "";
    return [value, value.slice(value.indexOf("=") + 1)].filter(name => name !== "" && !name.startsWith("-"));
  });
  for (const { path, content } of readFiles(
    [...new Set(named)].map(name => text(name)),
    there,
  ))
    note(path, content, there);
}

const MAX_FOLDER_FILES = 512;
const MAX_FOLDER_NAMES = 2000;
const MAX_FOLDER_BYTES = 4 * 1024 * 1024;

/** The file itself, or what lies below a folder; one with more than can be shown is not agreed to file by file. */
function filesAt(name: Value, call: ProgramCall): readonly Value[] {
  const top = knownText(joinPath(call.cwd, name));
  const { session } = call.scope;
  const { files } = session.context;
  if (top === undefined || files?.kind(top) !== "directory" || call.place.kind !== "local") return [name];
  const found: Value[] = [];
  const pending = [top];
  for (let folder = pending.shift(); folder !== undefined; folder = pending.shift()) {
    const names = files.list(folder, MAX_FOLDER_NAMES);
    for (const each of names ?? []) {
      const path = `${folder}/${each}`;
      const kind = each === ".git" ? undefined : files.kind(path);
      if (kind === "directory") pending.push(path);
      if (kind === "file") found.push(text(path));
    }
    if (names !== undefined && found.length <= MAX_FOLDER_FILES && pending.length <= MAX_FOLDER_FILES)
      continue;
    leaveUnexamined(session, "input-size", `${top} has more files than can be read`, "", call.span);
    return found.slice(0, MAX_FOLDER_FILES);
  }
  return found;
}

const MAX_IMPORTED = 64;

/** Code and what it imports. Types cannot be read; such a file belongs to the question all the same. */
function runCode(name: Value, call: ProgramCall): void {
  const seen = new Set<string>();
  const pending = [name];
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    for (const { path, content } of readFiles([next], call)) {
      const place = knownText(path) ?? "";
      if (seen.has(place)) continue;
      seen.add(place);
      if (seen.size > MAX_IMPORTED) {
        leaveUnexamined(
          call.scope.session,
          "input-size",
          `${place} is one of too many imports`,
          "",
          call.span,
        );
        return;
      }
      if (/\.[cm]?js$/.test(place))
        runInterpreterCode("javascript", content, [], call, { from: "file", path });
      else note(path, content, call);
      pending.push(...importedFiles("javascript", content, path));
    }
  }
}

/**
 * The shell texts of a recipe and of the recipes that it names, and its agents, wherever one of that name may be found:
 * more places than the one that counts when it runs, so that a file which appears there first is another question.
 */
function runRecipe(name: Value, where: RecipePlaces, call: ProgramCall, seen: Set<string>): void {
  const known = knownText(name);
  if (known === undefined || seen.has(known)) return;
  if (seen.size >= MAX_NESTED_RECIPES) {
    leaveUnexamined(call.scope.session, "input-size", `${known} is one of too many recipes`, "", call.span);
    return;
  }
  seen.add(known);
  for (const { path, content } of findRecipes(known, where, call)) {
    note(path, content, call);
    const { commands, recipes, agents } = readRecipeTexts(knownText(content) ?? "");
    for (const command of commands)
      runInNewShell(
        withUnknowns(command),
        { ...call, environment: [] },
        { from: "file", path, via: "script" },
      );
    for (const agent of agents) noteAgent(agent, where, call);
    const place = knownText(path) ?? "";
    const beside = text(place.slice(0, Math.max(place.lastIndexOf("/"), 0)));
    const folders = where.folders.some(folder => knownText(folder) === knownText(beside))
      ? where.folders
      : [...where.folders, beside];
    for (const recipe of recipes) runRecipe(text(recipe), { ...where, folders }, call, seen);
  }
}

/** By path, by the name of the file, or else by the name that the file gives itself. */
function findRecipes(known: string, where: RecipePlaces, call: ProgramCall): readonly ReadFile[] {
  const bases = [text("."), ...where.places, ...foldersAbove(call)];
  if (known.includes("/") || RECIPE_EXTENSIONS.some(extension => known.endsWith(extension)))
    return readFiles(
      known.startsWith("/") ? [text(known)] : bases.map(base => joinPath(base, text(known))),
      call,
    );
  const kept = bases.flatMap(base => RECIPE_FOLDERS.map(folder => joinPath(base, text(folder))));
  const folders = [...where.folders, ...bases, ...kept];
  const named = folders.flatMap(folder =>
    RECIPE_EXTENSIONS.map(extension => joinPath(folder, text(`${known}${extension}`))),
  );
  const found = readFiles(named, call);
  if (found.length > 0) return found;
  const all = folders.flatMap(folder => {
    const top = knownText(joinPath(call.cwd, folder));
    const names =
      top === undefined ? undefined : call.scope.session.context.files?.list(top, MAX_FOLDER_FILES);
    const isRecipe = (file: string) => RECIPE_EXTENSIONS.some(extension => file.endsWith(extension));
    return (names ?? []).filter(isRecipe).map(file => text(`${top}/${file}`));
  });
  return readFiles(all, call).filter(({ content }) => nameOfRecipe(knownText(content) ?? "") === known);
}

function nameOfRecipe(source: string): string | undefined {
  const [, name = ""] = /^["']?name["']?\s*:\s*(.*)$/m.exec(source) ?? [];
  return unquote(name.trim()).trim();
}

const MAX_FOLDERS_ABOVE = 10;

/** Up to the one with the repository, where recipes are looked for as well. */
function foldersAbove({ cwd, scope, place }: ProgramCall): readonly Value[] {
  const { files } = scope.session.context;
  let folder = knownText(cwd);
  const found: Value[] = [];
  while (place.kind === "local" && folder !== undefined && folder.includes("/", 1)) {
    if (found.length >= MAX_FOLDERS_ABOVE || files?.kind(`${folder}/.git`) !== undefined) break;
    folder = folder.slice(0, folder.lastIndexOf("/"));
    found.push(text(folder));
  }
  return found;
}

/** Its instructions say what it does. */
function noteAgent(reference: string, { places }: RecipePlaces, call: ProgramCall): void {
  const names = AGENT_FOLDERS.flatMap(folder =>
    agentFileNames(reference.split(":")).map(name => text(`${folder}/${name}`)),
  );
  const all = [...names, ...places.flatMap(place => names.map(name => joinPath(place, name)))];
  for (const { path, content } of readFiles(all, call)) note(path, content, call);
}

/** `{{name}}` is a value that is known when the step runs. */
function withUnknowns(command: string): Value {
  return concatenate(
    command
      .split(/(\{\{[^{}]*\}\})/)
      .map(part => (part.startsWith("{{") ? unknown("any", "a value of the recipe") : text(part))),
  );
}

interface ReadFile {
  readonly path: Value;
  readonly content: Value;
}

function readFiles(
  names: readonly Value[],
  call: ProgramCall,
  onUnread: (path: Value, call: ProgramCall) => void = leaveUnread,
): readonly ReadFile[] {
  if (call.place.kind !== "local") return [];
  const { session } = call.scope;
  let left = MAX_FOLDER_BYTES;
  return names.flatMap((name): readonly ReadFile[] => {
    const path = joinPath(call.cwd, name);
    const written = writtenEntry(name, call.cwd, call.scope);
    if (written !== undefined && written.isDirectory !== true)
      return written.contents.map(content => ({ path, content }));
    const place = knownText(path);
    const { files } = session.context;
    if (place === undefined || files?.kind(place) !== "file") return [];
    const content = left < 0 ? undefined : files.readText(place, LIMITS.ownScriptBytes);
    left -= content?.length ?? 0;
    if (content !== undefined)
      return [{ path, content: text(content, [{ kind: "file", path: text(place) }]) }];
    onUnread(text(place), call);
    return [];
  });
}

function leaveUnread(path: Value, { scope, span }: ProgramCall): void {
  const message = `${knownText(path)} is too large or cannot be read`;
  leaveUnexamined(scope.session, "input-size", message, "", span);
}

function note(path: Value, code: Value, { id, scope, span }: ProgramCall): void {
  scope.session.codeRuns.push({
    language: "shell",
    code,
    from: "file",
    path,
    invocation: id,
    isExamined: true,
    span,
  });
}

/** What stands behind these members of a recipe. */
const MEMBERS = {
  command: "commands",
  pre_step: "commands",
  post_step: "commands",
  on_error: "commands",
  recipe: "recipes",
  extends: "recipes",
  agent: "agents",
} as const;
const NAMES = Object.keys(MEMBERS).join("|");
const MEMBER = new RegExp(`^(\\s*(?:-\\s+)?)["']?(${NAMES})["']?\\s*:\\s*([\\s\\S]*)$`);
const FLOW_MEMBER = new RegExp(
  `[{,]\\s*["']?(${NAMES})["']?\\s*:\\s*("(?:\\\\.|[^"\\\\])*"|'(?:''|[^'])*'|[^\\s"'{}[\\],&*!|>][^,{}[\\]]*)`,
  "g",
);

interface RecipeTexts {
  readonly commands: readonly string[];
  readonly recipes: readonly string[];
  readonly agents: readonly string[];
}

/**
 * The shell texts and the names of recipes and agents in the text of a recipe, by the shapes that YAML has for a member's
 * value. It is not a parser: what it misses is judged when the step runs.
 */
export function readRecipeTexts(source: string): RecipeTexts {
  const found = { commands: [] as string[], recipes: [] as string[], agents: [] as string[] };
  const lines = source.split(/\r?\n/);
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    const [, before = "", member, value = ""] = MEMBER.exec(line) ?? [];
    if (!isMember(member)) {
      for (const [, flow, quoted = ""] of line.matchAll(FLOW_MEMBER))
        if (isMember(flow)) found[MEMBERS[flow]].push(unquote(quoted.trim()));
      continue;
    }
    const deeper: string[] = [];
    while (index + 1 < lines.length && isDeeper(lines[index + 1] ?? "", before.length)) {
      index += 1;
      deeper.push(lines[index] ?? "");
    }
    const isBlock = /^[|>][-+0-9]*\s*(#.*)?$/.test(value);
    const whole = isBlock ? deeper.join("\n") : [value, ...deeper.map(one => one.trim())].join(" ");
    found[MEMBERS[member]].push(isBlock ? whole : unquote(whole.trim()));
  }
  return found;
}

function isMember(name: string | undefined): name is keyof typeof MEMBERS {
  return name !== undefined && Object.hasOwn(MEMBERS, name);
}

function isDeeper(line: string, indent: number): boolean {
  return line.trim() === "" || line.length - line.trimStart().length > indent;
}

function unquote(value: string): string {
  if (/^'.*'$/s.test(value)) return value.slice(1, -1).replaceAll("''", "'");
  if (!/^".*"$/s.test(value)) return value.replace(/(?<!\s)\s+#[\s\S]*$/, "");
  return value
    .slice(1, -1)
    .replace(/\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))/gs, (_, short, long, one) => {
      const code = short ?? long;
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
      return { n: "\n", t: "\t", "0": "\0" }[one as string] ?? one;
    });
}
