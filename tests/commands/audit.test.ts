import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BUILT_IN, type GuardSettings } from "../../src/config/settings.ts";
import { ALLOWED } from "../../src/guard/index.ts";
import { writeAudit } from "../../src/hooks/program/audit.ts";
import { rememberRefusal } from "../../src/hooks/program/grants.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { inputOf } from "../hooks/run-hook.ts";
import { newUserInside, type User } from "./run-command.ts";

const logOf = (user: User) => join(user.home, ".amplihack", "logs", "audit.jsonl");

/** A user of whose agent some commands were refused, as the hook writes it. */
function userWith(lines: number): User {
  const user = newUserInside();
  const payload = { tool_name: "Bash", tool_input: { command: "rm -rf ~" }, cwd: user.project };
  const input = inputOf("PreToolUse", payload);
  if (input.kind !== "tool") throw new Error("no tool");
  const judgement = { verdict: "deny", findings: [], notes: [], usedGrants: [] } as unknown as Parameters<
    typeof writeAudit
  >[2]["judgement"];
  for (let line = 0; line < lines; line++)
    writeAudit(createNodeSystem(), logOf(user), {
      input,
      judgement,
      settings: BUILT_IN.guard,
      project: user.project,
    });
  return user;
}

function changeLine(user: User, from: string, to: string): void {
  writeFileSync(logOf(user), readFileSync(logOf(user), "utf8").replace(from, to));
}

describe("amplihack audit verify", () => {
  it("tells a log that was removed from one that never was", async () => {
    const user = userWith(2);
    rmSync(logOf(user));
    expect((await user.type(["audit", "verify"])).code).toBe(0);
    const stateHome = join(user.home, ".amplihack");
    rememberRefusal(createNodeSystem(), stateHome, {
      code: "ABCDEF",
      command: "rm -rf ~",
      cwd: user.project,
      rules: ["fs.delete"],
      refusedMs: Date.now(),
    });
    const { code, stdout } = await user.type(["audit", "verify"]);
    expect(code).toBe(1);
    expect(stdout).toContain("removed");
    expect((await user.type(["audit", "verify", "--json"])).code).toBe(1);
  });

  it("says that a log is whole, what its head is and what is not known", async () => {
    const user = userWith(3);
    const { code, stdout } = await user.type(["audit", "verify"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/3 lines in 1 file: all as they were written/);
    expect(stdout).toMatch(/head: 3:[0-9a-f]{64}/);
    expect(stdout).toMatch(/not known: whether lines were cut off at the end/);
    expect(await user.json("audit", "verify")).toMatchObject({ ok: true, chained: 3, broken: null });
    expect((await user.type(["guard", "log"])).stdout.match(/^.*deny/gm)).toHaveLength(3);
  });

  it("names the first break and ends with 1", async () => {
    const user = userWith(3);
    changeLine(user, '"verdict":"deny"', '"verdict":"allow"');
    const { code, stdout } = await user.type(["audit", "verify"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(new RegExp(`changed: ${logOf(user)}, line 1: it was changed`));
    const json = await user.type(["audit", "verify", "--json"]);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, broken: { kind: "changed", line: 1 } });
  });

  it("finds with the head that the end is missing", async () => {
    const user = userWith(2);
    const head = (await user.type(["audit", "head"])).stdout.trim();
    expect(head).toMatch(/^2:[0-9a-f]{64}$/);
    expect((await user.type(["audit", "verify", "--head", head])).code).toBe(0);
    const [first] = readFileSync(logOf(user), "utf8").split("\n");
    writeFileSync(logOf(user), `${first}\n`);
    expect((await user.type(["audit", "verify"])).code).toBe(0);
    const cut = await user.type(["audit", "verify", "--head", head]);
    expect(cut.code).toBe(1);
    expect(cut.stdout).toContain("truncated");
  });

  it("has nothing against a log that is not there, or has no hashes yet", async () => {
    const user = userWith(0);
    expect(await user.type(["audit", "verify"])).toMatchObject({ code: 0 });
    expect((await user.type(["audit", "head"])).stdout).toBe("");
    expect(await user.json("audit", "head")).toEqual({ head: null });
    const old = userWith(1);
    writeFileSync(logOf(old), '{"ts":"2026-01-01T00:00:00Z","verdict":"ask"}\n');
    const { code, stdout } = await old.type(["audit", "verify"]);
    expect(code).toBe(0);
    expect(stdout).toContain("none with a hash: of an older version");
  });

  it("checks another log, and refuses a head or a file that is none", async () => {
    const user = userWith(1);
    expect((await user.type(["audit", "verify", logOf(user)])).code).toBe(0);
    expect((await user.type(["audit", "verify", "nowhere.jsonl"])).code).toBe(2);
    expect((await user.type(["audit", "verify", "--head", "abc"])).stderr).toContain("64 hexadecimal digits");
  });
});

describe("amplihack guard replay", () => {
  /** Judged by the settings of then, with a verdict that today's files no longer give. */
  function logged(user: User, command: string, settings: GuardSettings): void {
    const input = inputOf("PreToolUse", { tool_name: "Bash", tool_input: { command }, cwd: user.project });
    if (input.kind !== "tool") throw new Error("no tool");
    writeAudit(createNodeSystem(), logOf(user), {
      input,
      judgement: { ...ALLOWED, verdict: "ask" },
      settings,
      project: user.project,
    });
  }
  const configure = (user: User, guard: object) =>
    writeFileSync(join(user.home, ".amplihack", "config.jsonc"), JSON.stringify({ guard }));

  it("finds nothing changed where the configuration is the same, whatever became of the files", async () => {
    const user = newUserInside();
    for (const command of ["rm -rf build", "git push --force", "ls"]) logged(user, command, BUILT_IN.guard);
    logged(user, "git push --force", { ...BUILT_IN.guard, unattended: "deny" });
    const { stdout } = await user.type(["guard", "replay"]);
    expect(stdout).toBe("4 judged, 0 changed\n");
  });

  it("tells what the configuration changes, and nothing else", async () => {
    const user = newUserInside();
    for (const command of ["rm -rf build", "rm -rf ~"]) logged(user, command, BUILT_IN.guard);
    configure(user, {
      custom: [
        { id: "own-build", when: { command: "rm", args: ["build"] }, verdict: "deny", reason: "kept" },
      ],
    });
    const { stdout } = await user.type(["guard", "replay"]);
    expect(stdout).toMatch(/allow → deny {2}\S*own-build\S* {2}rm -rf build\n2 judged, 1 changed\n$/);
  });

  it("takes the level of a line that names no settings, and today's beside it", async () => {
    const user = userWith(1);
    changeLine(user, /"settings":"[0-9a-f]+",/.exec(readFileSync(logOf(user), "utf8"))?.[0] ?? "none", "");
    expect((await user.type(["guard", "replay"])).stdout).toBe("1 judged, 0 changed\n");
  });
});
