import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeText } from "../../src/guard/judge.ts";
import { isPlainlyHarmless } from "../../src/guard/prefilter.ts";
import { survey } from "../../src/workspace/workspace.ts";
import { runs } from "../generated-inputs.ts";
import { contextFor, machine, PROJECT, readCorpus, settings } from "./scene.ts";

const isHarmless = (command: string, options = {}) => isPlainlyHarmless(command, survey(contextFor(options)));

describe("the quick way past the guard", () => {
  it.each([
    "ls -la",
    "git status",
    "git log --oneline -5",
    "npm test",
    "cat README.md",
    "pwd",
    "git diff HEAD",
  ])("takes %s", command => expect(isHarmless(command)).toBe(true));

  it.each([
    "rm x",
    "ls; rm x",
    "ls > x",
    "ls $X",
    "ls *",
    "git push",
    "git status && x",
    "cat .env",
    "cat ~/.ssh/id_rsa",
    "git show HEAD:.env",
    "git diff --output=x",
    "git log -o x",
    "X=1 ls",
    "",
    "cat secret-link",
    "cat ./.env",
    "head -1 .env",
    "cat /etc/shadow",
    "cat /proc/self/environ",
    "git -C x status",
    "eslint --fix .",
    "l\u0073 x\u200b",
    "cat home-link/.aws/credentials",
  ])("does not take %s", command => expect(isHarmless(command)).toBe(false));

  it("is closed when the configuration has rules of its own", () => {
    const rule = { id: "a.b", when: { command: "ls" }, verdict: "deny", reason: "x" } as const;
    expect(isHarmless("ls", { settings: settings({ custom: [rule] }) })).toBe(false);
  });

  /** Words that come near everything the two judge differently. */
  const word = fc.oneof(
    fc.constantFrom(
      "ls",
      "cat",
      "git",
      "npm",
      "tsc",
      "head",
      "status",
      "log",
      "show",
      "diff",
      "test",
      "view",
      "echo",
      "cargo",
      "build",
      "go",
      "which",
      "file",
      "du",
      "eslint",
      "prettier",
    ),
    fc.constantFrom(
      ".env",
      "HEAD:.env",
      "secret-link",
      "src/index.ts",
      "/etc/shadow",
      "id_rsa",
      "server.key",
      "home-link/.ssh/id_rsa",
      "/home/user/.aws/credentials",
      ".env.example",
      "..",
      "/",
      "/proc/self/environ",
      "=x",
      "a=.env",
      "--x=.env",
      "a:.env",
      "/home/user/.amplihack/guard/machine.key",
    ),
    fc.constantFrom(
      "-p",
      "-o",
      "--output=x",
      "--output",
      "-c",
      "-x",
      "--fix",
      "--write",
      "-n",
      "--no-index",
      "--ext-diff",
      "--all",
      "-1",
      "--",
      "--file=.env",
      "-f.env",
    ),
    fc.stringMatching(/^[A-Za-z0-9_./:=@,+%-]{1,12}$/),
  );

  it("never takes what the full analysis objects to", () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), words => {
        const command = words.join(" ");
        return !isHarmless(command) || judgeText(command, contextFor()).verdict === "allow";
      }),
      { numRuns: runs(4000) },
    );
  });

  it("agrees with the full analysis on every command of the corpora", () => {
    const all = ["ordinary.txt", "ordinary-more.txt", "dangerous.txt", "dangerous-more.txt"].flatMap(
      readCorpus,
    );
    const wrong = all.filter(
      command => isHarmless(command) && judgeText(command, contextFor()).verdict !== "allow",
    );
    expect(wrong).toEqual([]);
  });

  it("looks at no more than a few files", () => {
    const system = machine();
    isPlainlyHarmless("git status", survey(contextFor({ system })));
    expect(
      system.calls.filter(call => call.path.startsWith(PROJECT) && call.operation !== "inspect"),
    ).toEqual([]);
    expect(system.calls.length).toBeLessThan(60);
  });
});
