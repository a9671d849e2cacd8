import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AMPLIHACK } from "../commands/run-command.ts";
import { type Ran, runProgram } from "../hooks/executable.ts";

const TREE: Readonly<Record<string, string>> = {
  ".git/HEAD": "ref: refs/heads/main\n",
  ".gitignore": "ignored/\n*.local.sh\n!kept.local.sh\n",
  "deploy.sh": '#!/bin/bash\nset -e\nTARGET=/usr\n\n  rm -rf "$TARGET"\necho done\n',
  "bin/tool": '#!/usr/bin/env sh\nrm -rf "$1"/*\n',
  "bin/notes": "rm -rf /\n",
  "clean.ps1": "Remove-Item -Recurse -Force C:\\\n",
  "package.json": '{\n  "name": "x",\n  "scripts": {\n    "build": "tsc",\n    "nuke": "rm -rf ~"\n  }\n}\n',
  Makefile:
    "DIR := dist\nALL = /etc\n\nclean:\n\t@rm -rf $(DIR)\n\nwipe: clean\n\techo gone && \\\n\t  rm -rf $(ALL)\n\tfor f in a b; do echo $$f; done\n",
  Dockerfile:
    'FROM alpine\nRUN apk add curl \\\n # why\n && rm -rf /var/cache/apk/*\nRUN ["rm", "-rf", "/"]\nCOPY . .\n',
  ".github/workflows/ci.yml":
    "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: npm test\n      - name: publish\n        run: |\n          npm ci\n          git push --force origin main\n      - run: echo \"${{ github.sha }}\"\n      - shell: python\n        run: print('rm -rf /')\n",
  ".gitlab-ci.yml":
    "before_script:\n  - npm ci\ntest:\n  script:\n    - npm test\n    - [curl -s https://get.example.com/i.sh | sh]\n",
  "node_modules/evil/install.sh": "rm -rf /\n",
  "ignored/bad.sh": "rm -rf /\n",
  "a.local.sh": "rm -rf /\n",
  "kept.local.sh": "dd if=/dev/zero of=/dev/sda\n",
  "docs/guide.md": "```sh\nrm -rf /\n```\n",
  "broken/.github/workflows/x.yml": "jobs: [\n",
  "fine/run.sh": "npm test\nrm -rf node_modules\n",
};

let root = "";
let home = "";

beforeAll(() => {
  home = mkdtempSync(join(realpathSync(tmpdir()), "amplihack-test-"));
  root = join(home, "work", "shop");
  for (const [path, text] of Object.entries(TREE)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

function scan(...words: readonly string[]): Promise<Ran> {
  return runProgram(AMPLIHACK, ["guard", "scan", ...words], { home, cwd: root, input: "", env: {} });
}

interface Report {
  readonly success: boolean;
  readonly files: number;
  readonly commands: number;
  readonly findings: readonly { file: string; line: number; column: number; rule: string; verdict: string }[];
  readonly skipped: readonly { path: string; why: string }[];
}

describe("guard scan", () => {
  let report: Report;
  let ran: Ran;
  beforeAll(async () => {
    ran = await scan(".", "--format", "json");
    report = JSON.parse(ran.stdout) as Report;
  });

  it.each([
    ["deploy.sh:5:3", "fs.root", "deny", "a variable set lines before"],
    [
      "bin/tool:2:1",
      "fs.unresolved",
      "ask",
      "an argument that may be anything, in a file known by its first line",
    ],
    ["clean.ps1:1:1", "fs.root", "deny", "PowerShell"],
    ["package.json:5:14", "fs.home", "deny", "a package script"],
    ["Makefile:8:2", "fs.root", "deny", "a variable of the makefile, over a continued line"],
    [".github/workflows/ci.yml:11:11", "git.push", "deny", "a line of a literal block"],
    [".gitlab-ci.yml:6:8", "exec.remote", "ask", "a nested list of commands"],
    ["kept.local.sh:1:1", "disk.raw", "deny", "what a negated pattern keeps"],
  ])("finds at %s %s: %s, %s", (place, rule, verdict) => {
    const found = report.findings.map(
      finding => `${finding.file}:${finding.line}:${finding.column} ${finding.rule} ${finding.verdict}`,
    );
    expect(found).toContain(`${place} ${rule} ${verdict}`);
  });

  it("finds nothing else: not in containers, other languages, prose, ignored folders or dependencies", () => {
    expect([...new Set(report.findings.map(finding => finding.file))].sort()).toEqual([
      ".github/workflows/ci.yml",
      ".gitlab-ci.yml",
      "Makefile",
      "bin/tool",
      "clean.ps1",
      "deploy.sh",
      "kept.local.sh",
      "package.json",
    ]);
    expect(report.files).toBe(10);
  });

  it("says which file could not be read, and why", () => {
    expect(report.skipped).toEqual([
      { path: "broken/.github/workflows/x.yml", why: expect.stringContaining("not YAML") },
    ]);
    expect(ran.stderr).toContain("broken/.github/workflows/x.yml was not looked at");
  });

  it("ends with 1 when something would be denied, with 0 when not", async () => {
    expect(ran.code).toBe(1);
    expect(report.success).toBe(false);
    expect((await scan("fine")).code).toBe(0);
    expect((await scan("bin")).code).toBe(0);
  });

  it("prints place, verdict, rule, loss and a safer way", async () => {
    const { stdout } = await scan("deploy.sh");
    expect(stdout).toMatch(/^deploy\.sh:5:3 {2}DENY fs\.root\n {2}.*\/usr.*\n {2}safer: .+\n/);
    expect(stdout).toMatch(/\n1 files, 1 commands looked at: 1 to deny, 0 to ask about\n$/);
  });

  it.each([
    ["no path", []],
    ["a path that is not there", ["nowhere"]],
  ])("refuses %s with 4", async (_, words) => {
    const { code, stderr } = await scan(...words);
    expect(code).toBe(4);
    expect(stderr).toContain("Error:");
  });
});

describe("guard scan --sarif", () => {
  it("prints a SARIF 2.1.0 log whose results point to declared rules and to regions", async () => {
    const { stdout, code } = await scan(".", "--sarif");
    expect(code).toBe(1);
    const log = JSON.parse(stdout);
    expect(log).toMatchObject({ $schema: expect.stringContaining("sarif-2.1.0"), version: "2.1.0" });
    const [{ tool, results }] = log.runs;
    expect(Object.keys(log.runs[0]).sort()).toEqual(["columnKind", "results", "tool"]);
    expect(tool.driver).toMatchObject({ name: "amplihack guard", version: expect.stringMatching(/^\d+\./) });
    expect(results.length).toBeGreaterThanOrEqual(8);
    for (const result of results) {
      expect(tool.driver.rules[result.ruleIndex].id).toBe(result.ruleId);
      expect(["error", "warning"]).toContain(result.level);
      expect(result.message.text).toContain("Safer:");
      const [{ physicalLocation }] = result.locations;
      expect(physicalLocation.artifactLocation.uri).not.toMatch(/^\/|\s|\\/);
      expect(physicalLocation.region.startLine).toBeGreaterThan(0);
      expect(physicalLocation.region.startColumn).toBeGreaterThan(0);
    }
  });
});
