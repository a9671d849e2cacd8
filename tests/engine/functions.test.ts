import { Type } from "@sinclair/typebox";
import { type } from "arktype";
import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type {
  Before,
  Dialect,
  EngineEventName,
  HookScope,
  JsonObject,
  Outcome,
} from "../../src/exports/engine.ts";
import { runs } from "../generated-inputs.ts";
import { codesOf, makeEngine } from "./fixture.ts";

const call = (command: string, tool_name = "bash"): JsonObject => ({
  session_id: "s",
  tool_name,
  tool_use_id: "t",
  tool_input: { command },
});
const BASH = { bash: { args: z.object({ command: z.string() }) } };

describe("typed hooks: the Pi pattern", () => {
  it("a before hook blocks a destructive command with its reason", async () => {
    const engine = makeEngine({ tools: BASH });
    engine.beforeToolCall("bash", ({ args }) =>
      args.command.includes("rm -rf") ? { block: true, reason: "Destructive command blocked" } : undefined,
    );
    expect((await engine.dispatch("PreToolUse", call("rm -rf /"))).decision).toMatchObject({
      kind: "deny",
      reason: "Destructive command blocked",
    });
    expect((await engine.dispatch("PreToolUse", call("ls"))).decision).toEqual({ kind: "none" });
  });

  it.each([
    ["zod", z.object({ command: z.string(), count: z.number().default(3) })],
    ["valibot", v.object({ command: v.string(), count: v.optional(v.number(), 3) })],
    ["arktype", type({ command: "string", count: "number = 3" })],
  ])("a before hook sees arguments of the schema's type: %s", async (_, args) => {
    const engine = makeEngine({ tools: { bash: { args } } });
    const seen: unknown[] = [];
    engine.beforeToolCall("bash", hook => void seen.push(hook.args));
    await engine.dispatch("PreToolUse", call("ls"));
    expect(seen).toEqual([{ command: "ls", count: 3 }]);
  });

  it.each([
    ["zod", z.object({ command: z.string() })],
    ["valibot", v.object({ command: v.string() })],
    ["arktype", type({ command: "string" })],
    ["TypeBox", Type.Object({ command: Type.String() })],
    [
      "a guard",
      (value: unknown): value is { command: string } =>
        typeof value === "object" &&
        value !== null &&
        "command" in value &&
        typeof value.command === "string",
    ],
    ["an asynchronous schema", z.object({ command: z.string().refine(async () => true) })],
  ])("arguments that do not fit never reach a hook that was promised them: %s", async (_, args) => {
    const engine = makeEngine({ tools: { bash: { args } } });
    const hook = vi.fn(() => undefined);
    engine.beforeToolCall("bash", hook);
    const outcome = await engine.dispatch("PreToolUse", { tool_name: "bash", tool_input: { command: 7 } });
    expect(hook).not.toHaveBeenCalled();
    expect(outcome.decision.kind).toBe("deny");
    expect((await engine.dispatch("PreToolUse", call("ls"))).decision.kind).toBe("none");
    expect(hook).toHaveBeenCalledTimes(1);
  });

  it("an after hook adds to the details, and other fields stay", async () => {
    const engine = makeEngine();
    engine.afterToolCall("*", ({ result }) => {
      const before = result as { content: string; details: object };
      return { result: { ...before, details: { ...before.details, audited: true } } };
    });
    const tool_response = { content: "text", details: { lines: 3 } };
    const outcome = await engine.dispatch("PostToolUse", { ...call("ls"), tool_response });
    expect(outcome.output).toEqual({ content: "text", details: { lines: 3, audited: true } });
    expect(tool_response).toEqual({ content: "text", details: { lines: 3 } });
  });

  it("first block wins and stops", async () => {
    const engine = makeEngine();
    const later = vi.fn();
    engine.beforeToolCall("*", () => ({ block: true, reason: "first" }));
    engine.beforeToolCall("*", later);
    const outcome = await engine.dispatch("PreToolUse", call("ls"));
    expect(outcome.decision).toMatchObject({ reason: "first" });
    expect(outcome.runs.map(({ status }) => status)).toEqual(["blocked", "skipped"]);
    expect(later).not.toHaveBeenCalled();
  });

  it("results chain like middleware, the first hook in is the last out", async () => {
    const engine = makeEngine();
    for (const name of ["a", "b", "c"])
      engine.afterToolCall("*", ({ result }) => ({ result: `${name}(${String(result)})` }));
    expect((await engine.dispatch("PostToolUse", { ...call("ls"), tool_response: "x" })).output).toBe(
      "a(b(c(x)))",
    );
  });
});

describe("what a function sees", () => {
  it("32: cannot be changed but by returning", async () => {
    const attempt = fc.constantFrom<(args: Record<string, unknown>) => void>(
      args => {
        args["command"] = "changed";
      },
      args => {
        delete args["command"];
      },
      args => {
        args["new"] = 1;
      },
      args => {
        (args["list"] as number[]).push(4);
      },
      args => {
        (args["deep"] as { a: number }).a = 9;
      },
      args => {
        Object.setPrototypeOf(args, { polluted: true });
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(attempt, { minLength: 1, maxLength: 4 }), async attempts => {
        const engine = makeEngine();
        const tool_input = { command: "ls", list: [1, 2, 3], deep: { a: 1 } };
        const payload = { tool_name: "x", tool_input };
        const seen: unknown[] = [];
        for (const change of attempts)
          engine.beforeToolCall("*", ({ args }) => {
            seen.push(structuredClone(args));
            expect(() => change(args as Record<string, unknown>)).toThrow(TypeError);
          });
        engine.on("PreToolUse", "*", view => {
          for (const change of attempts)
            expect(() => change(view["tool_input"] as Record<string, unknown>)).toThrow(TypeError);
          expect(() => Object.assign(view, { tool_name: "y" })).toThrow(TypeError);
        });
        const outcome = await engine.dispatch("PreToolUse", payload);
        expect(outcome.runs.every(({ status }) => status === "ok")).toBe(true);
        for (const args of seen) expect(args).toEqual({ command: "ls", list: [1, 2, 3], deep: { a: 1 } });
        tool_input.command = "the host may";
        expect(payload.tool_input.command).toBe("the host may");
      }),
      { numRuns: runs(20) },
    );
  });

  it("scope tells session, directory, agent and the original input", async () => {
    const engine = makeEngine();
    const scopes: HookScope[] = [];
    engine.beforeToolCall("*", () => ({ args: { command: "new" } }));
    engine.beforeToolCall("*", (_, scope) => void scopes.push(scope));
    await engine.dispatch("PreToolUse", { ...call("old"), cwd: "/c", agent_id: "a1" });
    expect(scopes).toMatchObject([
      { sessionId: "s", cwd: "/c", agentId: "a1", original: { command: "old" } },
    ]);
  });

  it("an undeclared tool has its name, no declared tool, and its arguments as they are", async () => {
    const engine = makeEngine({ tools: BASH });
    const seen: unknown[] = [];
    engine.beforeToolCall("*", ({ name, tool, args }) => void seen.push([name, tool, args]));
    await engine.dispatch("PreToolUse", call("ls"));
    await engine.dispatch("PreToolUse", call("ls", "other"));
    await engine.dispatch("PreToolUse", { tool_name: "bash", tool_input: { command: 7 } });
    expect(seen).toEqual([
      ["bash", "bash", { command: "ls" }],
      ["other", undefined, { command: "ls" }],
      ["bash", undefined, { command: 7 }],
    ]);
  });

  it("a payload that cannot be copied fails every function, closed", async () => {
    const engine = makeEngine();
    engine.beforeToolCall("*", () => undefined);
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;
    const outcome = await engine.dispatch("PreToolUse", { tool_name: "x", tool_input: loop as JsonObject });
    expect(outcome.decision.kind).toBe("deny");
    expect(codesOf(outcome)).toEqual(["hook-threw", "fail-closed"]);
  });
});

describe("order", () => {
  it("33: is total on order and registration, and the reverse after a call", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: -2, max: 2 }), { maxLength: 8 }), async orders => {
        const engine = makeEngine();
        const before: number[] = [];
        const after: number[] = [];
        orders.forEach((order, index) => {
          engine.beforeToolCall("*", () => void before.push(index), { order });
          engine.afterToolCall("*", () => void after.push(index), { order });
        });
        await engine.dispatch("PreToolUse", call("ls"));
        await engine.dispatch("PostToolUse", { ...call("ls"), tool_response: "x" });
        const expected = orders
          .map((order, index) => ({ order, index }))
          .toSorted((left, right) => left.order - right.order || left.index - right.index)
          .map(({ index }) => index);
        expect(before).toEqual(expected);
        expect(after).toEqual(expected.toReversed());
      }),
      { numRuns: runs(40) },
    );
  });

  it("34: chained rewrites are the composition of the functions, whether they answer at once or later", async () => {
    const step = fc.record({
      add: fc.string({ maxLength: 3 }),
      isLate: fc.boolean(),
      doesRewrite: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), async steps => {
        const engine = makeEngine({ tools: BASH });
        for (const { add, isLate, doesRewrite } of steps)
          engine.beforeToolCall(
            "bash",
            ({
              args,
            }):
              | Before<{ command: string }>
              | undefined
              | Promise<Before<{ command: string }> | undefined> => {
              const said = doesRewrite ? { args: { command: args.command + add } } : undefined;
              return isLate ? Promise.resolve(said) : said;
            },
          );
        const outcome = await engine.dispatch("PreToolUse", call("x"));
        const rewrites = steps.filter(({ doesRewrite }) => doesRewrite);
        if (rewrites.length === 0) expect(outcome).not.toHaveProperty("input");
        else expect(outcome.input).toEqual({ command: `x${rewrites.map(({ add }) => add).join("")}` });
        expect(codesOf(outcome)).toEqual([]);
      }),
      { numRuns: runs(60) },
    );
  });

  it("35: one that throws leaves what every other says unchanged", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 4 }),
        fc.constantFrom("throw", "reject", "nonsense"),
        async (place, how) => {
          const run = async (isBroken: boolean): Promise<Outcome> => {
            const engine = makeEngine();
            for (let index = 0; index < 5; index++) {
              if (isBroken && index === place) {
                const broken = (): undefined => {
                  if (how === "throw") throw new Error("oops");
                  return (how === "reject"
                    ? Promise.reject(new Error("oops"))
                    : { block: "yes" }) as unknown as undefined;
                };
                engine.on("PreToolUse", "*", broken, { id: "broken", onFailure: "open" });
              }
              engine.on("PreToolUse", "*", () => ({ context: `c${index}`, args: { index } }), {
                id: `h${index}`,
              });
            }
            return engine.dispatch("PreToolUse", call("x"));
          };
          const [whole, broken] = [await run(false), await run(true)];
          const { diagnostics, runs, ...rest } = broken;
          expect(rest).toEqual({
            ...rest,
            ...Object.fromEntries(
              Object.entries(whole).filter(([key]) => !["diagnostics", "runs"].includes(key)),
            ),
          });
          expect(diagnostics.map(({ hook, code }) => [hook, code])).toEqual([
            ["broken", how === "nonsense" ? "field-type" : "hook-threw"],
          ]);
          expect(runs).toHaveLength(6);
        },
      ),
      { numRuns: runs(15) },
    );
  });
});

describe("failures of functions", () => {
  it.each<[EngineEventName, string]>([
    ["PreToolUse", "deny"],
    ["PermissionRequest", "deny"],
    ["UserPromptSubmit", "deny"],
    ["PostToolUse", "none"],
    ["Stop", "none"],
    ["SessionStart", "none"],
  ])("on %s mean %s by default", async (event, kind) => {
    const engine = makeEngine();
    engine.on(
      event,
      "*",
      () => {
        throw new RangeError("broken");
      },
      { id: "mine" },
    );
    const outcome = await engine.dispatch(event, call("x"));
    expect(outcome.decision.kind).toBe(kind);
    if (outcome.decision.kind === "deny") expect(outcome.decision.reason).toContain("mine");
    if (outcome.decision.kind === "deny") expect(outcome.decision.reason).toContain("RangeError: broken");
  });

  it("follow the handler's policy, then the engine's", async () => {
    const failing = () => {
      throw new Error("x");
    };
    const byHandler = makeEngine({ failurePolicy: { PreToolUse: "closed" } });
    byHandler.on("PreToolUse", "*", failing, { onFailure: "ask" });
    const asked = await byHandler.dispatch("PreToolUse", call("x"));
    expect(asked.decision.kind).toBe("ask");
    expect(codesOf(asked)).toEqual(["hook-threw", "fail-ask"]);
    const byEngine = makeEngine({ failurePolicy: { PreToolUse: "open" } });
    byEngine.on("PreToolUse", "*", failing);
    expect((await byEngine.dispatch("PreToolUse", call("x"))).decision.kind).toBe("none");
  });

  it("a rewrite that does not fit its tool is refused before the next function sees it", async () => {
    const engine = makeEngine({ tools: BASH });
    const seen: unknown[] = [];
    engine.beforeToolCall("*", () => ({ args: { command: 7 } }), { onFailure: "open" });
    engine.beforeToolCall("*", ({ args }) => void seen.push(args));
    const outcome = await engine.dispatch("PreToolUse", call("ls"));
    expect(codesOf(outcome)).toEqual(["rewrite-invalid"]);
    expect(outcome).not.toHaveProperty("input");
    expect(seen).toEqual([{ command: "ls" }]);
  });

  it.each([[() => 1], [new Map()], [{ a: 1n }], ["text"], [[1]]])(
    "a rewrite that is no JSON object is refused: %s",
    async args => {
      const engine = makeEngine();
      engine.on("PreToolUse", "*", () => ({ args }) as unknown as undefined);
      const outcome = await engine.dispatch("PreToolUse", call("ls"));
      expect(outcome.decision.kind).toBe("deny");
      expect(codesOf(outcome)).toContain("rewrite-invalid");
    },
  );

  it("a stray value is no opinion", async () => {
    const engine = makeEngine();
    const calls: unknown[] = [];
    engine.on("PreToolUse", "*", payload => calls.push(payload) as unknown as undefined);
    const outcome = await engine.dispatch("PreToolUse", call("ls"));
    expect(outcome.decision.kind).toBe("none");
    expect(codesOf(outcome)).toEqual(["field-type"]);
  });

  it("a block without a reason still blocks", async () => {
    const engine = makeEngine();
    engine.on("PreToolUse", "*", () => ({ block: true }) as unknown as undefined);
    const outcome = await engine.dispatch("PreToolUse", call("ls"));
    expect(outcome.decision.kind).toBe("deny");
    expect(codesOf(outcome)).toEqual(["reason-missing"]);
  });
});

describe("after a call", () => {
  it("failed calls are seen and may be rewritten", async () => {
    const engine = makeEngine({
      tools: { bash: { args: BASH.bash.args, result: z.object({ out: z.string() }) } },
    });
    const seen: unknown[] = [];
    engine.afterToolCall("bash", ({ isError, result }) => {
      seen.push([isError, result]);
      return isError ? { result: { out: "recovered" }, isError: false } : undefined;
    });
    const outcome = await engine.dispatch("PostToolUseFailure", { ...call("ls"), error: "boom" });
    expect(seen).toEqual([[true, "boom"]]);
    expect(outcome).toMatchObject({ output: { out: "recovered" }, extras: { isError: false } });
    const fine = await engine.dispatch("PostToolUse", { ...call("ls"), tool_response: { out: "x" } });
    expect(fine).not.toHaveProperty("output");
  });

  it("a result of the wrong shape is refused", async () => {
    const engine = makeEngine({
      tools: { bash: { args: BASH.bash.args, result: z.object({ out: z.string() }) } },
    });
    engine.afterToolCall("*", () => ({ result: { out: 7 } }));
    const outcome = await engine.dispatch("PostToolUse", { ...call("ls"), tool_response: { out: "x" } });
    expect(outcome).not.toHaveProperty("output");
    expect(codesOf(outcome)).toEqual(["rewrite-invalid"]);
  });

  it("feedback goes to the model and stops nobody", async () => {
    const engine = makeEngine();
    engine.afterToolCall("*", () => ({ context: "noted" }));
    engine.afterToolCall("*", () => ({ feedback: "tests are red" }));
    const outcome = await engine.dispatch("PostToolUse", { ...call("ls"), tool_response: "x" });
    expect(outcome.decision).toMatchObject({ kind: "deny", reason: "tests are red" });
    expect(outcome.context.map(({ text }) => text)).toEqual(["noted"]);
  });
});

describe("registration", () => {
  it("ends with its disposable, from the next dispatch on", async () => {
    const engine = makeEngine();
    let calls = 0;
    const registration = engine.beforeToolCall("*", () => {
      calls++;
      registration[Symbol.dispose]();
    });
    await engine.dispatch("PreToolUse", call("x"));
    await engine.dispatch("PreToolUse", call("x"));
    expect(calls).toBe(1);
    expect(engine.has("PreToolUse")).toBe(false);
  });

  it("survives a reload", async () => {
    const engine = makeEngine();
    engine.beforeToolCall("*", () => ({ block: true, reason: "mine" }));
    engine.reload([]);
    expect((await engine.dispatch("PreToolUse", call("x"))).decision.kind).toBe("deny");
  });

  it("once is once per session", async () => {
    const engine = makeEngine();
    const sessions: unknown[] = [];
    engine.on("PreToolUse", "*", ({ session_id }) => void sessions.push(session_id), { once: true });
    for (const session_id of ["a", "a", "b", "a", "b"])
      await engine.dispatch("PreToolUse", { ...call("x"), session_id });
    expect(sessions).toEqual(["a", "b"]);
  });

  it.each<[string, () => unknown]>([
    ["no function", () => makeEngine().beforeToolCall("*", "x" as unknown as () => undefined)],
    ["a timeout of zero", () => makeEngine().on("Stop", "*", () => undefined, { timeoutMs: 0 })],
    [
      "an order that is no number",
      () => makeEngine().on("Stop", "*", () => undefined, { order: Number.NaN }),
    ],
    ["a broken matcher", () => makeEngine().on("PreToolUse", "(", () => undefined)],
    ["no tool at all", () => makeEngine().beforeToolCall([] as unknown as "*", () => undefined)],
    ["a schema that is none", () => makeEngine({ tools: { x: { args: 7 as never } } })],
    [
      "a TypeBox schema JSON cannot hold",
      () => makeEngine({ tools: { x: { args: Type.Object({ when: Type.Date() }) } } }),
    ],
  ])("a mistake in the host's code throws at once: %s", (_, mistake) => {
    expect(mistake).toThrow(TypeError);
  });

  it("a function without a declared tool's name still guards that name", async () => {
    const engine = makeEngine();
    engine.beforeToolCall("bash" as unknown as "*", () => ({ block: true, reason: "no" }));
    expect((await engine.dispatch("PreToolUse", call("ls"))).decision.kind).toBe("deny");
    expect((await engine.dispatch("PreToolUse", call("ls", "read"))).decision.kind).toBe("none");
  });

  it("is listed, with what it would do when it fails", () => {
    const engine = makeEngine();
    engine.beforeToolCall("*", () => undefined, { id: "gate", timeoutMs: 50 });
    expect(engine.list()).toMatchObject([
      {
        id: "gate",
        event: "PreToolUse",
        kind: "function",
        matcher: "*",
        timeoutMs: 50,
        onFailure: "closed",
        enabled: true,
      },
    ]);
    expect(engine.preview("PreToolUse", call("x")).map(({ id }) => id)).toEqual(["gate"]);
  });
});

describe("typing mistakes do not mean yes", () => {
  it.each<[string, object]>([
    ["a member that no hook has", { blok: true, reason: "no" }],
    ["a member of another kind of hook", { feedback: "no" }],
    ["a member of an effect", { input: {} }],
    ["a halt that is none", { halt: 7 }],
    ["a message that is no text", { message: { text: "x" } }],
  ])("%s", async (_, returned) => {
    const engine = makeEngine();
    engine.beforeToolCall("*", () => returned as unknown as undefined);
    const outcome = await engine.dispatch("PreToolUse", call("ls"));
    expect(outcome.decision.kind).toBe("deny");
    expect(codesOf(outcome)).toEqual(["field-type", "fail-closed"]);
  });

  it("a member that an effect does not have", async () => {
    const engine = makeEngine();
    engine.use({ id: "typo", event: "PreToolUse", run: () => ({ desicion: { kind: "deny" } }) as object });
    expect((await engine.dispatch("PreToolUse", call("ls"))).decision.kind).toBe("deny");
  });

  it("an event that is none is refused at once, with the one that was meant", () => {
    const engine = makeEngine();
    expect(() => engine.on("PreToolUze" as "PreToolUse", "*", () => undefined)).toThrow(
      '"PreToolUze" is not an event; did you mean PreToolUse?; your own events belong in "events"',
    );
    expect(() => engine.on("Deploy" as "Stop", "*", () => undefined)).toThrow(/is not an event/);
  });

  it("an event of the host's own is one", async () => {
    const engine = makeEngine({
      events: [
        {
          name: "Deploy",
          subject: "target",
          power: "veto",
          text: "ignored",
          rewrites: [],
          timeoutMs: 1000,
          requiresTool: false,
        },
      ],
    });
    engine.on("Deploy" as "Stop", "prod", () => ({ block: true, reason: "friday" }));
    expect((await engine.dispatch("Deploy", { target: "prod" })).decision.kind).toBe("deny");
    expect((await engine.dispatch("Deploy", { target: "dev" })).decision.kind).toBe("none");
  });

  it("a misspelt event in a source is an error, an unknown one a warning", () => {
    const hooks = (event: string) => ({
      hooks: { [event]: [{ hooks: [{ type: "command", command: "true" }] }] },
    });
    const report = (event: string) =>
      makeEngine({ sources: [{ kind: "project", dialect: "claude", data: hooks(event) }] }).report;
    expect(report("PreToolUsed").errors).toMatchObject([
      { code: "handler-invalid", detail: expect.stringContaining("did you mean PreToolUse?") },
    ]);
    expect(report("SomethingOfTomorrow")).toMatchObject({
      errors: [],
      warnings: [{ code: "event-unknown" }],
    });
  });

  it.each<[Dialect, unknown]>([
    [
      "claude",
      {
        hooks: {
          PreToolUze: [
            { matcher: "Bash", hooks: [{ type: "command", command: "true", onFailure: "closed" }] },
          ],
        },
      },
    ],
    ["batuta", { hooks: [{ event: "PretoolUse", matcher: "Bash", command: "true", onFailure: "closed" }] }],
    [
      "atomcode",
      { hooks: { a: { event: "pre_tool_uze", matcher: "Bash", command: "true", onFailure: "closed" } } },
    ],
    [
      "atomcode-json",
      { hooks: { a: { event: "PreToolUze", matcher: "Bash|x", command: "true", onFailure: "closed" } } },
    ],
  ])(
    "and its hook meets its failure policy where the event that was meant happens: %s",
    async (dialect, data) => {
      const engine = makeEngine({ sources: [{ kind: "project", dialect, data }] });
      expect([engine.report.handlers, engine.list().map(({ enabled }) => enabled)]).toEqual([0, [false]]);
      const outcome = await engine.dispatch("PreToolUse", call("ls", "Bash"));
      expect(outcome.decision).toMatchObject({
        kind: "deny",
        reason: expect.stringContaining("PreToolUse was meant"),
      });
      expect(codesOf(outcome)).toEqual(["handler-invalid", "fail-closed"]);
      expect((await engine.dispatch("PreToolUse", call("ls", "Read"))).decision.kind).toBe("none");
      const open = JSON.parse(JSON.stringify(data).replace('"closed"', '"open"'));
      const lenient = makeEngine({ sources: [{ kind: "project", dialect, data: open }] });
      const passed = await lenient.dispatch("PreToolUse", call("ls", "Bash"));
      expect([passed.decision.kind, codesOf(passed)]).toEqual(["none", ["handler-invalid"]]);
    },
  );
});

describe("what a hook may say and see besides", () => {
  it("a hook may halt and tell the person", async () => {
    const engine = makeEngine();
    engine.beforeToolCall("*", () => ({ halt: "enough", message: "stopped" }), { id: "mine" });
    expect(await engine.dispatch("PreToolUse", call("ls"))).toMatchObject({
      halt: { reason: "enough", hook: "mine" },
      messages: [{ text: "stopped", hook: "mine" }],
    });
    const after = makeEngine();
    after.afterToolCall("*", () => ({ halt: true, message: "seen" }));
    expect(await after.dispatch("PostToolUse", { ...call("ls"), tool_response: "" })).toMatchObject({
      halt: {},
      messages: [{ text: "seen" }],
    });
  });

  it("the run's context, whatever it is", async () => {
    const engine = makeEngine();
    const seen: unknown[] = [];
    engine.beforeToolCall("*", (_, { context }) => void seen.push(context));
    const context = { user: "ada" };
    await engine.dispatch("PreToolUse", call("ls"), { context });
    await engine.call("x", {}, () => 1, { context });
    await engine.dispatch("PreToolUse", call("ls"));
    expect(seen).toEqual([context, context, undefined]);
  });

  it("a result that fits its schema, or it is not called", async () => {
    const engine = makeEngine({ tools: { bash: { ...BASH.bash, result: z.object({ out: z.string() }) } } });
    const hook = vi.fn();
    engine.afterToolCall("bash", hook, { id: "redactor", onFailure: "closed" });
    const outcome = await engine.dispatch("PostToolUse", { ...call("ls"), tool_response: { out: 7 } });
    expect(hook).not.toHaveBeenCalled();
    expect(outcome.output).toContain("output withheld: hook redactor");
    await engine.dispatch("PostToolUse", { ...call("ls"), tool_response: { out: "x" } });
    expect(hook).toHaveBeenCalledTimes(1);
  });

  it("hooks that are used come in the order that is asked for", async () => {
    const engine = makeEngine();
    const hook = (id: string) => ({ id, event: "PreToolUse", run: () => ({ context: id }) });
    engine.use(hook("second"), { order: 2 });
    engine.use(hook("first"), { order: 1 });
    const { context } = await engine.dispatch("PreToolUse", call("ls"));
    expect(context.map(({ text }) => text)).toEqual(["first", "second"]);
  });

  it("calls of the model are events", async () => {
    const engine = makeEngine();
    engine.on("ModelRequest", "big", () => ({ block: true, reason: "too dear" }));
    expect((await engine.dispatch("ModelRequest", { model: "big" })).decision.kind).toBe("deny");
    expect((await engine.dispatch("ModelRequest", { model: "small" })).decision.kind).toBe("none");
  });

  it("an engine closes at the end of its block", async () => {
    const engine = makeEngine();
    {
      await using used = engine;
      used.beforeToolCall("*", () => undefined);
    }
    expect((await engine.dispatch("PreToolUse", call("ls"))).aborted).toBe(true);
  });
});
