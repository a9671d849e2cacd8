import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { hookTools } from "amplihack/engine/mastra";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { askingEngine, changingEngine, guardedEngine, newEngine, run } from "./engine.ts";

const bash = createTool({
  id: "bash",
  description: "runs a command",
  inputSchema: z.object({ command: z.string() }),
  outputSchema: z.object({ stdout: z.string() }),
  execute: async ({ context }) => ({ stdout: await run(context) }),
});

/** A model of the second interface that Mastra takes, as the SDK's own mock is, which needs packages of its own. */
type Model = ConstructorParameters<typeof Agent>[0]["model"];

function model(command: string): Model {
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  let isCalled = false;
  const answer = () => {
    const call = {
      type: "tool-call",
      toolCallId: "c1",
      toolName: "bash",
      input: JSON.stringify({ command }),
    };
    const content = isCalled ? { type: "text", text: "bye" } : call;
    const finishReason = isCalled ? "stop" : "tool-calls";
    isCalled = true;
    return { content: [content], finishReason, usage, warnings: [] };
  };
  const stream = () => {
    const { content, finishReason } = answer();
    const parts = content.flatMap((part): object[] =>
      part.type === "text"
        ? [
            { type: "text-start", id: "t" },
            { type: "text-delta", id: "t", delta: "bye" },
            { type: "text-end", id: "t" },
          ]
        : [part],
    );
    const all = [{ type: "stream-start", warnings: [] }, ...parts, { type: "finish", finishReason, usage }];
    return new ReadableStream({
      start(controller) {
        for (const part of all) controller.enqueue(part);
        controller.close();
      },
    });
  };
  const scripted = {
    specificationVersion: "v2",
    provider: "test",
    modelId: "scripted",
    supportedUrls: {},
    doGenerate: async () => answer(),
    doStream: async () => ({ stream: stream() }),
  };
  return scripted as unknown as Model;
}

async function play(tools: { bash: typeof bash }, command: string): Promise<string> {
  const agent = new Agent({ name: "a", instructions: "", model: model(command), tools });
  const { steps } = await agent.generate("go", { maxSteps: 3 });
  return JSON.stringify(steps);
}

describe("hookTools", () => {
  it("a refusal reaches the model, and the tool does not run", async () => {
    expect(await play(hookTools(guardedEngine(), { bash }), "rm -rf ~")).toMatch(/home/);
    expect(run).not.toHaveBeenCalled();
  });

  it("rewrites and changed results reach the tool and the model", async () => {
    expect(await play(hookTools(changingEngine(), { bash }), "ls")).toContain("[redacted] ls -l");
    expect(run).toHaveBeenCalledWith({ command: "ls -l" });
  });

  it("arguments of a hook that do not fit the tool are not used", async () => {
    const engine = newEngine();
    engine.beforeToolCall("*", () => ({ args: { command: 7 } }));
    expect(await play(hookTools(engine, { bash }), "ls")).toContain("do not match its schema");
    expect(run).not.toHaveBeenCalled();
  });

  it("a question needs an answer", async () => {
    const { engine } = askingEngine();
    await play(hookTools(engine, { bash }), "deploy");
    expect(run).not.toHaveBeenCalled();
    await play(hookTools(engine, { bash }, { onAsk: () => true }), "deploy");
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("keeps the types and the class of the tools", () => {
    const { bash: hooked } = hookTools(newEngine(), { bash });
    hooked satisfies typeof bash;
    expect(hooked).toBeInstanceOf(bash.constructor);
  });
});
