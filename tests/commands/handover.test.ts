import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { assistant, bash, claudeSession, type Said, user } from "../hooks/recorded.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const PROGRAM = fileURLToPath(new URL("../../dist/bin/amplihack.cjs", import.meta.url));
const SECRET = ["ghp", "_R4nd0mW0rdsTh4tL00kL1keAT0kenQ2wE5t"].join("");

/** A project with a change, the record of a session in it, and an agent that writes down how it was started. */
function place() {
  const home = temporaryDirectory();
  const project = join(home, "project");
  const bin = join(home, "bin");
  mkdirSync(join(project, ".claude"), { recursive: true });
  mkdirSync(bin);
  for (const name of ["codex", "gemini"]) {
    writeFileSync(
      join(bin, name),
      `#!/bin/sh\n[ "$1" = --version ] && { echo "${name} 9.9.9"; exit 0; }\nprintf '%s\\n' "$@" > "${home}/${name}.args"\n`,
    );
    chmodSync(join(bin, name), 0o755);
  }
  const git = (...words: string[]) => execFileSync("git", words, { cwd: project, stdio: "ignore" });
  git("init", "-q", "-b", "work");
  writeFileSync(join(project, "pay.ts"), "export const rate = 1;\n");
  git("add", "-A");
  git("-c", "user.name=t", "-c", "user.email=t@example.test", "commit", "-qm", "one");
  writeFileSync(join(project, "pay.ts"), "export const rate = 2;\n");
  const record = (folder: string, name: string, cwd: string, said: readonly Said[]) => {
    const at = join(home, ".claude", "projects", folder);
    mkdirSync(at, { recursive: true });
    const lines = claudeSession(said)
      .trimEnd()
      .split("\n")
      .map(line => JSON.stringify({ ...(JSON.parse(line) as object), cwd }));
    writeFileSync(join(at, `${name}.jsonl`), `${lines.join("\n")}\n`);
  };
  const amplihack = (...words: readonly string[]) =>
    spawnSync(process.execPath, [PROGRAM, ...words], {
      cwd: project,
      encoding: "utf8",
      env: { PATH: `${bin}:${process.env["PATH"] ?? ""}`, HOME: home, AMPLIHACK_NONINTERACTIVE: "1" },
    });
  return { home, project, record, amplihack };
}

const TALK: readonly Said[] = [
  user("Make the payment rate configurable."),
  assistant("Looking at pay.ts."),
  ...bash("cat pay.ts", `export const token = "${SECRET}"`),
  user("From now on we use argon2 instead of bcrypt. And add tests."),
  assistant("The rate is read from the configuration; tests are still missing."),
];

describe("amplihack handover", () => {
  it("tells the task, decisions, where it stopped and the diff, of the newest session of this project", () => {
    const { project, record, amplihack } = place();
    record("here", "aaa", project, TALK);
    record("elsewhere", "bbb", "/somewhere/else", [user("Another task altogether.")]);
    const { status, stdout } = amplihack("handover", "--dry-run");
    expect(status).toBe(0);
    expect(stdout).toContain("## Task\n\nMake the payment rate configurable.");
    expect(stdout).toMatch(/## Decisions\n\n- .*argon2 instead of bcrypt/);
    expect(stdout).toContain("tests are still missing");
    expect(stdout).toContain("+export const rate = 2;");
    expect(stdout).not.toContain("Another task");
    expect(stdout).not.toContain(SECRET);
    expect(amplihack("handover", "bbb", "--dry-run").stdout).toContain("Another task altogether.");
  });

  it.each([
    ["codex", [], /^You take over work/],
    ["codex", ["--once"], /^exec\n[\s\S]*You take over work/],
    ["gemini", [], /^-i\nYou take over work/],
  ])("starts %s %j with it as the first prompt", (agent, words, args) => {
    const { home, project, record, amplihack } = place();
    record("here", "aaa", project, TALK);
    const { status, stderr } = amplihack("handover", "--to", agent, ...words);
    expect(stderr).toContain("takes over from Claude Code");
    expect(status).toBe(0);
    expect(readFileSync(join(home, `${agent}.args`), "utf8")).toMatch(args);
  });

  it("says so when there is no session here", () => {
    const { amplihack } = place();
    const { status, stderr } = amplihack("handover", "--to", "codex");
    expect(status).toBe(1);
    expect(stderr).toContain("record of a session");
  });
});
