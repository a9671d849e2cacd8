import { tool } from "@langchain/core/tools";
import {
  Command,
  INTERRUPT,
  type Interrupt,
  interrupt,
  isInterrupted,
  MemorySaver,
} from "@langchain/langgraph";
import { hookTools, type Question } from "amplihack/engine/langchain";
import { createAgent, FakeToolCallingModel, ToolMessage } from "langchain";
import { z } from "zod";
import { ask, DELETE, engine, modelReads, PUSH, pretendShell } from "./agent.ts";

const bash = tool(({ command }: { command: string }) => pretendShell(command), {
  name: "bash",
  description: "Runs a shell command.",
  schema: z.object({ command: z.string() }),
});
const model = new FakeToolCallingModel({
  toolCalls: [
    [{ name: "bash", args: { command: DELETE }, id: "call-1" }],
    [{ name: "bash", args: { command: PUSH }, id: "call-2" }],
    [],
  ],
});

const tools = hookTools(engine, [bash], { onAsk: question => interrupt(question) });
const agent = createAgent({ model, tools, checkpointer: new MemorySaver() });
const thread = { configurable: { thread_id: "thread-1" } };
let state = await agent.invoke({ messages: "Clean up and push." }, thread);
// What a hook asks about interrupts the graph; `resume: true` is a yes.
while (isInterrupted<Question>(state)) {
  const questions: Interrupt<Question>[] = state[INTERRUPT];
  const resume = questions.every(({ value }) => ask(value?.reason ?? ""));
  state = await agent.invoke(new Command({ resume }), thread);
}

for (const message of state.messages) if (ToolMessage.isInstance(message)) modelReads(message.text);
