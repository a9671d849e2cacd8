import { defineCommand } from "../../cli/command.ts";
import { toDocument } from "../../memory/memory-document.ts";
import { rankCandidates } from "../../memory/ranking.ts";
import { searchPhrases } from "../../memory/search-words.ts";
import { renderLine, SESSION_OPTION, STORE_OPTIONS, withReader } from "./store-access.ts";

const SHOWN = 10;
/** What recency may lift above a better fit of words. */
const CANDIDATES_EACH = 10;

export const searchCommand = defineCommand({
  name: "search",
  summary: "find memories by words",
  details:
    "Every word counts, rare ones more; of equals the more recent comes first. No operators, any text will do.",
  options: {
    agent: { kind: "string", label: "NAME", summary: "only those of this agent" },
    session: SESSION_OPTION,
    limit: { kind: "number", label: "N", summary: `how many at most (${SHOWN} by default)`, minimum: 1 },
    ...STORE_OPTIONS,
  },
  positionals: [{ name: "WORDS", summary: "what to look for", isVariadic: true }],
  examples: [
    { command: "amplihack memory search database timeout", does: "shows the best matches of all agents" },
  ],
  run(invocation) {
    const { options, positionals, rest, system, terminal } = invocation;
    const phrases = searchPhrases([...positionals, ...rest].join(" "));
    const limit = Math.floor(options.limit ?? SHOWN);
    return withReader(invocation, async reader => {
      const { agent, session } = options;
      const candidates = await reader.search(phrases, { agent, session }, limit * CANDIDATES_EACH);
      const found = rankCandidates(candidates, system.clock.nowMs(), limit);
      if (options.format === "json") {
        terminal.printJson(
          found.map(({ memory, relevance }) => ({
            ...toDocument(memory),
            relevance: Number(relevance.toFixed(4)),
          })),
        );
      } else if (found.length === 0) terminal.print("Nothing was found.\n");
      else
        terminal.print(
          found.map(({ memory, relevance }) => `${relevance.toFixed(2)}  ${renderLine(memory)}`).join(""),
        );
      return 0;
    });
  },
});
