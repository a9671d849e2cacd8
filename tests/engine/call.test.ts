import { describe, expect, expectTypeOf, it, vi } from "vitest";
import { z } from "zod";
import type { CallResult, JsonObject, PendingCall } from "../../src/exports/engine.ts";
import { makeEngine } from "./fixture.ts";

const TOOLS = {
  bash: { args: z.object({ command: z.string() }), result: z.object({ stdout: z.string() }) },
  now: { args: z.object({}) },
};
const KEY = "a secret of at least thirty-two characters";
const echo = ({ command }: { command: string }) => ({ stdout: command });
const asking = () => ({ decision: "ask", reason: "really?" }) as const;

describe("a call from its beginning to its end", () => {
  it("runs the tool with what hooks made of the input, and gives what they made of the output", async () => {
    const engine = makeEngine({ tools: TOOLS });
    engine.beforeToolCall("bash", ({ args }) => ({
      args: { command: `${args.command} -l` },
      context: "before",
    }));
    engine.afterToolCall("bash", done =>
      done.isError ? undefined : { result: { stdout: done.result.stdout.toUpperCase() }, context: "after" },
    );
    const called = await engine.call("bash", { command: "ls" }, echo);
    expectTypeOf(called).toEqualTypeOf<CallResult<{ stdout: string }>>();
    expect(called).toMatchObject({
      status: "done",
      result: { stdout: "LS -L" },
      context: ["before", "after"],
    });
  });

  it("does not run what a hook refuses", async () => {
    const engine = makeEngine({ tools: TOOLS });
    engine.beforeToolCall("bash", () => ({ block: true, reason: "no" }));
    const run = vi.fn(echo);
    expect(await engine.call("bash", { command: "ls" }, run)).toMatchObject({
      status: "denied",
      reason: "no",
    });
    expect(run).not.toHaveBeenCalled();
  });

  it("does not run with arguments that do not fit, and gives the tool what the schema made of them", async () => {
    const engine = makeEngine({ tools: { wait: { args: z.object({ ms: z.coerce.number().default(5) }) } } });
    const run = vi.fn(({ ms }: { ms: number }) => ms);
    expect(await engine.call("wait", { ms: "x" }, run)).toMatchObject({ status: "denied" });
    expect(run).not.toHaveBeenCalled();
    expect(await engine.call("wait", { ms: "7" }, run)).toMatchObject({ status: "done", result: 7 });
    expect(await engine.call("wait", {}, run)).toMatchObject({ status: "done", result: 5 });
  });

  it("tells of a tool that throws, to hooks and to the agent", async () => {
    const engine = makeEngine({ tools: TOOLS });
    const seen: JsonObject[] = [];
    engine.observe("PostToolUseFailure", payload => seen.push(payload));
    const problem = new Error("disk full");
    const called = await engine.call("bash", { command: "ls" }, () => {
      throw problem;
    });
    expect(called).toMatchObject({ status: "failed", error: problem });
    expect(seen[0]).toMatchObject({ error: { message: "disk full" }, tool_input: { command: "ls" } });
  });

  it("hands on the halt, the feedback and the messages of hooks", async () => {
    const engine = makeEngine();
    engine.afterToolCall("*", () => ({ feedback: "look again" }));
    expect(await engine.call("any", {}, () => 1)).toMatchObject({ status: "done", feedback: "look again" });
    engine.use({ id: "stop", event: "PreToolUse", run: () => ({ halt: { reason: "enough" } }) });
    expect(await engine.call("any", {}, () => 1)).toMatchObject({
      status: "denied",
      reason: "enough",
      halt: { hook: "stop" },
    });
  });

  it("is refused by an engine that is closed or a signal that was aborted", async () => {
    const engine = makeEngine();
    engine.beforeToolCall("*", () => undefined);
    const run = vi.fn(() => 1);
    expect(await engine.call("x", {}, run, { signal: AbortSignal.abort() })).toMatchObject({
      status: "denied",
    });
    await engine.close();
    expect(await engine.call("x", {}, run)).toMatchObject({ status: "denied" });
    expect(run).not.toHaveBeenCalled();
  });
});

describe("values that are not JSON", () => {
  class Row {
    id = 7;
  }
  it.each<[string, unknown, unknown]>([
    ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["bytes", new Uint8Array(3), { type: "Uint8Array", bytes: 3 }],
    ["an instance", new Row(), { type: "Row", id: 7 }],
    ["a map", new Map([["a", 1]]), { type: "Map", entries: [["a", 1]] }],
    ["nothing", undefined, null],
    ["no number", Number.NaN, "NaN"],
  ])("%s passes untouched, and is described to a hook", async (_, value, described) => {
    const engine = makeEngine();
    const silent = await engine.call("x", {}, () => value);
    expect(silent.status === "done" && Object.is(silent.result, value)).toBe(true);
    const seen: unknown[] = [];
    engine.afterToolCall("*", ({ result }) => void seen.push(result));
    const watched = await engine.call("x", {}, () => value);
    expect(watched.status === "done" && Object.is(watched.result, value)).toBe(true);
    expect(seen).toEqual([described]);
  });

  it("a value that refers to itself does not end in a loop", async () => {
    const engine = makeEngine();
    const seen: unknown[] = [];
    engine.afterToolCall("*", ({ result }) => void seen.push(result));
    const value: Record<string, unknown> = { a: 1 };
    value["self"] = value;
    expect(await engine.call("x", {}, () => value)).toMatchObject({ status: "done" });
    expect(seen).toEqual([{ a: 1, self: "(refers to itself)" }]);
  });
});

describe("arguments that hooks cannot see whole", () => {
  it.each<[string, number, string]>([
    ["deep ones are seen", 1000, "seen"],
    ["deeper ones are refused", 3000, "denied"],
  ])("%s", async (_, depth, expected) => {
    const engine = makeEngine();
    engine.beforeToolCall("*", ({ args }) =>
      JSON.stringify(args).includes("bottom") ? { block: true, reason: "seen" } : undefined,
    );
    let args: object = { bottom: true };
    for (let level = 0; level < depth; level++) args = { inner: args };
    const run = vi.fn();
    const called = await engine.call("x", args, run, { id: "t1" });
    expect(called.status).toBe("denied");
    expect(called.status === "denied" && called.reason === "seen").toBe(expected === "seen");
    expect((await engine.decide("x", args)).kind).toBe("deny");
    expect(run).not.toHaveBeenCalled();
  });
});

describe("a person is asked", () => {
  it("at once, through a callback, which sees what will run", async () => {
    const engine = makeEngine({ tools: TOOLS });
    engine.beforeToolCall("bash", asking);
    engine.beforeToolCall("bash", ({ args }) => ({ args: { command: `${args.command} -l` } }));
    const shown: PendingCall[] = [];
    const answer = (isApproved: boolean) => (pending: PendingCall) => {
      shown.push(pending);
      return isApproved;
    };
    const call = (isApproved: boolean) =>
      engine.call("bash", { command: "ls" }, echo, { onAsk: answer(isApproved) });
    expect(await call(true)).toMatchObject({ status: "done", result: { stdout: "ls -l" } });
    expect(await call(false)).toMatchObject({
      status: "denied",
      reason: "Your user said no. Do not run it again, and do not try it another way.",
    });
    expect(shown[0]).toMatchObject({ tool: "bash", args: { command: "ls -l" }, reason: "really?" });
  });

  it("a callback that fails is a no", async () => {
    const engine = makeEngine();
    engine.beforeToolCall("*", asking);
    const onAsk = () => Promise.reject(new Error("no terminal"));
    expect(await engine.call("x", {}, () => 1, { onAsk })).toMatchObject({
      status: "denied",
      reason: "really? (nobody could be asked: no terminal)",
    });
  });

  it("later, in another process that has the key, without asking the hooks again", async () => {
    const first = makeEngine({ approvals: { key: KEY } });
    const second = makeEngine({ approvals: { key: KEY } });
    first.beforeToolCall("*", asking);
    const seen = vi.fn();
    second.beforeToolCall("*", seen);
    second.afterToolCall("*", () => ({ context: "after" }));
    const called = await first.call("x", { n: 1 }, () => 1, { id: "t1", sessionId: "s1" });
    if (called.status !== "pending") throw new Error(called.status);
    const stored: PendingCall = JSON.parse(JSON.stringify(called.pending));
    const resumed = await second.resume(stored, true, ({ n }: { n: number }) => n + 1);
    expect(resumed).toMatchObject({ status: "done", result: 2, id: "t1", context: ["after"] });
    expect(seen).not.toHaveBeenCalled();
    expect(await second.resume(stored, true, () => 1)).toMatchObject({
      status: "denied",
      reason: "the pending call was answered already",
    });
  });

  it.each<[string, (pending: PendingCall) => PendingCall, RegExp]>([
    ["other arguments", pending => ({ ...pending, args: { n: 2 } }), /was changed/],
    ["another tool", pending => ({ ...pending, tool: "y" }), /was changed/],
    ["a longer life", pending => ({ ...pending, expiresAt: pending.expiresAt + 1 }), /was changed/],
    ["no signature", ({ signature: _, ...rest }) => rest as PendingCall, /was changed/],
  ])("an answer to %s does not count", async (_, change, reason) => {
    const engine = makeEngine({ approvals: { key: KEY } });
    engine.beforeToolCall("*", asking);
    const called = await engine.call("x", { n: 1 }, () => 1);
    if (called.status !== "pending") throw new Error(called.status);
    const run = vi.fn();
    const resumed = await engine.resume(change(called.pending), true, run);
    expect(resumed).toMatchObject({ status: "denied", reason: expect.stringMatching(reason) });
    expect(run).not.toHaveBeenCalled();
  });

  it("an answer after its time does not count, nor does one of another key", async () => {
    const engine = makeEngine({ approvals: { key: KEY, ttlMs: 0 } });
    engine.beforeToolCall("*", asking);
    const called = await engine.call("x", {}, () => 1);
    if (called.status !== "pending") throw new Error(called.status);
    vi.useFakeTimers({ now: called.pending.expiresAt + 1, toFake: ["Date"] });
    try {
      expect(await engine.resume(called.pending, true, () => 1)).toMatchObject({ status: "denied" });
    } finally {
      vi.useRealTimers();
    }
    const other = makeEngine({ approvals: { key: `${KEY}!` } });
    expect(await other.resume(called.pending, true, () => 1)).toMatchObject({ status: "denied" });
  });

  it("arguments that JSON cannot hold cannot wait", async () => {
    const engine = makeEngine();
    engine.beforeToolCall("*", asking);
    expect(await engine.call("x", { at: new Date() }, () => 1)).toMatchObject({
      status: "denied",
      reason: expect.stringContaining("not JSON"),
    });
  });

  it("a short key is refused", () => {
    expect(() => makeEngine({ approvals: { key: "short" } })).toThrow(/at least 32 characters/);
  });
});

describe("one decision for one id", () => {
  it("an approval step and the execution share it", async () => {
    const engine = makeEngine();
    const before = vi.fn(asking);
    engine.beforeToolCall("*", before);
    const options = { id: "t1", sessionId: "s1" };
    expect(await engine.decide("x", { n: 1 }, options)).toMatchObject({ kind: "ask", reason: "really?" });
    const called = await engine.call("x", { n: 1 }, () => 1, { ...options, isApproved: true });
    expect(called).toMatchObject({ status: "done" });
    expect(before).toHaveBeenCalledTimes(1);
  });

  it("but not with other arguments, another tool or another session", async () => {
    const engine = makeEngine();
    const before = vi.fn();
    engine.beforeToolCall("*", before);
    await engine.decide("x", { n: 1 }, { id: "t1", sessionId: "s1" });
    await engine.call("x", { n: 2 }, () => 1, { id: "t1", sessionId: "s1" });
    await engine.call("y", { n: 1 }, () => 1, { id: "t1", sessionId: "s1" });
    await engine.call("x", { n: 1 }, () => 1, { id: "t1", sessionId: "s2" });
    expect(before).toHaveBeenCalledTimes(4);
  });

  it("two calls at once run the tool once, a later one runs it again", async () => {
    const engine = makeEngine();
    const run = vi.fn(async () => 1);
    const call = () => engine.call("x", {}, run, { id: "t1" });
    const [one, two] = await Promise.all([call(), call()]);
    expect(one).toBe(two);
    expect(run).toHaveBeenCalledTimes(1);
    await call();
    expect(run).toHaveBeenCalledTimes(2);
  });
});

describe("a hook that cannot check an output withholds it", () => {
  it("when it is a function that throws, and later hooks do not see it either", async () => {
    const engine = makeEngine({ tools: TOOLS });
    const seen: unknown[] = [];
    engine.afterToolCall("*", ({ result }) => {
      seen.push(result);
      return { result: { stdout: "back again" }, isError: false };
    });
    engine.afterToolCall(
      "*",
      () => {
        throw new Error("broken near SECRET");
      },
      { id: "redactor", onFailure: "closed" },
    );
    const called = await engine.call("bash", { command: "SECRET" }, echo);
    expect(called).toMatchObject({
      status: "failed",
      error: "[output withheld: hook redactor could not check it (hook-threw)]",
    });
    expect(JSON.stringify([seen, called.context, called.after?.output])).not.toContain("SECRET");
  });

  it("when it is a program that fails, whatever other programs say", async () => {
    const settings = (command: string, more: object = {}) => ({ type: "command", command, ...more });
    const output = { hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput: "leak" } };
    const engine = makeEngine({
      sources: [
        {
          kind: "project",
          dialect: "claude",
          data: {
            hooks: {
              PostToolUse: [
                {
                  hooks: [
                    settings("exit 1", { onFailure: "closed" }),
                    settings(`echo '${JSON.stringify(output)}'`),
                  ],
                },
              ],
            },
          },
        },
      ],
    });
    const called = await engine.call("x", {}, () => "secret");
    expect(called).toMatchObject({ status: "failed", error: expect.stringContaining("output withheld") });
  });

  it("open stays open", async () => {
    const engine = makeEngine();
    engine.afterToolCall("*", () => {
      throw new Error("broken");
    });
    expect(await engine.call("x", {}, () => "kept")).toMatchObject({ status: "done", result: "kept" });
  });
});
