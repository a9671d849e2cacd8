import { defineCommand } from "../../cli/command.ts";
import { toDocument } from "../../memory/memory-document.ts";
import { AGENT_OPTION, renderLine, SESSION_OPTION, STORE_OPTIONS, withReader } from "./store-access.ts";

export const listCommand = defineCommand({
  name: "list",
  summary: "list the memories of an agent",
  options: { agent: AGENT_OPTION, session: SESSION_OPTION, ...STORE_OPTIONS },
  examples: [
    { command: "amplihack memory list --agent builder", does: "lists everything of the agent builder" },
  ],
  run(invocation) {
    const { options, terminal } = invocation;
    const agent = options.agent;
    return withReader(invocation, async reader => {
      const memories = await reader.list({ agent, session: options.session }, "name");
      if (options.format === "json") terminal.printJson(memories.map(toDocument));
      else if (memories.length === 0) terminal.print("Nothing is remembered.\n");
      else terminal.print(memories.map(renderLine).join(""));
      return 0;
    });
  },
});
