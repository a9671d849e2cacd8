import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { allOperations, programNames } from "../../src/programs/model/registry.ts";

const GUARD = new URL("../../src/guard/", import.meta.url).pathname;

/** What reads texts: its patterns are words of languages. */
const EXEMPT = /^injection\//;

/** Tables of rules: texts for people, and examples. */
const TABLES = /^const \w*RULES = \{\n[\s\S]*?^\} satisfies RuleTable;$/gm;

/** Kinds of effects, families of rules and members of objects that are also called like a program. */
const OF_THE_GUARD = ["git", "kind"];
/** The same for zones and fields, actions of other programs, file extensions, directories, devices, parts of keys. */
const OTHER_MEANINGS: Readonly<Record<string, readonly string[]>> = {
  "rules/git-settings.ts": ["gpg", "cmd"],
  "rules/system.ts": ["nvme"],
  // Letters of `chmod`.
  "rules/writing.ts": ["fd", "go"],
  "git/effects.ts": ["sh", "env", "gradle", "go", "java", "cc", "php", "swift", "scala", "R"],
  // A file in a repository's own folder.
  "observed.ts": ["info"],
  // Words of options that say where to work, and folders of the system.
  "collect-footprint.ts": ["dir", "nix", "snap"],
  // A family of rules.
  "rules/taken-along.ts": ["net"],
  // Endings of files, and a folder.
  "session-files.ts":
    "php lua sh bash zsh ksh fish go java gradle groovy scala swift ex clj awk nix dart cmake service husky zig sbt".split(
      " ",
    ),
  // A hook of git's and its subcommands, and options of its diff.
  "git/gaps.ts": ["pre-commit", "rm", "mv", "cc", "dd"],
  // Subcommands of git's.
  "git/changes.ts": ["rm", "mv"],
  "changed-names.ts": ["mv"],
  // Verbs in the names of tools, words of code for pages, and members.
  "tool-verbs.ts": [
    "service",
    "declare",
    "return",
    "type",
    "route",
    "op",
    "cmd",
    "task",
    "gdrive",
    "invoke",
    "script",
    "GET",
    "https",
    "watch",
    "box",
    "mail",
    "pr",
    "open",
    "find",
    "view",
    "ftp",
    "kill",
    "halt",
    "shutdown",
    "suspend",
  ],
  // Endings of files that hold native code, and an option that names a folder.
  "rules/sequences.ts": ["node", "jar", "nix", "dir", "snap"],
  // Endings of packages.
  "rules/execution.ts": ["jar", "tar", "rpm", "gem", "apk"],
  // Keys of pipelines behind which a command stands, a script of a manifest, and a folder of hooks.
  "examine-written.ts": ["https", "script", "bash", "pwsh", "install", "husky", "head"],
  // Descriptors in the place of a file.
  "rules/wiring.ts": ["fd"],
  // Descriptors and a file of the kernel.
  "gaps-of-reads.ts": ["fd", "uptime"],
  // A language, and an action of a search.
  "collect-gaps.ts": ["python", "exec"],
  // A member of a search's input that says which kinds of files are meant, and what a forge calls folders.
  "tool-calls.ts": ["type", "tree"],
  // The names of tools that hosts have, not of programs.
  "prefilter.ts": ["pwsh", "powershell"],
};

/** Names of programs that are ordinary words of code, of git's subcommands, or signs. */
const WORDS = new Set(
  `. : [ read file help set unset local command id true false test alias make container fetch grep patch stat bundle kind
  source init format rc and or not - { repeat size join last w who top free clear hash let complete bind history enable
  break continue jobs times look locale builtin diff tty cm tf repo got cap`.split(/\s+/),
);

const PROGRAMS: ReadonlySet<string> = new Set(
  [
    ...programNames(),
    ...allOperations().flatMap(({ command }) => (command.split(" ")[0] ?? "").split("|")),
  ].filter(name => !WORDS.has(name)),
);

const files = readdirSync(GUARD, { recursive: true, encoding: "utf8" }).filter(
  file => file.endsWith(".ts") && !EXEMPT.test(file),
);

/** Words of literals: a string as a whole, the words of a list of names, the alternatives of a pattern. */
function literalWords(source: string): readonly string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$|^import [\s\S]*?;$/gm, "");
  const strings = code.matchAll(/(\bword(?:s|Set)\(\s*)?(?:"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`)/g);
  const patterns = code.matchAll(
    /(?<=[(,=:?|&!\s])\/((?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n[])+)\/[a-z]*(?=[.,;)\s])/g,
  );
  return [
    ...[...strings].flatMap(([, isList, plain = "", template = ""]) =>
      isList === undefined ? [plain + template] : (plain + template).split(/\s+/),
    ),
    ...[...patterns].flatMap(([, body = ""]) => body.replace(/\\./g, " ").split(/[^\w.-]+/)),
  ];
}

describe("the words of literals", () => {
  it.each([
    ['program === "rsync"', "rsync"],
    ['wordSet("a curl b")', "curl"],
    ["wordSet(`\n  a\n  docker b\n`)", "docker"],
    ["if (/^(g|bsd)?tar$/.test(program))", "tar"],
  ])("are found in %s", (source, name) => {
    expect(literalWords(source)).toContain(name);
  });

  it.each(['report("use curl -I first")', "// curl", 'import { curl } from "./curl.ts";'])(
    "are not names in %s",
    source => {
      expect(literalWords(source)).not.toContain("curl");
    },
  );
});

describe("the guard outside its knowledge of programs", () => {
  it.each(files)("%s names no program", file => {
    const words = literalWords(readFileSync(join(GUARD, file), "utf8").replace(TABLES, ""));
    const allowed = [...OF_THE_GUARD, ...(OTHER_MEANINGS[file] ?? [])];
    expect(words.filter(word => PROGRAMS.has(word) && !allowed.includes(word))).toEqual([]);
  });
});
