import { describe, expect, it } from "vitest";
import type { HookEngine, HookInput, Outcome } from "../../src/exports/engine.ts";
import { createHookEngine } from "../../src/exports/engine.ts";

/** More than are measured one by one before functions count as quick. */
const MANY = 12;
const CALL = { session_id: "s", tool_name: "bash", tool_input: { command: "ls", deep: { list: [1] } } };

type AnyEngine = HookEngine<Record<never, never>>;
const newEngine = (): AnyEngine => createHookEngine({ projectDir: "/project", env: {} });

function withoutTimes(outcome: Outcome): unknown {
  return { ...outcome, runs: outcome.runs.map(run => ({ ...run, durationMs: 0 })) };
}

async function dispatchOften(engine: AnyEngine): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let round = 0; round < MANY; round++) outcomes.push(await engine.dispatch("PreToolUse", CALL));
  return outcomes;
}

const silent = (): void => {};

describe("functions that are known to be quick", () => {
  it.each<[string, (engine: AnyEngine) => void]>([
    ["are silent", engine => void engine.beforeToolCall("*", silent)],
    ["add context", engine => void engine.beforeToolCall("*", () => ({ context: "c" }))],
    ["refuse", engine => void engine.beforeToolCall("*", () => ({ block: true, reason: "no" }))],
    ["rewrite", engine => void engine.beforeToolCall("*", () => ({ args: { command: "pwd" } }))],
    [
      "say what nobody understands",
      engine => void engine.beforeToolCall("*", () => ({ blok: true }) as never),
    ],
    ["return what is no answer", engine => void engine.beforeToolCall("*", (() => 7) as never)],
    ["answer later", engine => void engine.beforeToolCall("*", async () => ({ context: "later" }))],
    ["reject", engine => void engine.beforeToolCall("*", () => Promise.reject(new Error("x")))],
    [
      "throw",
      engine =>
        void engine.beforeToolCall("*", () => {
          throw new Error("x");
        }),
    ],
    [
      "look at the payload",
      engine => void engine.on("PreToolUse", "*", ({ tool_name }) => ({ context: String(tool_name) })),
    ],
    [
      "judge",
      engine =>
        void engine.use({
          id: "judge",
          event: "PreToolUse",
          isJudge: true,
          run: (input: HookInput) => ({
            context: JSON.stringify(input.kind === "tool" ? input.tool.input : null),
          }),
        }),
    ],
  ])("come to the same as when they are watched: they %s", async (_, register) => {
    const [quick, watched] = [newEngine(), newEngine()];
    for (const engine of [quick, watched]) {
      engine.beforeToolCall("*", silent, { id: "first" });
      register(engine);
      engine.beforeToolCall("*", silent, { id: "last" });
    }
    const outcome = await watched.dispatch("PreToolUse", CALL, { onRun: silent });
    for (const seen of await dispatchOften(quick)) expect(withoutTimes(seen)).toEqual(withoutTimes(outcome));
  });

  it("are asked again as judges of what a later one made of the input", async () => {
    const engine = newEngine();
    const judged: unknown[] = [];
    engine.use({
      id: "judge",
      event: "PreToolUse",
      isJudge: true,
      run: (input: HookInput) => void judged.push(input.facts.command),
    });
    engine.beforeToolCall("*", () => ({ args: { command: "pwd" } }));
    await dispatchOften(engine);
    expect(judged).toEqual(Array.from({ length: MANY }, () => ["ls", "pwd"]).flat());
  });

  it("see what is frozen, and one copy of it", async () => {
    const engine = newEngine();
    const inputs: unknown[] = [];
    engine.beforeToolCall("*", ({ args }, { original }) => void inputs.push(args, original));
    engine.on("PreToolUse", "*", ({ tool_input }) => void inputs.push(tool_input));
    await dispatchOften(engine);
    for (let place = 0; place < inputs.length; place += 3) {
      expect(inputs[place]).toEqual(CALL.tool_input);
      expect(inputs[place]).not.toBe(CALL.tool_input);
      expect(inputs.slice(place, place + 3)).toEqual([inputs[place], inputs[place], inputs[place]]);
      expect(Object.isFrozen((inputs[place] as typeof CALL.tool_input).deep.list)).toBe(true);
      expect(inputs[place + 1]).toBe(inputs[place]);
      expect(inputs[place + 2]).toBe(inputs[place]);
    }
    expect(Object.isFrozen(CALL.tool_input)).toBe(false);
  });

  it("see what the host passed, also when it changes that while one is waited for", async () => {
    const engine = newEngine();
    const seen: unknown[] = [];
    let isLate = false;
    engine.beforeToolCall("*", () => (isLate ? Promise.resolve() : undefined));
    engine.on("PreToolUse", "*", payload => void seen.push(payload["tool_input"], payload["note"]));
    await dispatchOften(engine);
    seen.length = 0;
    isLate = true;
    const payload = { ...CALL, note: "before", tool_input: { command: "ls" } };
    const pending = engine.dispatch("PreToolUse", payload);
    payload.note = "after";
    payload.tool_input.command = "rm";
    await pending;
    expect(seen).toEqual([{ command: "ls" }, "before"]);
  });

  it("are told why a payload cannot be shown", async () => {
    const engine = newEngine();
    engine.beforeToolCall("*", silent);
    await dispatchOften(engine);
    const input: Record<string, unknown> = {};
    input["self"] = input;
    const { decision, diagnostics } = await engine.dispatch("PreToolUse", { ...CALL, tool_input: input });
    expect(decision.kind).toBe("deny");
    expect(diagnostics[0]?.detail).toContain("the payload cannot be copied");
  });

  it("share no signal with one that is given up", async () => {
    const engine = newEngine();
    const held: AbortSignal[] = [];
    let isHanging = false;
    engine.beforeToolCall("*", (_, { signal }) => void held.push(signal));
    engine.beforeToolCall("*", () => (isHanging ? new Promise<undefined>(() => {}) : undefined), {
      timeoutMs: 5,
    });
    await dispatchOften(engine);
    isHanging = true;
    await engine.dispatch("PreToolUse", CALL);
    expect(new Set(held).size).toBe(MANY + 1);
    expect(held.some(({ aborted }) => aborted)).toBe(false);
  });

  it("are not asked once the host has given up", async () => {
    const engine = newEngine();
    const asked: string[] = [];
    let host = new AbortController();
    let isOver = false;
    engine.beforeToolCall("*", () => {
      asked.push("first");
      if (isOver) host.abort();
    });
    engine.beforeToolCall("*", () => void asked.push("second"));
    await dispatchOften(engine);
    asked.length = 0;
    isOver = true;
    const middle = await engine.dispatch("PreToolUse", CALL, { signal: host.signal });
    expect(asked).toEqual(["first"]);
    expect(middle).toMatchObject({ aborted: true, decision: { kind: "deny" } });
    const late = await engine.dispatch("PreToolUse", CALL, { signal: host.signal });
    expect(late.runs.map(({ status }) => status)).toEqual(["aborted", "aborted"]);
    host = new AbortController();
    const last = createHookEngine({ projectDir: "/project", env: {} });
    last.beforeToolCall("*", () => void (isOver && host.abort()));
    isOver = false;
    await dispatchOften(last);
    isOver = true;
    expect(await last.dispatch("PreToolUse", CALL, { signal: host.signal })).toMatchObject({ aborted: true });
  });

  it("are measured whenever somebody watches", async () => {
    const engine = newEngine();
    const observed: Outcome[] = [];
    engine.beforeToolCall("*", () => {
      for (const start = performance.now(); performance.now() === start; );
    });
    engine.observe("PreToolUse", (_, outcome) => void observed.push(outcome));
    await dispatchOften(engine);
    expect(observed).toHaveLength(MANY);
    expect(observed.every(({ runs }) => (runs[0]?.durationMs ?? 0) > 0)).toBe(true);
  });

  it("are measured always when one of them is slow", async () => {
    const engine = newEngine();
    engine.beforeToolCall("*", () => {
      for (const start = performance.now(); performance.now() - start < 1; );
    });
    for (const { runs } of await dispatchOften(engine)) expect(runs[0]?.durationMs).toBeGreaterThanOrEqual(1);
  });
});

describe("many hooks", () => {
  it.each([500, 1000])(
    "%i are each tried once for a new tool, and never again for a known one",
    async count => {
      const engine = newEngine();
      let tried = 0;
      for (let index = 0; index < count; index++) {
        const pattern = /./;
        pattern.test = () => ++tried > 0;
        engine.beforeToolCall(pattern, silent);
      }
      expect(tried).toBe(0);
      await engine.dispatch("PreToolUse", CALL);
      await engine.dispatch("PreToolUse", CALL);
      expect(tried).toBe(count);
    },
  );
});
