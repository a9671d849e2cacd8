import { defineCommand } from "../../cli/command.ts";
import { toDocument } from "../../memory/memory-document.ts";
import { escapeControls } from "../../state/index.ts";
import { AGENT_OPTION, findOne, SESSION_OPTION, STORE_OPTIONS, withReader } from "./store-access.ts";

export const getCommand = defineCommand({
  name: "get",
  summary: "print one memory",
  details:
    "Without --session, the one outside all sessions, or the only one. Exit code 1 when there is none.",
  options: { agent: AGENT_OPTION, session: SESSION_OPTION, ...STORE_OPTIONS },
  positionals: [{ name: "KEY", summary: "what it is called" }],
  examples: [{ command: "amplihack memory get --agent builder style", does: "prints the text alone" }],
  run(invocation) {
    const { options, positionals, system, terminal } = invocation;
    const agent = options.agent;
    const [key = ""] = positionals;
    return withReader(invocation, async reader => {
      const memory = await findOne(reader, { agent, session: options.session, key });
      if (options.format === "json") terminal.printJson(toDocument(memory));
      else {
        // What is stored may come from anywhere; a program gets it exactly, a screen without its controls.
        const isScreen = system.stdio.isTerminal("stdout");
        const text = isScreen ? memory.value.split("\n").map(escapeControls).join("\n") : memory.value;
        terminal.print(`${text}\n`);
      }
      return 0;
    });
  },
});
