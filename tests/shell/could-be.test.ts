import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { couldBe } from "../../src/shell/value.ts";

// What bash says of a pattern and a name is what the analysis says. One bash answers for all pairs.

const PATTERNS = [
  "a*c",
  "a?c",
  "[abc]*",
  "[!abc]*",
  "[^abc]*",
  "[a-c]bc",
  "[]x]bc",
  "[a-]bc",
  "[[:alpha:]]*",
  "[[:digit:]]*",
  "[[:upper:][:digit:]]*",
  "[[:space:]]*",
  "[[:punct:]]*",
  "[[:alnum:]_]*",
  "[[:xdigit:]]*",
  "[[:lower:]][[:lower:]]*",
  "a\\*c",
  "\\[a]",
  "[a",
  "**c",
  "+(ab)c",
  "*(ab)c",
  "?(a)bc",
  "@(abc|xyz)",
  "!(abc)",
  "!(*c)",
  "+([a-c])",
  "+(a|b|c)",
  "@(a|+(b|x))*",
  "*(a|b)c*(c)",
  "+(abc",
  "@()abc",
];
const NAMES = [
  "abc",
  "ac",
  "bc",
  "ababc",
  "xyz",
  "aXc",
  "a*c",
  "[a]",
  "[a",
  "9z",
  "Q",
  "_x",
  "-bc",
  "a bc",
  "abcc",
  "+(abc",
];

const MATCHES = askBash();

function askBash(): ReadonlyMap<string, boolean> {
  const pairs = PATTERNS.flatMap(pattern => NAMES.map(name => [pattern, name] as const));
  const script =
    "shopt -s extglob; while IFS= read -r p && IFS= read -r n; do [[ $n == $p ]] && echo 1 || echo 0; done";
  const input = pairs.map(([pattern, name]) => `${pattern}\n${name}\n`).join("");
  const run = spawnSync("bash", ["--norc", "-c", script], {
    input,
    encoding: "utf8",
    env: { LC_ALL: "C", PATH: process.env["PATH"] },
  });
  const answers = run.stdout.trimEnd().split("\n");
  if (answers.length !== pairs.length) throw new Error(`bash answered ${answers.length}: ${run.stderr}`);
  return new Map(pairs.map((pair, index) => [pair.join("\n"), answers[index] === "1"]));
}

describe("a name that a pattern could be", () => {
  it.each(PATTERNS)("is one that bash matches: %s", pattern => {
    const value = { pieces: [{ kind: "glob" as const, pattern }], origins: [] };
    const said = NAMES.filter(name => couldBe(value, name));
    expect(said).toEqual(NAMES.filter(name => MATCHES.get(`${pattern}\n${name}`)));
  });

  it("lies in one directory, and begins with a dot only where that is written", () => {
    const star = { kind: "glob" as const, pattern: "*" };
    const any = { pieces: [star], origins: [] };
    const hidden = { pieces: [{ kind: "text" as const, text: "." }, star], origins: [] };
    expect([couldBe(any, "a/b"), couldBe(any, ".git"), couldBe(hidden, ".git")]).toEqual([
      false,
      false,
      true,
    ]);
  });
});
