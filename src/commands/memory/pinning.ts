import { defineCommand } from "../../cli/index.ts";
import { toDocument } from "../../memory/index.ts";
import { escapeControls } from "../../text/index.ts";
import {
  AGENT_OPTION,
  findOne,
  SESSION_OPTION,
  SHARED_STORE,
  STORE_OPTIONS,
  withStore,
} from "./store-access.ts";

/** The commands that pin a memory and that take the pin away. */
export function definePinning(name: string, isPinned: boolean, summary: string) {
  return defineCommand({
    name,
    summary,
    details:
      "A pinned memory counts where it counted before: in its project, or in every project. It is never dropped unasked.",
    options: { agent: AGENT_OPTION, session: SESSION_OPTION, ...STORE_OPTIONS },
    positionals: [{ name: "KEY", summary: "what it is called" }],
    forAgents: { use: "passes", asksWith: SHARED_STORE, isGivenTexts: true, writes: ["db-path"] },
    examples: { [`amplihack memory ${name} style`]: summary },
    async run(invocation) {
      const { positionals, terminal } = invocation;
      const { format } = invocation.options;
      const [key = ""] = positionals;
      const memory = await findOne(invocation);
      await withStore(invocation, store => store.pin([memory], isPinned));
      const text = `${isPinned ? "Pinned" : "Unpinned"} ${escapeControls(key)}.\n`;
      terminal.printResult(format, { ...toDocument(memory), pinned: isPinned }, text);
      return 0;
    },
  });
}
