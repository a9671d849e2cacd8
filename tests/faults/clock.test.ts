import { describe, expect, it } from "vitest";
import { consumeGrants, grantOnce, readGrants } from "../../src/hooks/program/grants.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { openInMemory } from "../golden/run-in-memory.ts";
import { caseOf, faultsOf, scenes, telemetryOf } from "./scenes.ts";

const HOUR_MS = 60 * 60 * 1000;

describe("a clock that is set back between two runs", () => {
  it.each(
    [HOUR_MS, 48 * HOUR_MS, 20_000 * 24 * HOUR_MS].flatMap(back =>
      scenes().map(scene => [back / HOUR_MS, scene.title, back, scene] as const),
    ),
  )("by %d hours breaks nothing: %s", async (_hours, _title, back, scene) => {
    const first = await openInMemory(scene.golden);
    await first.run();
    first.system.processes.end();
    first.system.machine.nowMs -= back;
    const next = await openInMemory(scene.golden, first.system.machine);
    const ended = await next.run();
    expect(ended.exitCode).toBe(0);
    expect(telemetryOf(ended)).toMatchObject({ result: expect.not.stringContaining("panic") });
    if (scene.golden.hook === "pre_tool_use") expect(faultsOf(scene, ended)).toEqual([]);
  });

  it("does not let a lock that now lies in the future go", async () => {
    const { system, run } = await openInMemory(caseOf("stop", "lock-own-session"));
    system.machine.nowMs -= 48 * HOUR_MS;
    expect(JSON.parse((await run()).stdout)).toMatchObject({ decision: "block" });
  });

  it("does not count one tool call twice", async () => {
    const golden = caseOf("post_tool_use", "dedupe-first");
    const metrics = "/sandbox/.claude/runtime/metrics/post_tool_use_metrics.jsonl";
    const first = await openInMemory(golden);
    await first.run();
    first.system.processes.end();
    const counted = first.system.peek(metrics);
    first.system.machine.nowMs -= HOUR_MS;
    const second = await openInMemory(golden, first.system.machine);
    await second.run();
    expect(second.system.peek(metrics)).toBe(counted);
  });

  it("does not lengthen the life of a grant that was not used", () => {
    const system = createMemorySystem();
    const grant = grantOnce(system, "/home/user/.amplihack", {
      code: "ABC123",
      command: "x",
      cwd: "/",
      rules: [],
      refusedMs: 0,
    });
    system.machine.nowMs -= HOUR_MS;
    expect(readGrants(system, "/home/user/.amplihack")).toEqual([]);
    expect(consumeGrants(system, "/home/user/.amplihack", [grant])).toBe(false);
  });

  it("does not give a used grant back", () => {
    const system = createMemorySystem();
    const grant = grantOnce(system, "/home/user/.amplihack", {
      code: "ABC123",
      command: "x",
      cwd: "/",
      rules: [],
      refusedMs: 0,
    });
    expect(consumeGrants(system, "/home/user/.amplihack", [grant])).toBe(true);
    system.machine.nowMs -= HOUR_MS;
    expect(readGrants(system, "/home/user/.amplihack")).toEqual([]);
    expect(consumeGrants(system, "/home/user/.amplihack", [grant])).toBe(false);
  });
});

describe("a lock whose process id now belongs to somebody else", () => {
  it.each([
    ["post_tool_use", "track-counts-ls", "/sandbox/.claude/runtime/workflow-enforcement/s1.json"],
    ["pre_tool_use", "git-reset", "/sandbox/.amplihack/guard/allow-once.json"],
    ["stop", "lock-own-session", "/sandbox/.claude/runtime/locks/s1/lock_invocations.txt"],
  ])("is broken at once, and the state is written: %s %s", async (hook, name, state) => {
    const { system, run } = await openInMemory(caseOf(hook, name));
    const stranger = createMemorySystem({ machine: system.machine });
    const { pid, host } = stranger.processes.self;
    const held = {
      pid,
      host,
      start: "an earlier process",
      created: "2026-01-01T00:00:00.000Z",
      nonce: "0".repeat(32),
    };
    system.put(`${state}.lock`, JSON.stringify(held));
    const before = system.peek(state);
    const beganMs = system.clock.nowMs();
    await run();
    expect(system.clock.nowMs() - beganMs).toBeLessThan(1000);
    expect(system.peek(state)).not.toBe(before);
    expect(system.peek(`${state}.lock`)).toBeUndefined();
  });
});
