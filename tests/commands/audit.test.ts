import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BUILT_IN } from "../../src/config/settings.ts";
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
