import { describe, expect, it } from "vitest";
import { defineHook, openHookContext } from "../../src/hooks/program/hook-context.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { inputOf, jsonAt, projectSystem, ROOT, RUNTIME, runHook } from "./run-hook.ts";

const open = (system = projectSystem(), payload = {}) =>
  openHookContext(inputOf("Stop", payload), system, "stop");

describe("opening a context", () => {
  it("makes nothing on disk", () => {
    const system = projectSystem();
    open(system, { session_id: "s" });
    expect(system.files.list(`${ROOT}/.claude`)).toEqual([]);
  });

  it("finds the project root above the session's directory and never takes the home directory for one", () => {
    const system = createMemorySystem({
      files: { "/home/user/.claude": { kind: "directory" }, "/home/user/project/sub": { kind: "directory" } },
    });
    expect(open(system, { cwd: "/home/user/project/sub" }).projectRoot).toBe("/home/user/project/sub");
    expect(open(projectSystem({ cwd: `${ROOT}/deep/er` })).projectRoot).toBe(ROOT);
  });

  it("takes the session id from the payload, then from the environment, sanitised", () => {
    const env = { HOME: "/home/user", CLAUDE_SESSION_ID: "from env" };
    expect(open(projectSystem({ env }), { session_id: "../a b" }).sessionId).toBe("___a_b");
    expect(open(projectSystem({ env })).sessionId).toBe("from_env");
    expect(open().sessionId).toBeUndefined();
  });
});

describe("logging", () => {
  it("writes one line per entry with escaped control characters, in a file only the user can read", () => {
    const system = projectSystem();
    open(system).log("INFO", "one\ntwo");
    expect(system.peek(`${RUNTIME}/logs/stop.log`)).toMatch(
      /^\[\d{4}-\d\d-\d\dT[\d:.]+\] INFO: one\\ntwo\n$/,
    );
    expect(system.files.inspect(`${RUNTIME}/logs/stop.log`)?.mode).toBe(0o600);
    expect(system.files.inspect(RUNTIME)?.mode).toBe(0o700);
  });

  it("makes a missing .claude folder as others expect it", () => {
    const system = createMemorySystem();
    open(system).log("INFO", "x");
    expect(system.files.inspect(`${ROOT}/.claude`)?.mode).toBe(0o755);
  });

  it("that fails is told once on stderr and stops nothing", () => {
    const system = createMemorySystem({ files: { [`${ROOT}/.claude`]: "a file in the way" } });
    const context = open(system);
    context.log("INFO", "a");
    context.log("INFO", "b");
    context.metric("m", 1);
    expect(system.stderr().match(/log cannot be written/g)).toHaveLength(1);
  });
});

describe("metrics", () => {
  it("are one JSON line each, with metadata only when there is some", () => {
    const system = projectSystem();
    const context = open(system);
    context.metric("a", 1);
    context.metric("b", true, { n: 2 });
    context.metric("c", "x", {});
    const lines = (system.peek(`${RUNTIME}/metrics/stop_metrics.jsonl`) ?? "").trim().split("\n");
    expect(lines.map(line => JSON.parse(line))).toEqual([
      { timestamp: expect.any(String), metric: "a", value: 1, hook: "stop" },
      { timestamp: expect.any(String), metric: "b", value: true, hook: "stop", metadata: { n: 2 } },
      { timestamp: expect.any(String), metric: "c", value: "x", hook: "stop" },
    ]);
  });
});

describe("session files", () => {
  it("are written into the session's folder, objects as JSON and the rest as text", () => {
    const system = projectSystem();
    const context = open(system, { session_id: "s1" });
    context.saveSessionData("a.json", { n: [1] });
    context.saveSessionData("b.md", "text");
    expect(jsonAt(system, `${RUNTIME}/logs/s1/a.json`)).toEqual({ n: [1] });
    expect(system.peek(`${RUNTIME}/logs/s1/b.md`)).toBe("text");
    expect(system.files.inspect(`${RUNTIME}/logs/s1`)?.mode).toBe(0o700);
  });

  it.each(["../x", "a/b", "a\\b", "", ".."])("are refused under the name %j", name => {
    expect(() => open().saveSessionData(name, "x")).toThrow(/plain file name/);
  });

  it("stay together under one generated id when nobody names the session", () => {
    const system = projectSystem();
    const context = open(system);
    context.saveSessionData("a", "1");
    system.advance(5000);
    context.saveSessionData("b", "2");
    const [folder] = system.files.list(`${RUNTIME}/logs`).filter(name => /^\d{8}_\d{6}_\d{6}$/.test(name));
    expect(system.files.list(`${RUNTIME}/logs/${folder}`)).toEqual(["a", "b"]);
  });
});

describe("a reported problem", () => {
  it("is on stderr, in the log and among the diagnostics of the effect", async () => {
    const system = projectSystem();
    const hook = defineHook("stop", "stop", (_, context) => {
      context.report("it broke");
      return { context: "text" };
    });
    expect(await runHook(hook(), system)).toEqual({
      context: "text",
      diagnostics: [{ code: "hook-problem", severity: "error", detail: "it broke" }],
    });
    expect(system.stderr()).toBe("amplihack stop: it broke\n");
    expect(system.peek(`${RUNTIME}/logs/stop.log`)).toContain("ERROR: it broke");
  });
});

describe("the time left", () => {
  it("is one second below the host's limit, less on Codex at the end of a session", () => {
    const system = projectSystem();
    expect(openHookContext(inputOf("Stop"), system, "stop").remainingMs()).toBe(119_000);
    expect(openHookContext(inputOf("SessionEnd"), system, "session_stop").remainingMs()).toBe(29_000);
    expect(openHookContext(inputOf("SessionEnd", {}, "codex"), system, "session_stop").remainingMs()).toBe(
      2_000,
    );
  });

  it("shrinks with the clock and never falls below zero", () => {
    const system = projectSystem();
    const context = openHookContext(inputOf("Stop"), system, "stop", { budgetMs: 1000 });
    system.advance(400);
    expect(context.remainingMs()).toBe(600);
    system.advance(4000);
    expect(context.remainingMs()).toBe(0);
  });
});

describe("a hook", () => {
  it("has nothing to say about another event of the same kind", async () => {
    const hook = defineHook("stop", "stop", () => ({ context: "x" }));
    expect(await hook().run(inputOf("SubagentStop"), projectSystem())).toBeUndefined();
  });
});
