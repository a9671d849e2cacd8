import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Dialect, JsonObject, Outcome } from "../../src/exports/engine.ts";
import { runs } from "../generated-inputs.ts";
import { codesOf, source } from "./fixture.ts";
import { type Child, flush, World } from "./world.ts";

const CALL: JsonObject = { session_id: "s", tool_name: "Bash", tool_input: { command: "ls" } };
const KILL_MS = 1000;
const PIPE_MS = 250;
const DENY = '{"decision":"block","reason":"no"}';
const ALLOW = '{"decision":"approve"}';

const child: fc.Arbitrary<Child> = fc.record(
  {
    exitsAfterMs: fc.nat({ max: 3000 }),
    code: fc.constantFrom(0, 1, 2, 127),
    stdout: fc.constantFrom("", "text", DENY, ALLOW, "{broken", '{"async":true}\n', '{"continue":false}'),
    stderr: fc.constantFrom("", "why"),
    printsAfterMs: fc.nat({ max: 3000 }),
    ignoresTerm: fc.boolean(),
    holdsPipesMs: fc.nat({ max: 500 }),
    cannotStart: fc.constant(false),
  },
  { requiredKeys: ["code"] },
);
const timeoutMs = fc.integer({ min: 1, max: 2000 });
const children = fc.array(
  fc.record({ child, timeoutMs, dialect: fc.constantFrom<Dialect>("claude", "batuta", "atomcode") }),
  { minLength: 1, maxLength: 8 },
);

/** A world in which command number n behaves as the n-th child. */
function worldOf(
  list: readonly { readonly child: Child; readonly timeoutMs: number; readonly dialect: Dialect }[],
  options: JsonObject = {},
) {
  const world = new World(command => list[Number(command.slice(1))]?.child ?? {});
  const entry = (index: number, ms: number) => ({ command: `c${index}`, ms });
  const of = (dialect: Dialect) =>
    list.flatMap((item, index) => (item.dialect === dialect ? [entry(index, item.timeoutMs)] : []));
  const engine = world.engine({
    ...options,
    sources: [
      source("claude", {
        hooks: {
          PreToolUse: [
            {
              hooks: of("claude").map(({ command, ms }) => ({
                type: "command",
                command,
                timeout: ms / 1000,
              })),
            },
          ],
        },
      }),
      source("batuta", {
        hooks: of("batuta").map(({ command, ms }) => ({
          event: "PreToolUse",
          command,
          timeout_secs: ms / 1000,
        })),
      }),
      source("atomcode", {
        hooks: Object.fromEntries(
          of("atomcode").map(({ command, ms }) => [
            command,
            { event: "pre_tool_use", command, timeout_ms: ms },
          ]),
        ),
      }),
    ],
  });
  return { world, engine };
}

describe("execution, in a world whose clock the test holds", () => {
  it("23-25: settles in bounded time, leaves nothing alive, and keeps to the number of processes", async () => {
    await fc.assert(
      fc.asyncProperty(children, fc.integer({ min: 1, max: 4 }), async (list, maxProcesses) => {
        const { world, engine } = worldOf(list, { maxProcesses });
        const outcome = await world.settle(engine.dispatch("PreToolUse", CALL));
        const longest = Math.max(...list.map(item => item.timeoutMs));
        expect(world.nowMs - world.lastSpawnMs).toBeLessThanOrEqual(longest + KILL_MS + PIPE_MS);
        expect(world.mostLive).toBeLessThanOrEqual(maxProcesses);
        expect(outcome.runs).toHaveLength(list.length);
        const detached = outcome.runs.filter(({ status }) => status === "async").length;
        expect(world.live).toBeLessThanOrEqual(detached);
        await world.settle(engine.close());
        expect(world.live).toBe(0);
        await world.settle(Promise.resolve());
      }),
      { numRuns: runs(150) },
    );
  });

  it("23: a dispatch of twice as many hooks as slots runs them all, in waves", async () => {
    const list = Array.from({ length: 12 }, () => ({
      child: { exitsAfterMs: 100 },
      timeoutMs: 150,
      dialect: "claude" as const,
    }));
    const { world, engine } = worldOf(list, { maxProcesses: 3 });
    const outcome = await world.settle(engine.dispatch("PreToolUse", CALL));
    expect(outcome.runs.every(({ status }) => status === "ok")).toBe(true);
    expect(world.nowMs).toBe(400);
    expect(world.mostLive).toBe(3);
  });

  it("24, 28: an abort at any moment settles as aborted, refuses, and leaves no group alive", async () => {
    await fc.assert(
      fc.asyncProperty(
        children,
        fc.nat({ max: 3500 }),
        fc.integer({ min: 1, max: 3 }),
        async (list, atMs, maxProcesses) => {
          const { world, engine } = worldOf(list, { maxProcesses });
          const controller = new AbortController();
          const dispatch = engine.dispatch("PreToolUse", CALL, { signal: controller.signal });
          let isSettled = false;
          void dispatch.then(() => {
            isSettled = true;
          });
          await world.runUntil(atMs);
          if (isSettled) return;
          controller.abort();
          const outcome = await world.settle(dispatch);
          expect(outcome.aborted).toBe(true);
          expect(outcome.decision.kind).toBe("deny");
          expect(world.nowMs - atMs).toBeLessThanOrEqual(KILL_MS + PIPE_MS);
          const detached = outcome.runs.filter(({ status }) => status === "async").length;
          expect(world.live).toBeLessThanOrEqual(detached);
        },
      ),
      { numRuns: runs(150) },
    );
  });

  it("24: close ends everything, also what runs in the background, and waits for it", async () => {
    await fc.assert(
      fc.asyncProperty(children, fc.nat({ max: 2500 }), async (list, atMs) => {
        const { world, engine } = worldOf(list, { maxProcesses: 4 });
        const dispatch = engine.dispatch("PreToolUse", CALL);
        await world.runUntil(atMs);
        await world.settle(engine.close());
        expect(world.live).toBe(0);
        const outcome = await world.settle(dispatch);
        expect(outcome.decision.kind === "allow" && outcome.aborted).toBe(false);
      }),
      { numRuns: runs(100) },
    );
  });

  it("26: a child that reads nothing gives the same result as one that reads all", async () => {
    const { world, engine } = worldOf([
      { child: { exitsAfterMs: 0, code: 2, stderr: "no" }, timeoutMs: 1000, dialect: "claude" },
    ]);
    const large = { ...CALL, tool_input: { text: "x".repeat(1024 * 1024) } };
    const outcomes = [
      await world.settle(engine.dispatch("PreToolUse", CALL)),
      await world.settle(engine.dispatch("PreToolUse", large)),
    ];
    expect(outcomes.map(({ decision }) => decision)).toEqual([outcomes[0]?.decision, outcomes[0]?.decision]);
    expect(world.started[1]?.request.input.length).toBeGreaterThan(1024 * 1024);
  });

  it("27: every run is told of once at its start and once at its end, whatever happens in between", async () => {
    await fc.assert(
      fc.asyncProperty(children, fc.option(fc.nat({ max: 3000 })), async (list, abortAtMs) => {
        const { world, engine } = worldOf(list);
        const told = new Map<string, string[]>();
        const controller = new AbortController();
        if (abortAtMs !== null) world.clock.after(abortAtMs, () => controller.abort());
        const outcome = await world.settle(
          engine.dispatch("PreToolUse", CALL, {
            signal: controller.signal,
            onRun: ({ hook, status }) => told.set(hook, [...(told.get(hook) ?? []), status]),
          }),
        );
        for (const { hook, status } of outcome.runs) {
          const statuses = told.get(hook) ?? [];
          expect(statuses.at(-1)).toBe(status);
          expect(statuses.filter(item => item !== "started")).toHaveLength(1);
        }
        await world.settle(engine.close());
      }),
      { numRuns: runs(60) },
    );
  });

  it("29: once runs once per session, however the dispatches interleave", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ session: fc.constantFrom("a", "b"), atMs: fc.nat({ max: 50 }) }), {
          minLength: 1,
          maxLength: 8,
        }),
        async calls => {
          const world = new World(() => ({ exitsAfterMs: 20 }));
          const engine = world.engine({
            sources: [
              source("claude", {
                hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "once", once: true }] }] },
              }),
            ],
          });
          const seen: string[] = [];
          engine.on("PreToolUse", "*", async ({ session_id }) => void seen.push(String(session_id)), {
            once: true,
          });
          const pending: Promise<Outcome>[] = [];
          for (const { session, atMs } of calls)
            world.clock.after(
              atMs,
              () => void pending.push(engine.dispatch("PreToolUse", { ...CALL, session_id: session })),
            );
          while (pending.length < calls.length) {
            await flush();
            world.step();
          }
          await world.settle(Promise.all(pending));
          const sessions = new Set(calls.map(({ session }) => session));
          expect(world.started).toHaveLength(sessions.size);
          expect(seen.toSorted()).toEqual([...sessions].toSorted());
        },
      ),
      { numRuns: runs(50) },
    );
  });

  it("once is free again when the session has ended", async () => {
    const world = new World(() => ({ exitsAfterMs: 1 }));
    const engine = world.engine({
      sources: [
        source("claude", {
          hooks: {
            PreToolUse: [{ hooks: [{ type: "command", command: "x", once: true }] }],
            SessionEnd: [{ hooks: [{ type: "command", command: "y" }] }],
          },
        }),
      ],
    });
    for (const event of ["PreToolUse", "PreToolUse", "SessionEnd", "PreToolUse"])
      await world.settle(engine.dispatch(event, CALL));
    expect(world.started.map(({ request }) => request.argv.at(-1))).toEqual(["x", "y", "x"]);
  });

  it("30: nothing is started after a function refused", async () => {
    await fc.assert(
      fc.asyncProperty(children, fc.constantFrom("deny", "throw", "late deny"), async (list, how) => {
        const { world, engine } = worldOf(list);
        engine.beforeToolCall("*", () => {
          if (how === "throw") throw new Error("x");
          const said = { block: true, reason: "mine" } as const;
          return how === "deny" ? said : Promise.resolve(said);
        });
        const outcome = await world.settle(engine.dispatch("PreToolUse", CALL));
        expect(world.started).toEqual([]);
        expect(outcome.decision.kind).toBe("deny");
        expect(outcome.runs.slice(1).every(({ status }) => status === "skipped")).toBe(true);
      }),
      { numRuns: runs(30) },
    );
  });

  it("31: in a lane nothing starts after a deny, and other lanes go on", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.constantFrom<Child>(
            { exitsAfterMs: 10 },
            { exitsAfterMs: 5, code: 2, stdout: '{"action":"block","reason":"x"}' },
            { exitsAfterMs: 20, stdout: '{"action":"block","reason":"x"}' },
          ),
          { minLength: 1, maxLength: 6 },
        ),
        fc.constantFrom<Dialect>("batuta", "atomcode"),
        async (kids, dialect) => {
          const list = [
            ...kids.map(item => ({ child: item, timeoutMs: 500, dialect })),
            { child: { exitsAfterMs: 1 }, timeoutMs: 500, dialect: "claude" as const },
          ];
          const { world, engine } = worldOf(list);
          const outcome = await world.settle(engine.dispatch("PreToolUse", CALL));
          const isDeny = (item: Child) =>
            dialect === "batuta" ? item.code === 2 : (item.code ?? 0) === 0 && item.stdout !== undefined;
          const first = kids.findIndex(isDeny);
          const expected = first < 0 ? kids.length : first + 1;
          expect(world.started).toHaveLength(expected + 1);
          expect(outcome.runs.filter(({ status }) => status === "skipped")).toHaveLength(
            kids.length - expected,
          );
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it("1: the outcome does not depend on which handler finished first", async () => {
    const answer = fc.constantFrom(
      DENY,
      ALLOW,
      '{"decision":"ask","reason":"?"}',
      '{"hookSpecificOutput":{"updatedInput":{"n":1}}}',
      '{"hookSpecificOutput":{"updatedInput":{"n":2}}}',
      '{"hookSpecificOutput":{"additionalContext":"c"}}',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(answer, { minLength: 1, maxLength: 6 }),
        fc.infiniteStream(fc.nat({ max: 900 })),
        async (answers, delays) => {
          const run = async (): Promise<unknown> => {
            const list = answers.map(stdout => ({
              child: { stdout, exitsAfterMs: delays.next().value ?? 0 },
              timeoutMs: 1000,
              dialect: "claude" as const,
            }));
            const { world, engine } = worldOf(list);
            const { runs, ...rest } = await world.settle(engine.dispatch("PreToolUse", CALL));
            return { ...rest, runs: runs.map(({ hook, status }) => ({ hook, status })) };
          };
          expect(await run()).toEqual(await run());
        },
      ),
      { numRuns: runs(60) },
    );
  });
});

describe("time", () => {
  it("waiting for a slot does not count against the handler", async () => {
    const list = [0, 1, 2].map(() => ({
      child: { exitsAfterMs: 90 },
      timeoutMs: 100,
      dialect: "claude" as const,
    }));
    const { world, engine } = worldOf(list, { maxProcesses: 1 });
    const outcome = await world.settle(engine.dispatch("PreToolUse", CALL));
    expect(outcome.runs.map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
  });

  it("a deny that was stated before the timeout stands", async () => {
    const { world, engine } = worldOf([
      { child: { printsAfterMs: 10, stdout: `${DENY}\n` }, timeoutMs: 100, dialect: "claude" },
    ]);
    const outcome = await world.settle(engine.dispatch("PreToolUse", CALL));
    expect(outcome.decision).toMatchObject({ kind: "deny", reason: "no" });
    expect(codesOf(outcome)).toEqual(["timeout"]);
  });

  it("an allow that was stated before the timeout does not", async () => {
    const { world, engine } = worldOf([
      {
        child: { printsAfterMs: 10, stdout: `${ALLOW}\n`, ignoresTerm: true },
        timeoutMs: 100,
        dialect: "claude",
      },
    ]);
    const outcome = await world.settle(engine.dispatch("PreToolUse", CALL));
    expect(outcome.decision.kind).toBe("none");
    expect(codesOf(outcome)).toEqual(["killed", "timeout"]);
    expect(outcome.runs).toMatchObject([{ status: "timeout" }]);
  });

  it("a function that never answers is given up after its time, and its signal says so", async () => {
    const world = new World(() => ({}));
    const engine = world.engine({});
    let signal: AbortSignal | undefined;
    engine.beforeToolCall(
      "*",
      (_, scope) => {
        signal = scope.signal;
        return new Promise(() => {});
      },
      { timeoutMs: 500, id: "slow" },
    );
    const outcome = await world.settle(engine.dispatch("PreToolUse", CALL));
    expect(world.nowMs).toBe(500);
    expect(outcome.decision).toMatchObject({ kind: "deny", reason: expect.stringContaining("slow") });
    expect(outcome.runs).toMatchObject([{ status: "timeout" }]);
    expect(signal?.aborted).toBe(true);
  });

  it("what a function answers after its time is dropped and said to be late", async () => {
    const world = new World(() => ({ exitsAfterMs: 900 }));
    const engine = world.engine({
      sources: [
        source("claude", { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "x" }] }] } }),
      ],
    });
    const late = new Promise<{ block: true; reason: string }>(
      resolve => void world.clock.after(600, () => resolve({ block: true, reason: "late" })),
    );
    engine.beforeToolCall("*", () => late, { timeoutMs: 500, onFailure: "open" });
    const outcome = await world.settle(engine.dispatch("PreToolUse", CALL));
    expect(outcome.decision.kind).toBe("none");
    expect(codesOf(outcome)).toEqual(["timeout", "late-result"]);
  });

  it("an abort reaches a function's signal and does not wait for it", async () => {
    const world = new World(() => ({}));
    const engine = world.engine({});
    const controller = new AbortController();
    let signal: AbortSignal | undefined;
    engine.on("PreToolUse", "*", (_, scope) => {
      signal = scope.signal;
      return new Promise(() => {});
    });
    const dispatch = engine.dispatch("PreToolUse", CALL, { signal: controller.signal });
    await flush();
    controller.abort();
    const outcome = await world.settle(dispatch);
    expect(outcome).toMatchObject({ aborted: true, decision: { kind: "deny", reason: "aborted" } });
    expect(signal?.aborted).toBe(true);
    expect(world.pendingTimers).toBe(0);
  });

  it("a function that calls everything off itself is not waited for", async () => {
    const world = new World(() => ({}));
    const engine = world.engine({});
    const controller = new AbortController();
    engine.on("PreToolUse", "*", () => {
      controller.abort();
      return new Promise(() => {});
    });
    const outcome = await world.settle(engine.dispatch("PreToolUse", CALL, { signal: controller.signal }));
    expect(outcome).toMatchObject({ aborted: true, runs: [{ status: "aborted" }] });
    expect(world.nowMs).toBe(0);
  });

  it("a dispatch that was aborted before it began starts nothing", async () => {
    const { world, engine } = worldOf([{ child: { exitsAfterMs: 1 }, timeoutMs: 10, dialect: "claude" }]);
    const outcome = await engine.dispatch("PreToolUse", CALL, { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({
      aborted: true,
      decision: { kind: "deny" },
      runs: [{ status: "aborted" }],
    });
    expect(world.started).toEqual([]);
  });

  it("a dispatch after close is aborted, and one without hooks is still silence", async () => {
    const { world, engine } = worldOf([{ child: { exitsAfterMs: 1 }, timeoutMs: 10, dialect: "claude" }]);
    await world.settle(engine.close());
    expect((await engine.dispatch("PreToolUse", CALL)).decision.kind).toBe("deny");
    expect((await engine.dispatch("Stop", {})).decision.kind).toBe("none");
    expect(world.started).toEqual([]);
  });
});

describe("holding a stop", () => {
  const held = (world: World, engine: ReturnType<World["engine"]>, more: JsonObject = {}) =>
    world.settle(engine.dispatch("Stop", { session_id: "s", ...more }));

  it("works eight times in a row and not the ninth, per session and agent", async () => {
    const world = new World(() => ({ exitsAfterMs: 1, stdout: DENY }));
    const engine = world.engine({
      sources: [source("claude", { hooks: { Stop: [{ hooks: [{ type: "command", command: "x" }] }] } })],
    });
    for (let count = 1; count <= 8; count++) expect((await held(world, engine)).decision.kind).toBe("deny");
    expect((await held(world, engine, { agent_id: "other" })).decision.kind).toBe("deny");
    const ninth = await held(world, engine);
    expect(ninth.decision).toEqual({ kind: "none" });
    expect(codesOf(ninth)).toEqual(["stop-cap"]);
    expect((await held(world, engine)).decision.kind).toBe("deny");
    expect((await held(world, engine, { session_id: "t" })).decision.kind).toBe("deny");
  });

  it("counts only in a row, and the cap can be set", async () => {
    let isHeld = true;
    const world = new World(() => ({ exitsAfterMs: 1, stdout: isHeld ? DENY : "" }));
    const engine = world.engine({
      stopBlockCap: 2,
      sources: [source("claude", { hooks: { Stop: [{ hooks: [{ type: "command", command: "x" }] }] } })],
    });
    const kinds: string[] = [];
    for (const wanted of [true, true, false, true, true, true]) {
      isHeld = wanted;
      kinds.push((await held(world, engine)).decision.kind);
    }
    expect(kinds).toEqual(["deny", "deny", "none", "deny", "deny", "none"]);
  });

  it("is never the work of a broken hook", async () => {
    const world = new World(() => ({ exitsAfterMs: 1, code: 1 }));
    const engine = world.engine({
      sources: [
        source("claude", {
          hooks: { Stop: [{ hooks: [{ type: "command", command: "x", onFailure: "closed" }] }] },
        }),
      ],
    });
    const outcome = await held(world, engine);
    expect(outcome.decision.kind).toBe("none");
    expect(codesOf(outcome)).toEqual(["exit-nonblocking"]);
  });
});
