import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AsyncReport, JsonObject } from "../../src/exports/engine.ts";
import { claudeCommands, makeEngine, source, temporaryFolder } from "./fixture.ts";
import { type Child, flush, World } from "./world.ts";

const CALL: JsonObject = { session_id: "s", tool_name: "Bash", tool_input: {} };

function setUp(
  entries: readonly JsonObject[],
  script: (command: string) => Child,
  event = "PreToolUse",
  more: JsonObject = {},
) {
  const reports: AsyncReport[] = [];
  const world = new World(script);
  const engine = world.engine({
    ...more,
    onAsync: report => void reports.push(report),
    sources: [source("claude", claudeCommands(event, entries))],
  });
  return { world, engine, reports };
}
const DENY = '{"decision":"block","reason":"no"}';

describe("handlers in the background", () => {
  it("never decide and never delay; what they say comes later", async () => {
    const stdout =
      '{"decision":"block","reason":"too late","systemMessage":"done","hookSpecificOutput":{"additionalContext":"more"}}';
    const { world, engine, reports } = setUp([{ command: "x", async: true }], () => ({
      exitsAfterMs: 500,
      stdout,
    }));
    const outcome = await world.settle(engine.dispatch("PreToolUse", CALL));
    expect(world.nowMs).toBe(0);
    expect(outcome).toMatchObject({ decision: { kind: "none" }, context: [], runs: [{ status: "async" }] });
    expect(reports).toEqual([]);
    await world.runUntil(600);
    expect(reports).toEqual([{ hook: "project:PreToolUse[0].0", context: "more", message: "done" }]);
  });

  it("with asyncRewake wake the host by exit 2", async () => {
    const { world, engine, reports } = setUp([{ command: "x", asyncRewake: true }], () => ({
      exitsAfterMs: 5,
      code: 2,
      stderr: "tests failed",
    }));
    expect((await world.settle(engine.dispatch("PreToolUse", CALL))).decision.kind).toBe("none");
    await world.runUntil(10);
    expect(reports).toEqual([{ hook: "project:PreToolUse[0].0", rewake: "tests failed" }]);
  });

  it("without it say the same as a message", async () => {
    const { world, engine, reports } = setUp([{ command: "x", async: true }], () => ({
      exitsAfterMs: 5,
      code: 2,
      stderr: "tests failed",
    }));
    await world.settle(engine.dispatch("PreToolUse", CALL));
    await world.runUntil(10);
    expect(reports).toEqual([{ hook: "project:PreToolUse[0].0", message: "tests failed" }]);
  });

  it("that fail are told of, and those with nothing to say are not", async () => {
    const { world, engine, reports } = setUp(
      [
        { command: "late", async: true, timeout: 0.1 },
        { command: "quiet", async: true },
      ],
      command => (command === "late" ? {} : { exitsAfterMs: 1 }),
    );
    await world.settle(engine.dispatch("PreToolUse", CALL));
    await world.runUntil(2000);
    expect(reports).toEqual([
      { hook: "project:PreToolUse[0].0", message: "the hook failed in the background: timeout" },
    ]);
    expect(world.live).toBe(0);
  });

  it("are at most eight at a time, and none is dropped", async () => {
    const entries = Array.from({ length: 30 }, (_, index) => ({ command: `c${index}`, async: true }));
    const { world, engine, reports } = setUp(entries, command => ({
      exitsAfterMs: 10,
      stdout: `{"systemMessage":"${command}"}`,
    }));
    await world.settle(engine.dispatch("PreToolUse", CALL));
    await world.runUntil(100);
    expect(world.mostLive).toBe(8);
    expect(reports.map(({ message }) => message)).toEqual(entries.map(({ command }) => command));
  });

  it("leave a slot for those somebody waits for", async () => {
    const entries = [
      ...Array.from({ length: 9 }, (_, index) => ({ command: `slow${index}`, async: true })),
      { command: "now" },
    ];
    const { world, engine } = setUp(
      entries,
      command => (command === "now" ? { exitsAfterMs: 1, stdout: DENY } : { exitsAfterMs: 9000 }),
      "PreToolUse",
      { maxProcesses: 3 },
    );
    const outcome = await world.settle(engine.dispatch("PreToolUse", CALL));
    expect(outcome.decision.kind).toBe("deny");
    expect(world.nowMs).toBeLessThan(100);
    expect(world.mostLive).toBe(3);
    await world.settle(engine.close());
  });

  it("end with close, without delivering", async () => {
    const entries = Array.from({ length: 20 }, (_, index) => ({ command: `c${index}`, async: true }));
    const { world, engine, reports } = setUp(entries, () => ({
      exitsAfterMs: 50,
      stdout: '{"systemMessage":"m"}',
      ignoresTerm: true,
    }));
    await world.settle(engine.dispatch("PreToolUse", CALL));
    await world.runUntil(10);
    await world.settle(engine.close());
    expect(world.live).toBe(0);
    expect(reports).toEqual([]);
    expect(world.started).toHaveLength(8);
  });

  it("outlive the dispatch that started them, also when its signal is raised afterwards", async () => {
    const { world, engine, reports } = setUp([{ command: "x", async: true }], () => ({
      exitsAfterMs: 50,
      stdout: '{"systemMessage":"m"}',
    }));
    const controller = new AbortController();
    await world.settle(engine.dispatch("PreToolUse", CALL, { signal: controller.signal }));
    controller.abort();
    await world.runUntil(60);
    expect(reports).toHaveLength(1);
  });

  it("survive a reload", async () => {
    const { world, engine, reports } = setUp([{ command: "x", async: true }], () => ({
      exitsAfterMs: 50,
      stdout: '{"systemMessage":"m"}',
    }));
    await world.settle(engine.dispatch("PreToolUse", CALL));
    engine.reload([]);
    await world.runUntil(60);
    expect(reports).toHaveLength(1);
  });

  it("run in line at the end of a session", async () => {
    const { world, engine } = setUp(
      [{ command: "x", async: true }],
      () => ({ exitsAfterMs: 50 }),
      "SessionEnd",
    );
    const outcome = await world.settle(engine.dispatch("SessionEnd", { reason: "other" }));
    expect(outcome.runs).toMatchObject([{ status: "ok" }]);
    expect(world.nowMs).toBeGreaterThanOrEqual(50);
  });

  it("and a listener that throws harm nobody", async () => {
    const world = new World(() => ({ exitsAfterMs: 5, stdout: '{"systemMessage":"m"}' }));
    let told = 0;
    const engine = world.engine({
      onAsync() {
        told++;
        throw new Error("listener");
      },
      sources: [source("claude", claudeCommands("PreToolUse", [{ command: "x", async: true }]))],
    });
    await world.settle(engine.dispatch("PreToolUse", CALL));
    await world.runUntil(10);
    expect(told).toBe(1);
    expect((await world.settle(engine.dispatch("PreToolUse", CALL))).runs).toMatchObject([
      { status: "async" },
    ]);
    await world.settle(engine.close());
  });
});

describe("a handler that announces the background while it runs", () => {
  const announcing = (more: JsonObject, later: string) => ({
    stdout: `${JSON.stringify({ async: true, ...more })}\n${later}`,
    printsAfterMs: 20,
    exitsAfterMs: 800,
  });

  it("is not waited for any longer", async () => {
    const { world, engine, reports } = setUp([{ command: "x" }], () =>
      announcing({}, '{"hookSpecificOutput":{"additionalContext":"found"}}'),
    );
    const outcome = await world.settle(engine.dispatch("PreToolUse", CALL));
    expect(world.nowMs).toBe(20);
    expect(outcome.runs).toMatchObject([{ status: "async" }]);
    await world.runUntil(900);
    expect(reports).toEqual([{ hook: "project:PreToolUse[0].0", context: "found" }]);
  });

  it("may ask for less time, not for more", async () => {
    const { world, engine, reports } = setUp(
      [
        { command: "less", timeout: 5 },
        { command: "more", timeout: 0.3 },
      ],
      command => announcing({ asyncTimeout: command === "less" ? 100 : 100_000 }, ""),
    );
    await world.settle(engine.dispatch("PreToolUse", CALL));
    await world.runUntil(2000);
    expect(reports.map(({ message }) => message)).toEqual([
      "the hook failed in the background: timeout",
      "the hook failed in the background: timeout",
    ]);
    expect(world.nowMs).toBeLessThanOrEqual(2000);
    expect(world.live).toBe(0);
  });

  it("is ended by close", async () => {
    const { world, engine, reports } = setUp([{ command: "x" }], () => announcing({}, ""));
    await world.settle(engine.dispatch("PreToolUse", CALL));
    await world.settle(engine.close());
    expect(world.live).toBe(0);
    expect(reports).toEqual([]);
  });

  it("and anything else on the first line is an answer", async () => {
    const { world, engine } = setUp([{ command: "x" }], () => ({
      stdout: `${DENY}\n{"async":true}`,
      exitsAfterMs: 800,
      printsAfterMs: 1,
    }));
    const outcome = await world.settle(engine.dispatch("PreToolUse", CALL));
    expect(outcome.runs[0]?.status).not.toBe("async");
    await flush();
  });

  it("works with a real process", async () => {
    const delivered = withResolvers<AsyncReport>();
    const go = join(temporaryFolder(), "go");
    const command = `echo '{"async":true}'; until [ -e ${go} ]; do sleep 0.02; done; echo '{"systemMessage":"later"}'`;
    const engine = makeEngine({
      onAsync: delivered.resolve,
      sources: [source("claude", claudeCommands("PreToolUse", [command]))],
    });
    expect((await engine.dispatch("PreToolUse", CALL)).runs).toMatchObject([{ status: "async" }]);
    writeFileSync(go, "");
    expect(await delivered.promise).toMatchObject({ message: "later" });
  });
});

function withResolvers<V>(): { promise: Promise<V>; resolve: (value: V) => void } {
  let resolve: (value: V) => void = () => {};
  const promise = new Promise<V>(settle => {
    resolve = settle;
  });
  return { promise, resolve };
}
