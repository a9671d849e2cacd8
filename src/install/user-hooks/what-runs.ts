import { isJsonObject, type Json, memberAt, stringAt } from "../../protocol/index.ts";
import { dirname, isInside, resolve, type System } from "../../system/index.ts";

// What a person agrees to when they trust a file of hooks: the programs that it starts, the addresses that it sends to,
// and the files of the project that those programs are, read or import.

const MAX_FILES = 200;
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_WORDS = 20_000;
const WORD = /[\w@.~/+-]+/g;
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

/** The files of the project that these hooks name, and those which the text of such a file names, and so on. */
export function listFilesThatRun(system: System, projectRoot: string, data: Json): readonly string[] {
  const found = new Set<string>();
  let words = 0;
  const look = (text: string, folders: readonly string[]): void => {
    for (const [word] of text.matchAll(WORD)) {
      if (++words > MAX_WORDS || found.size >= MAX_FILES) return;
      for (const path of candidates(word, folders)) if (take(path)) break;
    }
  };
  const take = (path: string): boolean => {
    if (!isInside(projectRoot, path)) return false;
    if (found.has(path)) return true;
    const facts = system.files.follow(path);
    if (facts?.kind !== "file") return false;
    found.add(path);
    if (facts.size <= MAX_FILE_BYTES)
      look(system.text.decode(system.files.read(path, MAX_FILE_BYTES)).text, [dirname(path), projectRoot]);
    return true;
  };
  for (const handler of handlersIn(data))
    look(JSON.stringify(handler).replace(/\$\{?CLAUDE_PROJECT_DIR\}?/g, projectRoot), [projectRoot]);
  return [...found].sort();
}

function candidates(word: string, folders: readonly string[]): readonly string[] {
  const forms = [word, ...(/^[\w.]+$/.test(word) ? [word.replaceAll(".", "/")] : [])];
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
