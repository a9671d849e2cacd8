import { describe, expect, it } from "vitest";
import { lock, lockStatus, unlock } from "../../../src/hooks/stock/stop/lock-mode.ts";
import { stop } from "../../../src/hooks/stock/stop/stop.ts";
import { createMemorySystem } from "../../../src/system/memory.ts";
import { projectSystem, ROOT, RUNTIME, runHook } from "../run-hook.ts";

const LOCKS = `${RUNTIME}/locks`;
const withSession = { HOME: "/home/user", CLAUDE_CODE_SESSION_ID: "s1" };

describe("lock", () => {
  it("creates the lock with its time and session, for the user alone", () => {
    const system = projectSystem({ env: withSession });
    expect(lock(system)).toEqual({ kind: "locked", lockedAt: "2026-01-02T03:04:05.000Z" });
    expect(system.peek(`${LOCKS}/.lock_active`)).toBe(
      "locked_at: 2026-01-02T03:04:05.000Z\nsession_id: s1\n",
    );
    expect(system.files.inspect(`${LOCKS}/.lock_active`)?.mode).toBe(0o600);
    expect(system.files.list(LOCKS)).toEqual([".lock_active"]);
  });

  it("names no session when none is known", () => {
    const system = projectSystem();
    lock(system);
    expect(system.peek(`${LOCKS}/.lock_active`)).toBe("locked_at: 2026-01-02T03:04:05.000Z\n");
  });

  it("keeps a lock that is there", () => {
    const system = projectSystem();
    lock(system);
    system.advance(60_000);
    expect(lock(system)).toEqual({ kind: "already-locked", lockedAt: "2026-01-02T03:04:05.000Z" });
  });

  it("stores a message as the reason for held stops", async () => {
    const system = projectSystem({ env: withSession });
    lock(system, "  finish the parser ");
    expect(system.peek(`${LOCKS}/.lock_message`)).toBe("finish the parser");
    const effect = await runHook(stop(), system, { session_id: "s1" });
    expect(effect?.decision?.reason).toBe("finish the parser");
  });

  it.each(["", "   ", "x".repeat(1001)])(
    "refuses a message of the wrong length (%#) and locks nothing",
    message => {
      const system = projectSystem();
      expect(lock(system, message)).toMatchObject({ kind: "bad-message" });
      expect(system.peek(`${LOCKS}/.lock_active`)).toBeUndefined();
    },
  );

  it("makes the folders of a project that has none", () => {
    const system = createMemorySystem();
    lock(system, "go");
    expect(system.files.inspect(`${ROOT}/.claude`)?.mode).toBe(0o755);
    expect(system.files.inspect(LOCKS)?.mode).toBe(0o700);
  });

  it("uses the same directory as the stop hook", async () => {
    const env = { ...withSession, CLAUDE_PROJECT_DIR: "/announced" };
    const system = projectSystem({ env, files: { "/announced/.claude": { kind: "directory" } } });
    lock(system);
    expect((await runHook(stop(), system, { session_id: "s1" }))?.decision?.kind).toBe("deny");
  });
});

describe("lock-status of a lock that does not say whose it is", () => {
  it("tells the stops of the session that was held last", async () => {
    const system = projectSystem({ env: { HOME: "/home/user" } });
    lock(system);
    expect(lockStatus(system)).toMatchObject({ locked: true, session_id: null, iterations: 0 });
    for (const id of ["s1", "s2", "s2"]) {
      system.advance(1000);
      await runHook(stop(), system, { session_id: id });
    }
    expect(lockStatus(system)).toMatchObject({ locked: true, session_id: null, iterations: 2 });
  });

  it("does not count what an earlier lock held", () => {
    const counter = { content: "7", modifiedMs: 1000 };
    const system = projectSystem({
      env: { HOME: "/home/user" },
      files: { [`${LOCKS}/old/lock_invocations.txt`]: counter },
    });
    lock(system);
    expect(lockStatus(system)).toMatchObject({ iterations: 0 });
  });
});

describe("unlock", () => {
  it("removes the four files but not the counter", () => {
    const names = [".lock_active", ".lock_goal", ".lock_message", ".continuation_prompt"];
    const files = Object.fromEntries(names.map(name => [`${LOCKS}/${name}`, "x"]));
    const system = projectSystem({ files: { ...files, [`${LOCKS}/s1/lock_invocations.txt`]: "4" } });
    expect(unlock(system)).toEqual({ wasLocked: true, failures: [] });
    expect(system.files.list(LOCKS)).toEqual(["s1"]);
    expect(unlock(system)).toEqual({ wasLocked: false, failures: [] });
  });

  it("tells what could not be removed", () => {
    const system = projectSystem({ files: { [`${LOCKS}/.lock_active/inside`]: "x" } });
    expect(unlock(system).failures).toHaveLength(1);
  });
});

describe("lock-status", () => {
  it("tells that there is no lock", () => {
    expect(lockStatus(projectSystem())).toEqual({
      locked: false,
      locked_at: null,
      session_id: null,
      iterations: 0,
    });
  });

  it("tells since when, by whom and how often", async () => {
    const system = projectSystem({ env: withSession });
    lock(system);
    await runHook(stop(), system, { session_id: "s1" });
    expect(lockStatus(system)).toEqual({
      locked: true,
      locked_at: "2026-01-02T03:04:05.000Z",
      session_id: "s1",
      iterations: 1,
    });
  });

  it("has no number when the counter cannot be read", () => {
    const system = projectSystem({
      files: { [`${LOCKS}/.lock_active`]: "", [`${LOCKS}/unknown/lock_invocations.txt`]: "abc" },
    });
    expect(lockStatus(system)).toMatchObject({ locked: true, locked_at: null, iterations: null });
  });
});
