import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { verbTables } from "../../src/guard/collect.ts";
import { archives } from "../../src/guard/models/archives.ts";
import { databaseClients } from "../../src/guard/models/databases.ts";
import { mirrors } from "../../src/guard/models/mirrors.ts";
import { network } from "../../src/guard/models/network.ts";
import { processes } from "../../src/guard/models/processes.ts";
import { removal } from "../../src/guard/models/removal.ts";
import { transfer } from "../../src/guard/models/transfer.ts";
import { uploads } from "../../src/guard/models/uploads.ts";
import { writing } from "../../src/guard/models/writing.ts";

const GUARD = new URL("../../src/guard/", import.meta.url).pathname;

/** What knows programs, and the tables of rules, whose strings are texts for people. */
const EXEMPT = /^(models\/|verbs\/|packs\/|(collect|nested-text|program-traits)\.ts$)/;

/** Kinds of effects, families of rules and members of objects that are also called like a program. */
const OF_THE_GUARD = ["git", "kind"];
/** The same for zones and fields, actions of other programs, file extensions, directories, devices, parts of keys. */
const OTHER_MEANINGS: Readonly<Record<string, readonly string[]>> = {
  "checks/git-settings.ts": ["gpg", "init"],
  "checks/removal.ts": ["source"],
  "checks/self-protection.ts": ["init"],
  "checks/system.ts": ["nvme"],
  "checks/writing.ts": ["fd"],
  "custom-rules.ts": ["source"],
  "file-tools.ts": ["source"],
  "git/checkout.ts": ["sh", "env", "gradle"],
  "git/invocation.ts": ["init", "mv", "rm"],
  "git/new-trees.ts": ["init"],
  "git/options.ts": ["format"],
  "paths/disk.ts": ["fd"],
  "paths/secrets.ts": ["sh", "bash"],
  "paths/zones.ts": ["source"],
  "redact.ts": ["gh", "pass", "passwd"],
};

const tables = [archives, databaseClients, mirrors, network, processes, removal, transfer, uploads, writing];
const PROGRAMS: ReadonlySet<string> = new Set([
  ...tables.flatMap(table => Object.keys(table)),
  ...verbTables().flatMap(({ verbs, options }) => [
    ...verbs.flatMap(({ command }) => (command.split(" ")[0] ?? "").split("|")),
    ...Object.keys(options),
  ]),
  ..."bash sh zsh awk tr echo printf source env printenv npx deno node python python3 git find fd".split(" "),
]);

const files = readdirSync(GUARD, { recursive: true, encoding: "utf8" }).filter(
  file => file.endsWith(".ts") && !EXEMPT.test(file),
);

/** Words of literals: a string as a whole, the words of a list of names, the alternatives of a pattern. */
function literalWords(source: string): readonly string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$|^import [\s\S]*?;$/gm, "");
  const strings = code.matchAll(/(\bword(?:s|Set)\(\s*)?(?:"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`)/g);
  const patterns = code.matchAll(
    /(?<=[(,=:?|&\s])\/((?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n[])+)\/[a-z]*(?=[.,;)\s])/g,
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
    const words = literalWords(readFileSync(join(GUARD, file), "utf8"));
    const allowed = [...OF_THE_GUARD, ...(OTHER_MEANINGS[file] ?? [])];
    expect(words.filter(word => PROGRAMS.has(word) && !allowed.includes(word))).toEqual([]);
  });
});
