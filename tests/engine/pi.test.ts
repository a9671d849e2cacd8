import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  attachPiHooks,
  type PiAfterContext,
  type PiBeforeContext,
  type PiToolCall,
  piHooks,
} from "../../src/engine/adapters/pi.ts";
import type { Answer } from "../../src/engine/calls/types.ts";
import { BASH_CALL, claudeCommands, codesOf, makeEngine, source } from "./fixture.ts";

const CALL = { ...BASH_CALL, tool_name: "bash" };

describe("Pi callbacks in the engine", () => {
  it("block and reason work unchanged", async () => {
    const engine = makeEngine();
    attachPiHooks(engine, {
      beforeToolCall: async ({ toolCall, args }) => {
        const { command } = args as { command: string };
        if (toolCall.name === "bash" && command.includes("rm -rf"))
          return { block: true, reason: "Destructive command blocked" };
        return undefined;
      },
    });
    expect(
      (await engine.dispatch("PreToolUse", { ...CALL, tool_input: { command: "rm -rf /" } })).decision,
    ).toMatchObject({ kind: "deny", reason: "Destructive command blocked" });
    expect(await engine.dispatch("PreToolUse", CALL)).toMatchObject({
      decision: { kind: "none" },
      diagnostics: [],
    });
  });

  it("a block without a reason blocks", async () => {
    const engine = makeEngine();
    attachPiHooks(engine, { beforeToolCall: () => ({ block: true }) });
    expect((await engine.dispatch("PreToolUse", CALL)).decision.kind).toBe("deny");
  });

  it("a throwing guard blocks", async () => {
    const engine = makeEngine();
    attachPiHooks(engine, { beforeToolCall: () => Promise.reject(new Error("x")) });
    expect((await engine.dispatch("PreToolUse", CALL)).decision.kind).toBe("deny");
  });

  it("arguments changed in place are a rewrite, and the host's own stay as they are", async () => {
    const engine = makeEngine();
    attachPiHooks(engine, {
      beforeToolCall: ({ args }) => {
        (args as { command: string }).command = "changed";
      },
    });
    const payload = { ...CALL, tool_input: { command: "ls" } };
    expect((await engine.dispatch("PreToolUse", payload)).input).toEqual({ command: "changed" });
    expect(payload.tool_input).toEqual({ command: "ls" });
  });

  it("details are replaced, other fields unchanged", async () => {
    const engine = makeEngine();
    attachPiHooks(engine, {
      afterToolCall: async ({ result }) => ({ details: { ...(result.details as object), audited: true } }),
    });
    const tool_response = { content: [{ type: "text", text: "out" }], details: { lines: 1 } };
    const outcome = await engine.dispatch("PostToolUse", { ...CALL, tool_response });
    expect(outcome.output).toEqual({
      content: [{ type: "text", text: "out" }],
      details: { lines: 1, audited: true },
    });
  });

  it("an error flag is replaced, and an after hook that throws harms nobody", async () => {
    const engine = makeEngine();
    attachPiHooks(engine, { afterToolCall: () => ({ isError: true }) });
    attachPiHooks(engine, {
      afterToolCall: () => {
        throw new Error("x");
      },
    });
    const outcome = await engine.dispatch("PostToolUse", {
      ...CALL,
      tool_response: { content: [], details: {} },
    });
    expect(outcome.extras).toEqual({ isError: true });
    expect(codesOf(outcome)).toEqual(["hook-threw"]);
  });

  it("end with their disposable", async () => {
    const engine = makeEngine();
    attachPiHooks(engine, {
      beforeToolCall: () => ({ block: true, reason: "x" }),
      afterToolCall: () => ({ isError: true }),
    })[Symbol.dispose]();
    expect(engine.has("PreToolUse")).toBe(false);
    expect(engine.has("PostToolUse")).toBe(false);
  });
});

describe("the engine in a Pi loop", () => {
  const callOf = (command: string): PiBeforeContext & { args: { command: string } } => ({
    toolCall: { id: "t", name: "bash" },
    args: { command },
    assistantMessage: { role: "assistant" },
    context: { messages: [] },
  });

  it("a command hook's deny blocks the call", async () => {
    const engine = makeEngine({
      sources: [source("claude", claudeCommands("PreToolUse", ["echo no >&2; exit 2"], "bash"))],
    });
    expect(await piHooks(engine, { sessionId: "s", cwd: "/" }).beforeToolCall(callOf("ls"))).toEqual({
      block: true,
      reason: "no",
    });
  });

  it("a rewrite changes the very object the loop will use", async () => {
    const engine = makeEngine();
    engine.beforeToolCall("*", () => ({ args: { command: "safe" } }));
    const call = callOf("unsafe");
    expect(await piHooks(engine).beforeToolCall(call)).toBeUndefined();
    expect(call.args).toEqual({ command: "safe" });
  });

  it("asking refuses unless somebody agrees", async () => {
    const engine = makeEngine();
    engine.beforeToolCall("*", () => ({ decision: "ask", reason: "sure?" }));
    expect(await piHooks(engine).beforeToolCall(callOf("ls"))).toEqual({ block: true, reason: "sure?" });
    const asked: string[] = [];
    const onAsk = (reason: string) => asked.push(reason) > 0;
    expect(await piHooks(engine, { onAsk }).beforeToolCall(callOf("ls"))).toBeUndefined();
    expect(asked).toEqual(["sure?"]);
  });

  describe("an answer", () => {
    /** Asks about every command but `ls`, and refuses `rm`. */
    const asking = () => {
      const engine = makeEngine();
      engine.beforeToolCall("*", ({ args }) => {
        const { command } = args as { command: string };
        if (command.startsWith("rm")) return { block: true, reason: "never" };
        return command === "ls" ? undefined : { decision: "ask", reason: `run ${command}?` };
      });
      return engine;
    };
    const answering = (answers: readonly Answer[]) => {
      const asked: unknown[] = [];
      const onAsk = (reason: string, { arguments: args }: PiToolCall) =>
        answers[asked.push([reason, args]) - 1] ?? false;
      return { asked, loop: { sessionId: "s", onAsk } };
    };
    const REFUSED = "Your user said no. Do not run it again, and do not try it another way.";

    it.each<[string, Answer[], string | undefined, string]>([
      ["says why not", [{ approved: false, reason: "use staging" }], "use staging", "deploy"],
      ["says no and nothing else", [{ approved: false }], REFUSED, "deploy"],
      ["is no yes by being an object", [{} as Answer], REFUSED, "deploy"],
      ["edits to what may run", [{ approved: true, args: { command: "ls" } }], undefined, "ls"],
      ["edits to what is refused", [{ approved: true, args: { command: "rm x" } }], "never", "deploy"],
      [
        "edits to what is asked about",
        [{ approved: true, args: { command: "plan" } }, true],
        undefined,
        "plan",
      ],
      ["edits, then says no", [{ approved: true, args: { command: "plan" } }, false], REFUSED, "deploy"],
    ])("%s", async (_name, answers, reason, runs) => {
      const { asked, loop } = answering(answers);
      const call = callOf("deploy");
      const blocked = reason === undefined ? undefined : { block: true, reason };
      expect(await piHooks(asking(), loop).beforeToolCall(call)).toEqual(blocked);
      expect(call.args).toEqual({ command: runs });
      expect(asked).toHaveLength(answers.length);
      expect(asked[0]).toEqual(["run deploy?", { command: "deploy" }]);
    });

    it("holds for this very call in its session, whichever way the engine is called", async () => {
      const engine = asking();
      const { asked, loop } = answering([{ approved: true, scope: "session" }]);
      const hooks = piHooks(engine, loop);
      expect(await hooks.beforeToolCall(callOf("deploy"))).toBeUndefined();
      expect(await hooks.beforeToolCall(callOf("deploy"))).toBeUndefined();
      expect(await engine.decide("bash", { command: "deploy" }, { sessionId: "s" })).toMatchObject({
        kind: "run",
      });
      expect(asked).toHaveLength(1);
      expect(await hooks.beforeToolCall(callOf("deploy --prod"))).toMatchObject({ block: true });
      const other = piHooks(engine, { ...loop, sessionId: "t" });
      expect(await other.beforeToolCall(callOf("deploy"))).toMatchObject({ block: true });
    });

    it("is asked for again when the model uses an id twice", async () => {
      const { asked, loop } = answering([true, true]);
      const hooks = piHooks(asking(), loop);
      await hooks.beforeToolCall(callOf("deploy"));
      await hooks.beforeToolCall(callOf("deploy"));
      expect(asked).toHaveLength(2);
    });

    it("runs what the person was shown, not what the arguments became meanwhile", async () => {
      const call = callOf("deploy");
      const onAsk = () => {
        call.args.command = "rm -rf ~";
        return true;
      };
      expect(await piHooks(asking(), { onAsk }).beforeToolCall(call)).toBeUndefined();
      expect(call.args).toEqual({ command: "deploy" });
    });

    it("that edits is held against the schema of the tool", async () => {
      const engine = makeEngine({ tools: { bash: { args: z.object({ command: z.string() }) } } });
      engine.beforeToolCall("bash", () => ({ decision: "ask", reason: "sure?" }));
      const { loop } = answering([{ approved: true, args: { command: 1 } }, true]);
      expect(await piHooks(engine, loop).beforeToolCall(callOf("ls"))).toMatchObject({
        block: true,
        reason: expect.stringContaining("does not match its schema"),
      });
    });
  });

  it("a halt after a call ends the batch too", async () => {
    const engine = makeEngine();
    engine.afterToolCall("*", () => ({ halt: "enough" }));
    const call = { toolCall: { id: "1", name: "bash" }, args: {}, result: { content: [] }, isError: false };
    expect(await piHooks(engine).afterToolCall(call)).toEqual({ terminate: true });
  });

  it("a halt ends the batch", async () => {
    const engine = makeEngine({
      sources: [
        source("claude", claudeCommands("PreToolUse", [`echo '{"continue":false,"stopReason":"enough"}'`])),
      ],
    });
    expect(await piHooks(engine).beforeToolCall(callOf("ls"))).toEqual({
      block: true,
      reason: "enough",
      terminate: true,
    });
  });

  it("attached callbacks see the loop's own context", async () => {
    const engine = makeEngine();
    const seen: unknown[] = [];
    attachPiHooks(engine, {
      beforeToolCall: ({ assistantMessage, context }) => void seen.push(assistantMessage, context),
    });
    await piHooks(engine).beforeToolCall(callOf("ls"));
    expect(seen).toEqual([{ role: "assistant" }, { messages: [] }]);
  });

  it("results are overridden field by field, and context and feedback reach the model", async () => {
    const engine = makeEngine();
    const call: PiAfterContext = {
      ...callOf("ls"),
      result: { content: [{ type: "text", text: "out" }], details: { a: 1 } },
      isError: false,
    };
    expect(await piHooks(engine).afterToolCall(call)).toBeUndefined();
    engine.afterToolCall("*", () => ({ context: "noted", feedback: "look again" }));
    expect(await piHooks(engine).afterToolCall(call)).toEqual({
      content: [
        { type: "text", text: "out" },
        { type: "text", text: "noted" },
        { type: "text", text: "look again" },
      ],
    });
    attachPiHooks(engine, { afterToolCall: () => ({ details: { b: 2 } }) });
    expect(await piHooks(engine).afterToolCall(call)).toMatchObject({ details: { b: 2 } });
  });

  it("an abort of the loop reaches the hooks", async () => {
    const engine = makeEngine({ sources: [source("claude", claudeCommands("PreToolUse", ["sleep 300"]))] });
    expect(await piHooks(engine).beforeToolCall(callOf("ls"), AbortSignal.abort())).toEqual({
      block: true,
      reason: "aborted",
    });
  });
});
