import { Agent, Runner, tool } from "@openai/agents";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents-core/testing";
import { hookTools } from "amplihack/engine/openai-agents";
import { z } from "zod";
import { ask, DELETE, engine, modelReads, PUSH, pretendShell } from "./agent.ts";

const bash = tool({
  name: "bash",
  description: "Runs a shell command.",
  parameters: z.object({ command: z.string() }),
  execute: ({ command }) => pretendShell(command),
});
const model = new ScriptedModel([
  [functionCall("bash", { command: DELETE }, { callId: "call-1" })],
  [functionCall("bash", { command: PUSH }, { callId: "call-2" })],
  [assistantMessage("All done.")],
]);

const agent = new Agent({ name: "worker", model, tools: hookTools(engine, [bash]) });
const runner = new Runner({ tracingDisabled: true });
let result = await runner.run(agent, "Clean up and push.");
// What a hook asks about interrupts the run, as the SDK's own approvals do.
while (result.interruptions.length > 0) {
  for (const interruption of result.interruptions)
    if (ask(interruption.arguments ?? "")) result.state.approve(interruption);
    else result.state.reject(interruption);
  result = await runner.run(agent, result.state);
}

for (const item of result.history)
  if (item.type === "function_call_result" && typeof item.output === "object" && "text" in item.output)
    modelReads(item.output.text);
