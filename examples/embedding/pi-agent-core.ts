import { Agent, type AgentTool, type BeforeToolCallContext } from "@earendil-works/pi-agent-core";
import { fauxAssistantMessage, fauxToolCall, registerFauxProvider, Type } from "@earendil-works/pi-ai";
import { attachPiHooks, piHooks } from "amplihack/engine/pi";
import { ask, DELETE, engine, modelReads, PUSH, pretendShell } from "./agent.ts";

const parameters = Type.Object({ command: Type.String() });
const bash: AgentTool<typeof parameters> = {
  name: "bash",
  label: "Bash",
  description: "Runs a shell command.",
  parameters,
  execute: async (_id, { command }) => ({
    content: [{ type: "text", text: await pretendShell(command) }],
    details: {},
  }),
};
const provider = registerFauxProvider();
provider.setResponses([
  fauxAssistantMessage(fauxToolCall("bash", { command: DELETE }), { stopReason: "toolUse" }),
  fauxAssistantMessage(fauxToolCall("bash", { command: PUSH }), { stopReason: "toolUse" }),
  fauxAssistantMessage("All done."),
]);

// Callbacks that a loop has already take part as they are, as many as you like.
attachPiHooks(engine, {
  beforeToolCall: async ({ toolCall }: BeforeToolCallContext) =>
    toolCall.name === "deploy" ? { block: true, reason: "not on Fridays" } : undefined,
});

const initialState = { model: provider.getModel(), tools: [bash], systemPrompt: "" };
const agent = new Agent({ initialState, ...piHooks(engine, { onAsk: ask }) });
await agent.prompt("Clean up and push.");

for (const message of agent.state.messages)
  if (message.role === "toolResult")
    for (const part of message.content) if (part.type === "text") modelReads(part.text);
