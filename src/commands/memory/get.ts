import { defineCommand } from "../../cli/index.ts";
import { toDocument } from "../../memory/index.ts";
import { escapeLines } from "../../text/index.ts";
import { AGENT_OPTION, findOne, SESSION_OPTION, STORE_OPTIONS } from "./store-access.ts";

export const getCommand = defineCommand({
  name: "get",
  summary: "print one memory",
  details:
    "Without --session, the one outside all sessions, or the only one. Exit code 1 when there is none, or several.",
  options: { agent: AGENT_OPTION, session: SESSION_OPTION, ...STORE_OPTIONS },
  positionals: [{ name: "KEY", summary: "what it is called" }],
  forAgents: { use: "passes", asksAbroad: "url" },
  examples: { "amplihack memory get style": "prints the text alone" },
  async run(invocation) {
    const { system, terminal } = invocation;
    const { format } = invocation.options;
    const memory = await findOne(invocation);
    // What is stored may come from anywhere; a program gets it exactly, a screen without its controls.
    const isScreen = system.stdio.isTerminal("stdout");
    const text = isScreen ? escapeLines(memory.value) : memory.value;
    terminal.printResult(format, toDocument(memory), `${text}\n`);
    return 0;
  },
});
