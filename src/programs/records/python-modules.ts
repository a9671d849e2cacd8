import { type CodeCall, knownText, text, type Value, words } from "../../shell/index.ts";

/** Modules that are a program of their own: `python -m pip …` is `pip …`. */
const PROGRAMS: ReadonlyMap<string, string> = new Map([
  ...words("pip twine ansible alembic flask poetry pipenv mypy pytest invoke").map(
    name => [name, name] as const,
  ),
  ["awscli", "aws"],
  ["httpie", "http"],
  ["django", "django-admin"],
  ["fabric", "fab"],
  ["supervisor", "supervisorctl"],
]);

type ReadModule = (argv: readonly Value[]) => CodeCall[];

const MODULES: ReadonlyMap<string, ReadModule> = new Map<string, ReadModule>([
  ["timeit", readTimeit],
  ["venv", readEnvironment],
  ["virtualenv", readEnvironment],
  [
    "zipfile",
    argv => readArchive(argv, (from, to) => [text("unzip"), text("-o"), from, text("-d"), to], ["zip", "-r"]),
  ],
  [
    "tarfile",
    argv => readArchive(argv, (from, to) => [text("tar"), text("-xf"), from, text("-C"), to], ["tar", "-cf"]),
  ],
  ["json.tool", readFirst],
  ["base64", readFirst],
  ["gzip", readFirst],
]);

/** What `python -m module argv` does; modules not listed (http.server, unittest …) do nothing of note. */
export function readPythonModule(module: string, argv: readonly Value[]): readonly CodeCall[] {
  const program = PROGRAMS.get(module);
  if (program !== undefined) {
    return [{ kind: "spawn", argv: [text(program), ...argv], isOpenEnded: false, at: 0 }];
  }
  return MODULES.get(module)?.(argv) ?? [];
}

function isOption(word: Value): boolean {
  return knownText(word)?.startsWith("-") === true;
}

/** Statements to time are code; `-s` takes one too. */
function readTimeit(argv: readonly Value[]): CodeCall[] {
  const code = argv.filter((word, index) => {
    const before = argv[index - 1];
    return !isOption(word) && !(before !== undefined && /^-[nru]$/.test(knownText(before) ?? ""));
  });
  return code.map(word => ({ kind: "evaluate", language: "python", code: word, at: 0 }));
}

/** `--clear` empties the directory first. */
function readEnvironment(argv: readonly Value[]): CodeCall[] {
  if (!argv.some(word => knownText(word) === "--clear")) return [];
  return argv
    .filter(word => !isOption(word))
    .map(path => ({ kind: "delete", path, isRecursive: true, at: 0 }));
}

/** `-e archive target`, `-c archive files`, with the words by which the archive's own program does the same. */
function readArchive(
  argv: readonly Value[],
  extract: (from: Value, to: Value) => readonly Value[],
  pack: readonly string[],
): CodeCall[] {
  const made = argv.findIndex(word => /^(?:-c|--create)$/.test(knownText(word) ?? ""));
  if (made >= 0) {
    const packing = [...pack.map(word => text(word)), ...argv.slice(made + 1)];
    return [{ kind: "spawn", argv: packing, isOpenEnded: false, at: 0 }];
  }
  const at = argv.findIndex(word => /^(?:-e|--extract)$/.test(knownText(word) ?? ""));
  const [from, to = text(".")] = argv.slice(at + 1).filter(word => !isOption(word));
  if (at === -1 || from === undefined) return [];
  return [{ kind: "spawn", argv: extract(from, to), isOpenEnded: false, at: 0 }];
}

function readFirst(argv: readonly Value[]): CodeCall[] {
  const path = argv.find(word => !isOption(word));
  return path === undefined ? [] : [{ kind: "read", path, at: 0 }];
}
