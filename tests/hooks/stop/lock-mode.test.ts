import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_CONTINUATION, parseLockTime } from "../../../src/hooks/stock/stop/lock-mode.ts";
import { stop } from "../../../src/hooks/stock/stop/stop.ts";
import type { MemorySystem, SeedEntry } from "../../../src/system/memory.ts";
import { SystemError } from "../../../src/system/system.ts";
import { metricsOf, projectSystem, ROOT, RUNTIME, runHook } from "../run-hook.ts";

const LOCKS = `${RUNTIME}/locks`;
const ACTIVE = `${LOCKS}/.lock_active`;
const COUNTER = `${LOCKS}/s1/lock_invocations.txt`;
/** what the memory system's clock says: 2026-01-02T03:04:05Z */
const NOW = 1_767_323_045_000;
const at = (secondsAgo: number) => new Date(NOW - secondsAgo * 1000).toISOString();
const owned = (secondsAgo = 0, owner = "s1") => `locked_at: ${at(secondsAgo)}\nsession_id: ${owner}\n`;

const APPROVED = { extras: { claude: { decision: "approve" } } };
const held = (reason: unknown) => ({
  decision: { kind: "deny", reason },
  extras: { rules: ["stop.lock"] },
});

function locked(files: Record<string, SeedEntry> = {}, env: Record<string, string> = {}): MemorySystem {
  return projectSystem({
    files: { [ACTIVE]: owned(), ...files },
    env: { HOME: "/home/user", AMPLIHACK_SKIP_POWER_STEERING: "1", ...env },
  });
}
const stopIn = (system: MemorySystem, sessionId: string | null = "s1") =>
  runHook(stop(), system, sessionId === null ? {} : { session_id: sessionId });

describe("a stop without a lock", () => {
  it("is let through", async () => {
    const system = locked();
    system.files.remove(ACTIVE);
    expect(await stopIn(system)).toEqual(APPROVED);
  });
});

describe("a stop during shutdown", () => {
  it("is let through and nothing is touched", async () => {
    const system = locked({}, { AMPLIHACK_SHUTDOWN_IN_PROGRESS: "1" });
    expect(await stopIn(system)).toEqual(APPROVED);
    expect(system.files.list(LOCKS)).toEqual([".lock_active"]);
    expect(system.files.list(RUNTIME)).toEqual(["locks"]);
  });

  it.each(["true", "0", "", "yes", " 1"])("is not announced by %j", async value => {
    expect(await stopIn(locked({}, { AMPLIHACK_SHUTDOWN_IN_PROGRESS: value }))).toEqual(
      held(expect.any(String)),
    );
  });
});

describe("a stop of an agent that another agent started", () => {
  it.each(["parentAgentId", "parent_agent_id"])("is let through, which %s tells", async name => {
    const system = locked();
    expect(await runHook(stop(), system, { session_id: "s1", [name]: "a1" })).toEqual(APPROVED);
    expect(system.files.list(LOCKS)).toEqual([".lock_active"]);
    expect(await runHook(stop(), system, { session_id: "s1", [name]: null })).toEqual(
      held(expect.any(String)),
    );
  });
});

describe("a stop while the lock is on", () => {
  it.each([
    ["empty", ""],
    ["free text", "hands off\nplease: thanks"],
    ["a directory", { kind: "directory" as const }],
    ["with its session and time", owned()],
    ["with local time", "locked_at: 2026-01-02T03:04:05.123456\nsession_id: s1"],
  ])("is held when the lock is %s", async (_, entry) => {
    const system = locked({ [ACTIVE]: entry });
    expect(await stopIn(system)).toEqual(held(DEFAULT_CONTINUATION));
    expect(system.peek(COUNTER)).toBe("1");
    expect(metricsOf(system, "stop")).toContain("lock_blocks=1");
  });

  it("asks nothing else", async () => {
    const system = locked({ [`${ROOT}/.claude/tools/amplihack/.reflection_config`]: '{"enabled":true}' });
    await stopIn(system);
    expect(system.processes.requests).toEqual([]);
  });

  it("is let through when the lock cannot be looked at", async () => {
    const system = locked();
    const inspect = system.files.inspect.bind(system.files);
    system.files.inspect = path => {
      if (path === ACTIVE) throw new SystemError("EACCES", "inspect", path);
      return inspect(path);
    };
    expect(await stopIn(system)).toMatchObject(APPROVED);
    expect(system.stderr()).toContain("cannot be looked at");
  });

  it("is held when the lock cannot be read: its presence counts, and the person is told why", async () => {
    const system = locked();
    system.faults.failUnder(ACTIVE, "EACCES", ["read"]);
    expect(await stopIn(system)).toMatchObject(held(DEFAULT_CONTINUATION));
    expect(system.stderr()).toContain(`cannot read ${ACTIVE}: EACCES`);
    expect(metricsOf(system, "stop")).toEqual(["lock_metadata_parse_errors=1", "lock_blocks=1"]);
  });

  it("is let through when a lock that cannot be read has stood too long", async () => {
    const system = locked({ [ACTIVE]: { content: owned(), modifiedMs: NOW - 86_400_000 } });
    system.faults.failUnder(ACTIVE, "EIO", ["read"]);
    expect(await stopIn(system)).toMatchObject(APPROVED);
    expect(metricsOf(system, "stop")).toContain("lock_auto_recovered=1");
  });

  it("uses the directory that the host announces when that has .claude", async () => {
    const system = locked(
      { "/elsewhere/.claude/runtime/locks/.lock_active": "", "/bare": { kind: "directory" } },
      { CLAUDE_PROJECT_DIR: "/elsewhere" },
    );
    system.files.remove(ACTIVE);
    expect(await stopIn(system)).toEqual(held(DEFAULT_CONTINUATION));
    system.variables.set("CLAUDE_PROJECT_DIR", "/bare");
    expect(await stopIn(system)).toEqual(APPROVED);
  });
});

describe("a lock of another session", () => {
  it("is switched off with its owner's counter, and the person is told", async () => {
    const system = locked({
      [ACTIVE]: owned(0, "other"),
      [`${LOCKS}/other/lock_invocations.txt`]: "7",
      [COUNTER]: "3",
      [`${LOCKS}/.lock_goal`]: "g",
      [`${LOCKS}/.lock_message`]: "m",
      [`${LOCKS}/.continuation_prompt`]: "p",
    });
    expect(await stopIn(system)).toEqual(APPROVED);
    expect(system.files.list(LOCKS)).toEqual(["other", "s1"]);
    expect(system.peek(`${LOCKS}/other/lock_invocations.txt`)).toBeUndefined();
    expect(system.peek(COUNTER)).toBe("3");
    expect(metricsOf(system, "stop")).toEqual(["lock_auto_recovered=1"]);
    expect(system.stderr()).toMatch(/switched off.*another session/);
  });

  it("is compared after sanitising, and an empty owner is none", async () => {
    expect(await stopIn(locked({ [ACTIVE]: "session_id: s/1" }), "s_1")).toEqual(held(expect.any(String)));
    expect(await stopIn(locked({ [ACTIVE]: "session_id:  " }))).toEqual(held(expect.any(String)));
  });
});

describe("the age of a lock", () => {
  it.each([
    [86_399, {}, "held"],
    [86_400, {}, "free"],
    [59, { AMPLIHACK_LOCK_TTL_SECONDS: "60" }, "held"],
    [60, { AMPLIHACK_LOCK_TTL_SECONDS: " 60 " }, "free"],
    [0, { AMPLIHACK_LOCK_TTL_SECONDS: "0" }, "held"],
    [1, { AMPLIHACK_LOCK_TTL_SECONDS: "-5" }, "free"],
    [3600, { AMPLIHACK_LOCK_TTL_SECONDS: "2.5" }, "held"],
    [-500, { AMPLIHACK_LOCK_TTL_SECONDS: "1" }, "held"],
  ])("of %d seconds with %j leaves it %s", async (age, env, wanted) => {
    const effect = await stopIn(locked({ [ACTIVE]: owned(age) }, env));
    expect(effect?.decision === undefined ? "free" : "held").toBe(wanted);
  });

  it.each(["", "locked_at: yesterday\n", "locked_at: 2026-13-45T00:00:00\n"])(
    "comes from the file when the lock says %j",
    async content => {
      const entry = (ago: number) => ({ content, modifiedMs: NOW - ago * 1000 });
      const old = locked({ [ACTIVE]: entry(86_400) });
      expect(await stopIn(old)).toEqual(APPROVED);
      expect(metricsOf(old, "stop")).toEqual(["lock_metadata_parse_errors=1", "lock_auto_recovered=1"]);
      expect(await stopIn(locked({ [ACTIVE]: entry(86_399) }))).toEqual(held(expect.any(String)));
    },
  );

  it("is read in local time and with a zone", () => {
    expect(parseLockTime("2026-01-02T03:04:05Z")).toBe(NOW);
    expect(parseLockTime("2026-01-02T04:04:05.000+01:00")).toBe(NOW);
    expect(parseLockTime("2026-01-02T04:04:05+0100")).toBe(NOW);
    expect(parseLockTime("2026-01-02T03:04:05.123456")).toBe(new Date(2026, 0, 2, 3, 4, 5, 123).getTime());
    expect(parseLockTime("2026-01-02")).toBeUndefined();
    fc.assert(fc.property(fc.string(), text => parseLockTime(`x${text}`) === undefined));
  });
});

describe("the counter of held stops", () => {
  it("lets the stop through at the limit and switches the lock off", async () => {
    const system = locked({}, { AMPLIHACK_MAX_LOCK_ITERATIONS: "3" });
    const effects = [];
    for (let count = 0; count < 3; count++) effects.push(await stopIn(system));
    expect(effects.map(effect => effect?.decision?.kind)).toEqual(["deny", "deny", undefined]);
    expect(system.peek(ACTIVE)).toBeUndefined();
    expect(system.peek(COUNTER)).toBeUndefined();
    expect(metricsOf(system, "stop")).toContain("lock_safety_valve_triggered=1");
    expect(system.stderr()).toMatch(/3 stops.*amplihack lock/);
  });

  it.each([
    ["48", "deny"],
    ["49", undefined],
    ["50", undefined],
    ["", "deny"],
    [" 7\n", "deny"],
    ['{"value": 3}', "deny"],
    ["abc", undefined],
    ["-3", undefined],
    ["1.5", undefined],
    ["١", undefined],
    ["9007199254740991", undefined],
    ["99999999999999999999", undefined],
  ])("holding %j leads to %s", async (content, wanted) => {
    expect((await stopIn(locked({ [COUNTER]: content })))?.decision?.kind).toBe(wanted);
  });

  it("counts as full when it is corrupt or cannot be written, which is reported", async () => {
    const corrupt = locked({ [COUNTER]: "abc" });
    const effect = await stopIn(corrupt);
    expect(effect).toMatchObject(APPROVED);
    expect(effect?.diagnostics?.[0]?.detail).toContain("could not be counted");
    expect(metricsOf(corrupt, "stop")).toContain("lock_counter_corruptions=1");
    const blocked = locked({ [`${LOCKS}/s1`]: "a file in the way" });
    expect(await stopIn(blocked)).toMatchObject(APPROVED);
    expect(metricsOf(blocked, "stop")).toContain("lock_counter_update_errors=1");
  });

  it.each([
    ["5", 5],
    [" 5 ", 5],
    ["0", 1],
    ["-7", 1],
    ["2.5", 50],
    ["", 50],
    ["many", 50],
    ["1_0", 50],
  ])("has its limit from the environment: %j means %d", async (value, limit) => {
    const env = { AMPLIHACK_MAX_LOCK_ITERATIONS: value };
    const last = locked({ [COUNTER]: String(limit - 1) }, env);
    expect(await stopIn(last)).toMatchObject(APPROVED);
    if (limit > 1)
      expect((await stopIn(locked({ [COUNTER]: String(limit - 2) }, env)))?.decision?.kind).toBe("deny");
  });

  it("belongs to the session: payload first, then the variables, then one fixed id", async () => {
    const system = locked({ [ACTIVE]: "" });
    await stopIn(system, "payload");
    await stopIn(system, null);
    system.variables.set("CLAUDE_SESSION_ID", "claude");
    await stopIn(system, null);
    system.variables.set("AMPLIHACK_SESSION_ID", "own");
    await stopIn(system, null);
    const counted = ["payload", "unknown", "claude", "own"].map(id =>
      system.peek(`${LOCKS}/${id}/lock_invocations.txt`),
    );
    expect(counted).toEqual(["1", "1", "1", "1"]);
  });
});

describe("the reason a held agent is given", () => {
  const PROMPT = `${LOCKS}/.continuation_prompt`;
  const reason = async (entry: SeedEntry) => (await stopIn(locked({ [PROMPT]: entry })))?.decision?.reason;

  it("is the custom text, trimmed", async () => {
    expect(await reason("  keep going \n")).toBe("keep going");
  });

  it("has at most a thousand characters, not bytes", async () => {
    expect(await reason("😀".repeat(1000))).toBe("😀".repeat(1000));
    expect(await reason("x".repeat(1001))).toBe(DEFAULT_CONTINUATION);
  });

  it.each<[string, SeedEntry]>([
    ["empty", " \n"],
    ["not UTF-8", Uint8Array.of(0xff, 0xfe)],
    ["a directory", { kind: "directory" }],
    ["huge", "x".repeat(100_000)],
  ])("is the built-in one when the custom text is %s", async (_, entry) => {
    expect(await reason(entry)).toBe(DEFAULT_CONTINUATION);
  });

  it("warns in the log of a long text, without the text", async () => {
    const system = locked({ [PROMPT]: "y".repeat(501) });
    await stopIn(system);
    const log = system.peek(`${RUNTIME}/logs/stop.log`) ?? "";
    expect(log).toContain("501 characters");
    expect(log).not.toContain("yyy");
  });

  it("tells the agent by default not to stop and to look for more to do", () => {
    expect(DEFAULT_CONTINUATION).toMatch(/do not stop.*unfinished tasks.*next steps.*parallel/is);
  });
});
