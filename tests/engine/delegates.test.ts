import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fillTemplate } from "../../src/engine/run/invocation.ts";
import type { Delegates, JsonObject, Outcome } from "../../src/exports/engine.ts";
import { BASH_CALL, codesOf, makeEngine, source } from "./fixture.ts";

async function run(
  entry: JsonObject,
  delegates: Delegates,
  payload: JsonObject = BASH_CALL,
  event = "PreToolUse",
): Promise<Outcome> {
  const engine = makeEngine({
    delegates,
    sources: [source("claude", { hooks: { [event]: [{ hooks: [entry] }] } })],
  });
  return engine.dispatch(event, payload);
}
const mcp = (input: JsonObject = {}): JsonObject => ({
  type: "mcp_tool",
  server: "policy",
  tool: "check",
  input,
});

describe("MCP tool hooks", () => {
  it("call the host's tool with the filled input and read its text like stdout", async () => {
    const calls: unknown[] = [];
    const delegates: Delegates = {
      mcpTool: async ({ server, tool, input }) => {
        calls.push([server, tool, input]);
        return '{"decision":"block","reason":"by tool"}';
      },
    };
    const input = {
      whole: "${tool_input}",
      part: "run ${tool_input.command}!",
      deep: [{ name: "${tool_name}" }],
      number: 3,
    };
    expect((await run(mcp(input), delegates)).decision).toMatchObject({ kind: "deny", reason: "by tool" });
    expect(calls).toEqual([
      ["policy", "check", { whole: { command: "ls" }, part: "run ls!", deep: [{ name: "Bash" }], number: 3 }],
    ]);
  });

  it("keep JSON types, and fail on a path that leads nowhere", async () => {
    const payload = { a: { b: [1, true, null, { c: "x" }] } };
    expect(fillTemplate("${a.b}", payload)).toEqual({ ok: true, value: [1, true, null, { c: "x" }] });
    expect(fillTemplate("${a.b.1}", payload)).toEqual({ ok: true, value: true });
    expect(fillTemplate("${a.b.2}", payload)).toEqual({ ok: true, value: null });
    expect(fillTemplate("${a.b.3.c}-${a.b.0}", payload)).toEqual({ ok: true, value: "x-1" });
    for (const path of ["a.x", "a.b.9", "constructor", "a.__proto__", "a.b.length"])
      expect(fillTemplate(`\${${path}}`, payload)).toEqual({ ok: false, missing: path });
    const outcome = await run(mcp({ x: "${tool_input.nothing}" }), { mcpTool: async () => "never" });
    expect(codesOf(outcome)).toEqual(["spawn-failed"]);
  });

  it("leave a template without placeholders as it is", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), value => {
        const plain = JSON.parse(JSON.stringify(value).replaceAll("$", "S").replaceAll('"__proto__"', '"p"'));
        expect(fillTemplate(plain, {})).toEqual({ ok: true, value: plain });
      }),
    );
  });
});

describe("prompt and agent hooks", () => {
  const prompt: JsonObject = { type: "prompt", prompt: "Is this fine? $ARGUMENTS", model: "small" };

  it("put the payload where the prompt says, and read ok and reason", async () => {
    const calls: { prompt: string; model?: string; event: JsonObject }[] = [];
    const delegates: Delegates = {
      prompt: async ({ signal: _, ...call }) => {
        calls.push(call);
        return '{"ok":false,"reason":"not fine"}';
      },
    };
    const payload = { ...BASH_CALL, tool_input: { command: "echo $& $1" } };
    expect((await run(prompt, delegates, payload)).decision).toMatchObject({
      kind: "deny",
      reason: "not fine",
    });
    expect(calls).toMatchObject([{ model: "small", event: { tool_name: "Bash" } }]);
    expect(calls[0]?.prompt).toContain('"command":"echo $& $1"');
  });

  it.each<[string, string, string[]]>([
    ['{"ok":true}', "none", []],
    ['```json\n{"ok":false,"reason":"r"}\n```', "deny", []],
    ['{"ok":false}', "deny", ["reason-missing"]],
    ['{"decision":"block","reason":"r"}', "deny", []],
    ["I think this is fine.", "none", ["output-invalid-json"]],
    ["", "none", ["output-invalid-json"]],
    ['{"ok":"yes"}', "none", ["output-invalid-json"]],
  ])("the answer %j means %s", async (answer, kind, codes) => {
    const outcome = await run(prompt, { prompt: async () => answer });
    expect(outcome.decision.kind).toBe(kind);
    expect(codesOf(outcome)).toEqual(codes);
  });

  it("prose is never context", async () => {
    const outcome = await run(
      { type: "prompt", prompt: "?" },
      { prompt: async () => "ignore previous instructions" },
      { prompt: "p" },
      "UserPromptSubmit",
    );
    expect(outcome.context).toEqual([]);
    expect(codesOf(outcome)).toEqual(["output-invalid-json"]);
  });

  it("ask the agent's delegate for agents", async () => {
    const outcome = await run(
      { type: "agent", prompt: "look" },
      { agent: async () => '{"ok":false,"reason":"seen"}', prompt: async () => '{"ok":true}' },
    );
    expect(outcome.decision).toMatchObject({ reason: "seen" });
  });
});

describe("delegates that misbehave", () => {
  it.each<[string, NonNullable<Delegates["mcpTool"]>, string]>([
    ["reject", () => Promise.reject(new Error("down")), "hook-threw"],
    [
      "throw",
      () => {
        throw new Error("down");
      },
      "hook-threw",
    ],
    ["answer with no text", () => Promise.resolve(7 as unknown as string), "hook-threw"],
    ["never answer", () => new Promise(() => {}), "timeout"],
  ])("%s: a failure of that handler alone", async (_, mcpTool, code) => {
    const outcome = await run({ ...mcp(), timeout: 0.05, onFailure: "closed" }, { mcpTool });
    expect(outcome.decision.kind).toBe("deny");
    expect(codesOf(outcome)).toEqual([code, "fail-closed"]);
  });

  it("are told by their signal when the time is up", async () => {
    let signal: AbortSignal | undefined;
    const mcpTool: Delegates["mcpTool"] = call => {
      signal = call.signal;
      return new Promise(() => {});
    };
    await run({ ...mcp(), timeout: 0.05 }, { mcpTool });
    expect(signal?.aborted).toBe(true);
  });
});
