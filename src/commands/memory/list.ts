import { defineCommand } from "../../cli/index.ts";
import { toDocument } from "../../memory/index.ts";
import { AGENT_OPTION, renderLine, SESSION_OPTION, STORE_OPTIONS, withReader } from "./store-access.ts";

export const listCommand = defineCommand({
  name: "list",
  summary: "list memories, of all agents or of one",
  options: { agent: AGENT_OPTION, session: SESSION_OPTION, ...STORE_OPTIONS },
  forAgents: { use: "passes", asksAbroad: "url" },
  examples: {
    "amplihack memory list": "lists everything",
    "amplihack memory list --agent builder": "lists everything of the agent builder",
  },
  async run(invocation) {
    const { agent, session, format } = invocation.options;
    const memories = await withReader(invocation, reader => reader.list({ agent, session }, "name"));
    const text = memories.map(renderLine).join("") || "Nothing is remembered.\n";
    invocation.terminal.printResult(format, memories.map(toDocument), text);
    return 0;
  },
});
