import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sessionStop } from "../../src/hooks/stock/session-stop.ts";
import { stop } from "../../src/hooks/stock/stop/stop.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import type { System } from "../../src/system/system.ts";
import { assistant, bash, claudeSession, todos, user, write } from "./recorded.ts";
import { inputOf } from "./run-hook.ts";

// What only git itself can say: its own words, its own work trees.

let folder: string;
let stderr: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "git-")));
  stderr = "";
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function git(directory: string, ...args: string[]): void {
  const identity = ["-c", "user.name=t", "-c", "user.email=t@example.test", "-c", "commit.gpgsign=false"];
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, GIT_CONFIG_NOSYSTEM: "1" };
  execFileSync("git", [...identity, ...args], { cwd: directory, env, stdio: "ignore" });
}

function repository(name: string): string {
  const directory = join(folder, name);
  mkdirSync(join(directory, ".claude"), { recursive: true });
  git(directory, "init", "-q", "-b", "main");
  writeFileSync(join(directory, ".gitignore"), ".claude/\n");
  writeFileSync(join(directory, "kept.txt"), "one\n");
  git(directory, "add", "-A");
  git(directory, "commit", "-q", "-m", "first");
  return directory;
}

function systemIn(directory: string, more: Readonly<Record<string, string>> = {}): System {
  const system = createNodeSystem();
  const env: Record<string, string> = { PATH: process.env["PATH"] ?? "", HOME: folder, ...more };
  const collect = (text: string) => {
    stderr += text;
  };
  return {
    ...system,
    env: { get: name => env[name], names: () => Object.keys(env) },
    stdio: { ...system.stdio, writeError: collect },
    files: Object.assign(Object.create(system.files), { workingDirectory: () => directory }),
  };
}

describe("at the end of a session", () => {
  const end = (directory: string) =>
    sessionStop().run(inputOf("SessionEnd", { cwd: directory }), systemIn(directory));

  it("git is asked about the project, also where the environment names another repository", async () => {
    const [directory, other] = [repository("asked"), repository("other")];
    writeFileSync(join(directory, "new.txt"), "x\n");
    const system = systemIn(directory, { GIT_DIR: join(other, ".git"), GIT_WORK_TREE: other });
    await sessionStop().run(inputOf("SessionEnd", { cwd: directory }), system);
    expect(stderr).toContain("1 change");
  });

  it("what the hooks themselves wrote is not mentioned, from wherever in the work tree", async () => {
    const directory = repository("own");
    writeFileSync(join(directory, ".gitignore"), "");
    git(directory, "commit", "-q", "-a", "-m", "ignore nothing");
    mkdirSync(join(directory, ".claude", "runtime", "logs"), { recursive: true });
    writeFileSync(join(directory, ".claude", "runtime", "logs", "stop.log"), "x\n");
    mkdirSync(join(directory, "deep"));
    await end(directory);
    await end(join(directory, "deep"));
    expect(stderr).toBe("");
    writeFileSync(join(directory, "new.txt"), "x\n");
    await end(join(directory, "deep"));
    expect(stderr).toContain("1 change in");
    expect(stderr).toContain("new.txt");
  });

  it("a clean work tree is not mentioned", async () => {
    expect(await end(repository("clean"))).toBeUndefined();
    expect(stderr).toBe("");
  });

  it("staged, changed and new files are listed, the first of them by its whole name", async () => {
    const directory = repository("dirty");
    writeFileSync(join(directory, "kept.txt"), "two\n");
    writeFileSync(join(directory, "new.txt"), "x");
    writeFileSync(join(directory, "staged.txt"), "x");
    git(directory, "add", "staged.txt");
    await end(directory);
    expect(stderr).toMatch(/staged \(1\):\n +staged\.txt\n/);
    expect(stderr).toMatch(/not staged \(2\):\n +kept\.txt\n +new\.txt\n/);
  });
});

describe("a stop in a linked work tree", () => {
  it("keeps its state in the main checkout", async () => {
    const main = repository("main");
    const linked = join(folder, "linked");
    git(main, "worktree", "add", "-q", linked, "-b", "other");
    for (const root of [main, linked]) mkdirSync(join(root, ".claude"), { recursive: true });
    const transcript = join(folder, "s1.jsonl");
    const said = [
      user("implement it"),
      write("a.py"),
      ...bash("pytest", "1 passed"),
      todos("pending"),
      assistant("done"),
    ];
    writeFileSync(transcript, claudeSession(said));
    const payload = { cwd: linked, session_id: "s1", transcript_path: transcript };
    const effect = await stop().run(inputOf("Stop", payload), systemIn(linked));
    expect(effect?.decision?.kind).toBe("deny");
    expect(readdirSync(join(main, ".claude/runtime/power-steering"))).toContain(".s1_results_shown");
    expect(readdirSync(join(linked, ".claude/runtime"))).not.toContain("power-steering");
  });
});
