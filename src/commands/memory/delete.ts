import { defineCommand } from "../../cli/command.ts";
import { escapeControls } from "../../state/index.ts";
import {
  AGENT_OPTION,
  findOne,
  SESSION_OPTION,
  STORE_OPTIONS,
  withReader,
  withStore,
} from "./store-access.ts";

export const deleteCommand = defineCommand({
  name: "delete",
  summary: "forget one memory",
  details:
    "Without --session, the one outside all sessions, or the only one. Exit code 1 when there is none.",
  options: { agent: AGENT_OPTION, session: SESSION_OPTION, ...STORE_OPTIONS },
  positionals: [{ name: "KEY", summary: "what it is called" }],
  examples: [{ command: "amplihack memory delete --agent builder style", does: "forgets it for good" }],
  async run(invocation) {
    const { options, positionals, terminal } = invocation;
    const agent = options.agent;
    const [key = ""] = positionals;
    const memory = await withReader(invocation, reader =>
      findOne(reader, { agent, session: options.session, key }),
    );
    return withStore(invocation, async store => {
      const isDeleted = (await store.remove([memory])) > 0;
      const session = memory.session === "" ? null : memory.session;
      if (options.format === "json") terminal.printJson({ deleted: isDeleted, agent, session, key });
      else terminal.print(isDeleted ? `Deleted ${escapeControls(key)}.\n` : "It was deleted meanwhile.\n");
      return 0;
    });
  },
});
