import type { LanguageModelV2, LanguageModelV2CallOptions } from "@ai-sdk/provider-v5";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { hookTools } from "amplihack/engine/mastra";
import { z } from "zod";
import { ask, DELETE, engine, modelReads, PUSH, pretendShell } from "./agent.ts";

const bash = createTool({
  id: "bash",
  description: "Runs a shell command.",
  inputSchema: z.object({ command: z.string() }),
  outputSchema: z.object({ stdout: z.string() }),
  execute: async ({ context }) => ({ stdout: await pretendShell(context.command) }),
});

const script = [DELETE, PUSH];
const prompts: LanguageModelV2CallOptions["prompt"][] = [];
/** Mastra's own mock cannot call tools. */
const model: LanguageModelV2 = {
  specificationVersion: "v2",
  provider: "example",
  modelId: "scripted",
  supportedUrls: {},
  async doGenerate({ prompt }) {
    const toolCallId = `call-${prompts.push(prompt)}`;
    const command = script.shift();
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    if (command === undefined)
      return { content: [{ type: "text", text: "All done." }], finishReason: "stop", usage, warnings: [] };
    const input = JSON.stringify({ command });
    return {
      content: [{ type: "tool-call", toolCallId, toolName: "bash", input }],
      finishReason: "tool-calls",
      usage,
      warnings: [],
    };
  },
  doStream: () => Promise.reject(new Error("this example does not stream")),
};

const tools = hookTools(engine, { bash }, { onAsk: ({ reason }) => ask(reason) });
const agent = new Agent({ name: "worker", instructions: "", model, tools });
await agent.generate("Clean up and push.", { maxSteps: 5 });

for (const message of prompts.at(-1) ?? [])
  if (message.role === "tool")
    for (const { output } of message.content) modelReads(JSON.stringify(output.value));
