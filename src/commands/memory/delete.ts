import { defineCommand } from "../../cli/index.ts";
import { escapeControls } from "../../text/index.ts";
import { AGENT_OPTION, findOne, SESSION_OPTION, STORE_OPTIONS, withStore } from "./store-access.ts";

export const deleteCommand = defineCommand({
  name: "delete",
  summary: "forget one memory",
  details:
    "Without --session, the one outside all sessions, or the only one. Exit code 1 when there is none, or several.",
  options: { agent: AGENT_OPTION, session: SESSION_OPTION, ...STORE_OPTIONS },
  positionals: [{ name: "KEY", summary: "what it is called" }],
  forAgents: { use: "asks", writes: ["db-path"] },
  examples: { "amplihack memory delete style": "forgets it for good" },
  async run(invocation) {
    const { positionals, terminal } = invocation;
    const { format } = invocation.options;
    const [key = ""] = positionals;
    const memory = await findOne(invocation);
    const deleted = (await withStore(invocation, store => store.remove([memory]))) > 0;
    const document = {
      deleted,
      agent: memory.agent,
      session: memory.session === "" ? null : memory.session,
      key,
    };
    const text = deleted ? `Deleted ${escapeControls(key)}.\n` : "It was deleted meanwhile.\n";
    terminal.printResult(format, document, text);
    return 0;
  },
});
