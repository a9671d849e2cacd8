import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readMongo } from "../../src/code/languages/mongo.ts";
import { readRedis } from "../../src/code/languages/redis.ts";
import { readSql } from "../../src/code/languages/sql.ts";
import { readCode } from "../../src/code/read-code.ts";
import type { Language } from "../../src/shell/facts.ts";
import { LIMITS } from "../../src/shell/limits.ts";
import { text } from "../../src/shell/value.ts";
import { anyCharacter, runs } from "../generated-inputs.ts";
import { contextOf } from "./reading.ts";

const LANGUAGES: readonly Language[] = [
  "python",
  "javascript",
  "perl",
  "ruby",
  "php",
  "lua",
  "awk",
  "sed",
  "vim",
  "applescript",
  "expect",
  "powershell",
  "cmd",
];

/** Text that looks enough like code to reach every corner of a reader. */
const FRAGMENTS = [
  ..."()[]{}'\"`$@%#\\/|&;:,.=+-*<>!?~^\n\t 01aZ_é",
  "os.system",
  "exec",
  "eval",
  "import",
  "from",
  "function",
  "def",
  "class",
  "end",
  "do",
  "if",
  "else",
  "for",
  "in",
  "=>",
  "->",
  "::",
  "<<EOT\n",
  "EOT\n",
  "qw(",
  "s/a/b/e",
  "%w[",
  "${",
  "#{",
  "$(",
  "/*",
  "*/",
  "'''",
  "rm -rf /",
  "lambda",
  "async",
  "await",
  "Remove-Item",
  "DELETE FROM",
  "WHERE",
  "\u0000",
  "\ue000",
];
const codeLike = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 120 }).map(parts => parts.join(""));
const anyText = fc.oneof(
  fc.string({ maxLength: 300 }),
  fc.string({ unit: anyCharacter, maxLength: 200 }),
  codeLike,
);

const FILE = { kind: "file", path: text("program") } as const;

function stepsFor(language: Language, code: string, isOfFile = true): number {
  const context = contextOf();
  readCode(language, text(code, isOfFile ? [FILE] : []), context, 0);
  return context.budget.used;
}

const STEPS_PER_CHARACTER = 24;
const STEPS_FOR_ANY_TEXT = 4_001;

describe("reading arbitrary text", () => {
  for (const language of LANGUAGES) {
    it(`never throws and takes steps in proportion to the text: ${language}`, () => {
      fc.assert(
        fc.property(anyText, code => {
          expect(stepsFor(language, code)).toBeLessThanOrEqual(
            STEPS_FOR_ANY_TEXT + STEPS_PER_CHARACTER * code.length,
          );
        }),
        { numRuns: runs(400) },
      );
    });

    it(`gives the same reading twice: ${language}`, () => {
      fc.assert(
        fc.property(codeLike, code => {
          const first = readCode(language, text(code), contextOf(), 1);
          expect(readCode(language, text(code), contextOf(), 1)).toEqual(first);
        }),
        { numRuns: runs(100) },
      );
    });
  }

  it("never throws for databases", () => {
    fc.assert(
      fc.property(
        anyText,
        fc.constantFrom("postgres" as const, "mysql" as const, "sqlserver" as const),
        (code, dialect) => {
          expect(readSql(text(code), dialect).isComplete).toBeTypeOf("boolean");
          expect(readMongo(text(code)).isComplete).toBeTypeOf("boolean");
          expect(readRedis(text(code)).isComplete).toBeTypeOf("boolean");
        },
      ),
      { numRuns: runs(400) },
    );
  });
});

/** Work that is not counted in steps would show here: twice the text must not take more than about twice the steps. */
describe("hostile text", () => {
  const SHAPES: readonly string[] = [
    "(",
    "[",
    "{",
    "f(",
    "a.b",
    "a+",
    "'",
    '"',
    "`",
    "${",
    "#{",
    "<<A\n",
    "/[",
    "if x:\n",
    "=>",
    "a=",
    "not ",
    "!",
    "x=x+x\n",
    "def f(a=",
    "lambda:",
    "(delete ",
    "$(",
    "@{",
    "s/",
    "for ",
    "\n",
    "\\",
    "function a(){",
    "class A:\n ",
    "f'{",
    "--[==[",
    "/*",
    "=begin\n",
  ];
  const LENGTH = 3_000;

  for (const language of LANGUAGES) {
    it(`stays within its steps and says when it stopped early: ${language}`, () => {
      for (const shape of SHAPES) {
        const code = shape.repeat(Math.ceil(LENGTH / shape.length));
        expect(stepsFor(language, code), JSON.stringify(shape)).toBeLessThanOrEqual(
          STEPS_FOR_ANY_TEXT + STEPS_PER_CHARACTER * code.length,
        );
      }
    });
  }

  it("costs three times as much of the work where it stands in a command as in a file", () => {
    const code = "x = f(1)\n".repeat(300);
    expect(stepsFor("python", code, false)).toBe(3 * stepsFor("python", code));
  });

  it("is cut short in a command after a third of what a file may have", () => {
    const code = "x = 1\n".repeat(3_000);
    const within = (isOfFile: boolean) =>
      readCode("python", text(code, isOfFile ? [FILE] : []), contextOf({ steps: LIMITS.steps }), 0)
        .isComplete;
    expect([within(true), within(false)]).toEqual([true, false]);
  });

  it("finds the call behind nesting that is too deep, or says that it did not look", () => {
    const code = `${"(".repeat(500)}1${")".repeat(500)}\nimport os\nos.system('rm -rf /')`;
    const reading = readCode("python", text(code), contextOf(), 0);
    expect(reading.isComplete).toBe(false);
  });

  it("says that it stopped when the steps of the whole analysis are used up", () => {
    const code = "import os\n" + "x = 1\n".repeat(1000) + "os.system('rm -rf /')";
    const reading = readCode("python", text(code), contextOf({ steps: 500 }), 0);
    expect(reading).toEqual({ calls: [], isComplete: false });
  });

  it("ends when functions call each other without end", () => {
    const code = "def a():\n  b(); b()\ndef b():\n  a(); a(); import os; os.system('id')\na()";
    const reading = readCode("python", text(code), contextOf(), 0);
    expect(reading.calls.map(call => call.kind)).toContain("shell");
  });

  it("follows calls that fan out exponentially only once each, to the very last", () => {
    const functions = Array.from(
      { length: 40 },
      (_, index) => `def f${index}():\n  f${index + 1}(); f${index + 1}()`,
    );
    const code = `import os\n${functions.join("\n")}\ndef f40(): os.system('id')\nf0()`;
    const reading = readCode("python", text(code), contextOf(), 0);
    expect(reading.isComplete).toBe(true);
    expect(reading.calls.map(call => call.kind)).toEqual(["shell"]);
  });

  it("ends when every call is a different one, and says so", () => {
    const functions = Array.from(
      { length: 12 },
      (_, index) => `def f${index}(x):\n  f${index + 1}(x + 'a'); f${index + 1}(x + 'b')`,
    );
    const code = `${functions.join("\n")}\ndef f12(x): ${"x;".repeat(20)}\n${"f6('');f5('');f4('');f3('');".repeat(40)}f0('')`;
    expect(readCode("python", text(code), contextOf({ steps: 20_000 }), 0).isComplete).toBe(false);
  });

  it("does not build texts that double for ever", () => {
    const code = `x = 'ab'\n${"x = x + x\n".repeat(64)}import os; os.system(x)`;
    const [call] = readCode("python", text(code), contextOf(), 0).calls;
    expect(call?.kind === "shell" && call.command.pieces[0]?.kind).toBe("unknown");
  });

  it("does not mistake names of the language's objects for anything known", () => {
    for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"]) {
      expect(
        readCode("javascript", text(`${name}("rm -rf /"); a.${name}("x")`), contextOf(), 0).calls,
      ).toEqual([]);
    }
  });
});

describe("text that can be read in two ways", () => {
  it("is not called complete: a slash behind a brace divides or opens a pattern", () => {
    const code = "{}/'/;require('child_process').execSync('rm -rf /')";
    expect(readCode("javascript", text(code), contextOf(), 0).isComplete).toBe(false);
    expect(readCode("javascript", text("const a = {} / 2"), contextOf(), 0).isComplete).toBe(true);
  });
});
