import { defineCommand, option } from "../../cli/index.ts";
import { rankByWords, toDocument } from "../../memory/index.ts";
import { AGENT_OPTION, renderLine, SESSION_OPTION, STORE_OPTIONS, withReader } from "./store-access.ts";

const SHOWN = 10;

export const searchCommand = defineCommand({
  name: "search",
  summary: "find memories by words",
  details:
    'Every word counts, rare ones more; of equals the more recent or more used comes first. Other forms, parts of names and one wrong letter are found; "words in quotation marks" must occur as they stand.',
  options: {
    agent: AGENT_OPTION,
    session: SESSION_OPTION,
    limit: option.number("N", `how many at most (${SHOWN} by default)`, { minimum: 1 }),
    ...STORE_OPTIONS,
  },
  positionals: [{ name: "WORDS", summary: "what to look for", isVariadic: true }],
  forAgents: { use: "passes", asksAbroad: "url" },
  examples: { "amplihack memory search database timeout": "shows the best matches of all agents" },
  async run(invocation) {
    const { options, positionals, rest, system, terminal } = invocation;
    const { agent, session } = options;
    const words = [...positionals, ...rest].join(" ");
    const limit = Math.floor(options.limit ?? SHOWN);
    const found = await withReader(
      invocation,
      reader => rankByWords(reader, words, { agent, session }, { limit, nowMs: system.clock.nowMs() }),
      message => terminal.warn(`${message}\n`),
    );
    const lines = found.map(({ memory, relevance }) => `${relevance.toFixed(2)}  ${renderLine(memory)}`);
    const documents = found.map(({ memory, relevance }) => ({
      ...toDocument(memory),
      relevance: Number(relevance.toFixed(4)),
    }));
    terminal.printResult(options.format, documents, lines.join("") || "Nothing was found.\n");
    return 0;
  },
});
