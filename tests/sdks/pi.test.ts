import {
  type AfterToolCallContext,
  Agent,
  type AgentTool,
  type BeforeToolCallContext,
} from "@earendil-works/pi-agent-core";
import { fauxAssistantMessage, fauxToolCall, registerFauxProvider } from "@earendil-works/pi-ai";
import type { ExtensionFactory } from "@earendil-works/pi-coding-agent";
import type { Answer } from "amplihack/engine";
import { attachPiHooks, piExtension, piHooks } from "amplihack/engine/pi";
import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import { askingEngine, changingEngine, guardedEngine, newEngine, type PlainEngine, run } from "./engine.ts";

const parameters = Type.Object({ command: Type.String() });
const bash: AgentTool<typeof parameters> = {
  name: "bash",
  label: "Bash",
  description: "runs a command",
  parameters,
  execute: async (_id, args) => ({ content: [{ type: "text", text: await run(args) }], details: {} }),
};

async function play(engine: PlainEngine, command: string, answer?: Answer): Promise<string> {
  const faux = registerFauxProvider();
  faux.setResponses([
    fauxAssistantMessage(fauxToolCall("bash", { command }), { stopReason: "toolUse" }),
    fauxAssistantMessage("bye"),
  ]);
  const agent = new Agent({
    initialState: { model: faux.getModel(), tools: [bash], systemPrompt: "" },
    ...piHooks(engine, answer === undefined ? {} : { sessionId: "s", onAsk: () => answer }),
  });
  await agent.prompt("go");
  faux.unregister();
  return JSON.stringify(agent.state.messages);
}

describe("piHooks in a loop of pi-agent-core", () => {
  it("a refusal reaches the model, and the tool does not run", async () => {
    expect(await play(guardedEngine(), "rm -rf ~")).toMatch(/home/);
    expect(run).not.toHaveBeenCalled();
  });

  it("rewrites, changed results and notes reach the tool and the model", async () => {
    const messages = await play(changingEngine(), "ls");
    expect(run).toHaveBeenCalledWith({ command: "ls -l" });
    expect(messages).toContain("[redacted] ls -l");
  });

  it("a question needs an answer", async () => {
    const { engine } = askingEngine();
    expect(await play(engine, "deploy")).toContain("really?");
    expect(run).not.toHaveBeenCalled();
    expect(await play(engine, "deploy", true)).toContain("ran deploy");
  });

  it("an answer says why not, edits, and holds for the session", async () => {
    const { engine } = askingEngine();
    expect(await play(engine, "deploy", { approved: false, reason: "use staging" })).toContain("use staging");
    expect(run).not.toHaveBeenCalled();
    await play(engine, "deploy", { approved: true, args: { command: "ls" } });
    expect(run).toHaveBeenLastCalledWith({ command: "ls" });
    expect(await play(engine, "deploy", { approved: true, scope: "session" })).toContain("ran deploy");
    expect(await play(engine, "deploy", false)).toContain("ran deploy");
  });

  it("callbacks with the loop's own types are attached as they are", async () => {
    const engine = newEngine();
    attachPiHooks(engine, {
      beforeToolCall: async ({ toolCall }: BeforeToolCallContext) =>
        toolCall.name === "bash" ? { block: true, reason: "not today" } : undefined,
      afterToolCall: async ({ result }: AfterToolCallContext) => ({
        details: { ...result.details, seen: true },
      }),
    });
    expect(await play(engine, "ls")).toContain("not today");
  });
});

describe("piExtension", () => {
  it("is an extension of Pi", async () => {
    const extension: ExtensionFactory = piExtension(guardedEngine());
    const handlers = new Map<string, (event: unknown, context: unknown) => Promise<unknown>>();
    const api = { on: (event: string, handler: never) => void handlers.set(event, handler) };
    await extension(api as never);
    const context = { cwd: "/project", hasUI: false, ui: {} };
    const event = { toolCallId: "c1", toolName: "bash", input: { command: "rm -rf ~" } };
    expect(await handlers.get("tool_call")?.(event, context)).toMatchObject({ block: true });
    expect([...handlers.keys()]).toEqual(["tool_call", "tool_result"]);
  });
});
