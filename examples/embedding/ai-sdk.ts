import { generateText, type ModelMessage, stepCountIs, type ToolApprovalResponse, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { hookTools } from "amplihack/engine/ai-sdk";
import { z } from "zod";
import { ask, DELETE, engine, modelReads, PUSH, pretendShell } from "./agent.ts";

const bash = tool({
  description: "Runs a shell command.",
  inputSchema: z.object({ command: z.string() }),
  execute: async ({ command }) => ({ stdout: await pretendShell(command) }),
});

const script = [DELETE, PUSH];
const model = new MockLanguageModelV3({
  async doGenerate() {
    const toolCallId = `call-${script.length}`;
    const command = script.shift();
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    };
    if (command === undefined)
      return {
        content: [{ type: "text", text: "All done." }],
        finishReason: { unified: "stop", raw: undefined },
        usage,
        warnings: [],
      };
    return {
      content: [{ type: "tool-call", toolCallId, toolName: "bash", input: JSON.stringify({ command }) }],
      finishReason: { unified: "tool-calls", raw: undefined },
      usage,
      warnings: [],
    };
  },
});

const tools = hookTools(engine, { bash });
const messages: ModelMessage[] = [{ role: "user", content: "Clean up and push." }];
for (;;) {
  const { content, response } = await generateText({ model, tools, messages, stopWhen: stepCountIs(5) });
  messages.push(...response.messages);
  // What a hook asks about comes as the SDK's own approval request; the answer is a message, as always.
  const answers: ToolApprovalResponse[] = [];
  for (const part of content)
    if (part.type === "tool-approval-request") {
      const approved = ask(JSON.stringify(part.toolCall.input));
      answers.push({ type: "tool-approval-response", approvalId: part.approvalId, approved });
    }
  if (answers.length === 0) break;
  messages.push({ role: "tool", content: answers });
}

for (const { role, content } of messages)
  if (role === "tool")
    for (const part of content)
      if (part.type === "tool-result")
        modelReads(part.output.type === "error-text" ? part.output.value : JSON.stringify(part.output));
