import type { CodeCall } from "../shell/code-calls.ts";
import { knownText, type Value } from "../shell/value.ts";

/** Modules that are a program of their own: `python -m pip …` is `pip …`. */
const PROGRAMS: ReadonlyMap<string, string> = new Map([
  ["pip", "pip"],
  ["twine", "twine"],
  ["awscli", "aws"],
  ["httpie", "http"],
  ["ansible", "ansible"],
  ["alembic", "alembic"],
  ["django", "django-admin"],
  ["flask", "flask"],
  ["poetry", "poetry"],
  ["pipenv", "pipenv"],
  ["mypy", "mypy"],
  ["pytest", "pytest"],
  ["invoke", "invoke"],
  ["fabric", "fab"],
  ["supervisor", "supervisorctl"],
]);

type ReadModule = (words: readonly Value[]) => CodeCall[];

const MODULES: ReadonlyMap<string, ReadModule> = new Map<string, ReadModule>([
  ["timeit", readTimeit],
  ["venv", readEnvironment],
  ["virtualenv", readEnvironment],
  ["zipfile", readArchive],
  ["tarfile", readArchive],
  ["json.tool", readFirst],
  ["base64", readFirst],
  ["gzip", readFirst],
]);

/** What `python -m module words` does; modules not listed (http.server, unittest …) do nothing of note. */
export function readPythonModule(module: string, words: readonly Value[]): readonly CodeCall[] {
  const program = PROGRAMS.get(module);
  if (program !== undefined) {
    const name: Value = { pieces: [{ kind: "text", text: program }], origins: [] };
    return [{ kind: "spawn", argv: [name, ...words], isOpenEnded: false, at: 0 }];
  }
  return MODULES.get(module)?.(words) ?? [];
}

function isOption(word: Value): boolean {
  return knownText(word)?.startsWith("-") === true;
}

/** Statements to time are code; `-s` takes one too. */
function readTimeit(words: readonly Value[]): CodeCall[] {
  const code = words.filter((word, index) => {
    const before = words[index - 1];
    return !isOption(word) && !(before !== undefined && /^-[nru]$/.test(knownText(before) ?? ""));
  });
  return code.map(word => ({ kind: "evaluate", language: "python", code: word, at: 0 }));
}

/** `--clear` empties the directory first. */
function readEnvironment(words: readonly Value[]): CodeCall[] {
  if (!words.some(word => knownText(word) === "--clear")) return [];
  return words
    .filter(word => !isOption(word))
    .map(path => ({ kind: "delete", path, isRecursive: true, at: 0 }));
}

/** `-e archive target` */
function readArchive(words: readonly Value[]): CodeCall[] {
  const at = words.findIndex(word => /^(?:-e|--extract)$/.test(knownText(word) ?? ""));
  const [from, to] = words.slice(at + 1);
  return at === -1 || from === undefined || to === undefined ? [] : [{ kind: "copy", from, to, at: 0 }];
}

function readFirst(words: readonly Value[]): CodeCall[] {
  const path = words.find(word => !isOption(word));
  return path === undefined ? [] : [{ kind: "read", path, at: 0 }];
}
