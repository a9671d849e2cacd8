import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newUser } from "./run-command.ts";

describe("amplihack lock, unlock and lock-status", () => {
  it("switch continuous-work mode of the project on and off", async () => {
    const user = newUser();
    expect(await user.json("lock-status")).toEqual({
      locked: false,
      locked_at: null,
      session_id: null,
      iterations: 0,
    });
    expect(await user.json("lock")).toMatchObject({ locked: true, already_locked: false });
    expect(await user.json("lock")).toMatchObject({ locked: true, already_locked: true });
    const status = await user.json("lock-status");
    expect(status).toEqual({
      locked: true,
      locked_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      session_id: null,
      iterations: 0,
    });
    expect(await user.json("unlock")).toEqual({ locked: false, was_locked: true });
    expect(await user.json("unlock")).toEqual({ locked: false, was_locked: false });
  });

  it("gives programs JSON, and a sentence to who asks for it", async () => {
    const user = newUser();
    for (const words of [["lock-status"], ["lock-status", "--json"]])
      expect(JSON.parse((await user.type(words)).stdout)).toMatchObject({ locked: false });
    expect((await user.type(["lock-status", "--format", "text"])).stdout).toBe("Not locked.\n");
  });

  it("keep the message for the agent", async () => {
    const user = newUser();
    expect((await user.type(["lock", "-m", "Finish the migration"])).code).toBe(0);
    for (const name of [".lock_message", ".continuation_prompt"]) {
      const file = join(user.project, ".claude", "runtime", "locks", name);
      expect(readFileSync(file, "utf8")).toBe("Finish the migration");
    }
  });

  it.each([[""], ["   "], ["x".repeat(1_001)]])("refuse a message of the wrong length: %#", async message => {
    const user = newUser();
    const ran = await user.type(["lock", "-m", message]);
    expect([ran.code, ran.stdout]).toEqual([2, ""]);
    expect(ran.stderr).toContain("1 to 1000 characters");
    expect(existsSync(join(user.project, ".claude", "runtime"))).toBe(false);
  });

  it("say which hosts let an agent stop anyway, beside the result", async () => {
    const user = newUser();
    const ran = await user.type(["lock"]);
    expect(ran.stderr).toContain("after 8 holds");
    expect(JSON.parse((await user.type(["lock", "--format", "json"])).stdout)).toMatchObject({
      locked: true,
    });
    expect((await user.type(["--quiet", "lock"])).stderr).toBe("");
  });

  it("tell whose session began it", async () => {
    const user = newUser();
    await user.type(["lock"], { env: { CLAUDE_SESSION_ID: "abc" } });
    expect(await user.json("lock-status")).toMatchObject({ session_id: "abc" });
  });
});
