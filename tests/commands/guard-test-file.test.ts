import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../temporary-directory.ts";

const AMPLIHACK = fileURLToPath(new URL("../../dist/bin/amplihack.cjs", import.meta.url));

function guardTest(text: string, ...words: string[]) {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, "cases.yaml"), text);
  const run = spawnSync(process.execPath, [AMPLIHACK, "guard", "test", "--file", "cases.yaml", ...words], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: cwd },
    encoding: "utf8",
  });
  return { code: run.status, stdout: run.stdout, stderr: run.stderr };
}

const GOOD = "- { command: npm publish, verdict: ask, rule: publish }\n";
const BAD = "- { command: npm publish, verdict: allow }\n";

describe("guard test --file", () => {
  it("ends with 0 when all cases hold and with 1 when one does not", () => {
    expect(guardTest(GOOD)).toMatchObject({ code: 0, stdout: expect.stringContaining("1 passed, 0 failed") });
    expect(guardTest(GOOD + BAD)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("allow was expected, and it is ask by publish"),
    });
  });

  it("prints JSON and JUnit's XML", () => {
    expect(JSON.parse(guardTest(GOOD + BAD, "--json").stdout)).toMatchObject({
      passed: 1,
      failed: 1,
      cases: [{ problem: null }, { verdict: "ask", rules: ["publish"] }],
    });
    expect(guardTest(GOOD + BAD, "--junit").stdout).toMatch(
      /^<\?xml[\s\S]*failures="1"[\s\S]*<failure message=/,
    );
  });

  it("says what is wrong with a file that it cannot use, and with a file that is not there", () => {
    expect(guardTest("- { command: ls }")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("case 1: verdict must be allow, ask, deny"),
    });
    expect(guardTest(GOOD, "--file", "none.yaml")).toMatchObject({
      code: 4,
      stderr: "Error: the cases cannot be read: none.yaml\n  fix: there is no such file: check the path\n",
    });
    expect(guardTest(GOOD, "ls")).toMatchObject({ code: 4, stderr: expect.stringContaining("--file") });
  });
});
