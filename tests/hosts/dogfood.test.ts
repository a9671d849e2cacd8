import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readState } from "../history/commands/state.ts";
import { PACKAGE_ROOT } from "../install/sandbox.ts";
import { command } from "./file-tools.ts";
import { INSTALLED, makePlace, runScript } from "./run-script.ts";

const AMPLIHACK = join(PACKAGE_ROOT, "dist/bin/amplihack.cjs");

/** A home with a clone of this repository in it, not below a temporary directory: there the guard lets more pass. */
function checkout() {
  const parent = join(homedir(), ".cache");
  mkdirSync(parent, { recursive: true });
  const root = mkdtempSync(join(parent, "amplihack-dogfood-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const place = makePlace(root);
  git(place.project, "clone", "-q", PACKAGE_ROOT, ".");
  git(place.project, "checkout", "-q", "-b", "topic");
  git(place.project, "config", "user.name", "Test");
  git(place.project, "config", "user.email", "test@example.test");
  symlinkSync(join(PACKAGE_ROOT, "node_modules"), join(place.project, "node_modules"));
  return place;
}

function git(project: string, ...words: readonly string[]): string {
  const ran = spawnSync("git", [...words], { cwd: project, encoding: "utf8" });
  expect(ran.stderr, words.join(" ")).toBe("");
  return ran.stdout;
}

describe.each(INSTALLED)("a change of amplihack itself in %s, under its own hooks", host => {
  it("is made, checked and committed; a mistake is undone; nothing of the installation gets into the repository", async () => {
    const place = checkout();
    const { project } = place;
    const path = join(project, "src/version.ts");
    const before = readFileSync(path, "utf8");
    const [first = ""] = before.split("\n");
    const { results, end, env } = await runScript(host, place, tools => [
      tools.read(path),
      tools.edit(path, first, `// one more line\n${first}`),
      command("npm run types"),
      command("git add -A && git commit -q -m 'version: one more line' && git log --oneline -1"),
      command("git push --force origin main"),
      command("rm -r src/guard"),
    ]);
    const told = results.join("\n----\n");
    expect(results, end).toHaveLength(6);
    expect(readFileSync(path, "utf8"), told).toBe(`// one more line\n${before}`);
    expect(results[2]).not.toContain("error");
    expect(git(project, "log", "-1", "--format=%s"), told).toBe("version: one more line\n");
    expect(git(project, "show", "--stat", "--format=", "HEAD").split("\n")[0]).toContain("src/version.ts");
    expect(results[4]).toContain("git.push");
    expect(git(project, "status", "--porcelain")).toMatch(/^ D src\/guard\//);
    const undone = spawnSync(process.execPath, [AMPLIHACK, "undo", "--yes"], {
      cwd: project,
      env: { ...env, PATH: process.env["PATH"] ?? "" },
      encoding: "utf8",
    });
    expect(undone.status, undone.stdout + undone.stderr).toBe(0);
    expect(git(project, "status", "--porcelain")).toBe("");
    if (process.env["AMPLIHACK_SHOW"])
      console.log(host, told.slice(0, 4000), undone.stdout, await describeState(place.home));
  }, 300_000);
});

async function describeState(home: string): Promise<string> {
  void readState;
  return spawnSync(
    "bash",
    [
      "-c",
      "find .amplihack -type f | grep -v '/history/' | head -60; find . -path '*/runtime/*' -type f | head -40; tail -n 20 .amplihack/.claude/runtime/logs/*.jsonl",
    ],
    { cwd: home, encoding: "utf8" },
  ).stdout;
}
