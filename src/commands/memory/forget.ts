import { defineCommand, option } from "../../cli/index.ts";
import { type Memory, type MemoryReader, readQuery } from "../../memory/index.ts";
import {
  AGENT_OPTION,
  confirmDeletion,
  renderLine,
  STORE_OPTIONS,
  withoutValue,
  withReader,
  withStore,
} from "./store-access.ts";

/** More than these are not what somebody means by a few words. */
const MAX_FORGOTTEN = 50;

export const forgetCommand = defineCommand({
  name: "forget",
  summary: "delete memories by key, by id or by words, after a question",
  details: [
    "A key or an id means the memories of exactly that name, of all agents and sessions. Anything else means those that",
    "have all of the words. What matches is shown first; nothing is deleted without a yes, or --yes.",
  ].join("\n"),
  options: { agent: AGENT_OPTION, yes: option.boolean("do not ask", { short: "y" }), ...STORE_OPTIONS },
  positionals: [{ name: "WORDS", summary: "a key, an id, or words", isVariadic: true }],
  forAgents: { use: "asks", writes: ["db-path"] },
  examples: {
    "amplihack memory forget payment sandbox": "shows memories with both words, and asks",
    "amplihack memory forget learned/3f2a90bb12cd34ef --yes": "deletes the one of that key",
  },
  async run(invocation) {
    const { options, positionals, rest, terminal } = invocation;
    const words = [...positionals, ...rest].join(" ");
    const found = await withReader(invocation, reader => findFitting(reader, words, options.agent));
    const matched = found.length;
    if (options.format === "text") terminal.print(found.map(renderLine).join(""));
    const isAgreed = matched > 0 && (options.yes || confirmDeletion(invocation, matched, "--yes"));
    const deleted = isAgreed ? await withStore(invocation, store => store.remove(found)) : 0;
    const text =
      matched === 0
        ? "No memory matches.\n"
        : deleted === 0
          ? "Nothing was deleted.\n"
          : `Deleted ${deleted}.\n`;
    terminal.printResult(options.format, { matched, deleted, memories: found.map(withoutValue) }, text);
    return matched === 0 ? 1 : 0;
  },
});

async function findFitting(
  reader: MemoryReader,
  words: string,
  agent: string | undefined,
): Promise<readonly Memory[]> {
  for (const name of [{ key: words }, { id: words }]) {
    const found = await reader.list({ agent, ...name }, "name");
    if (found.length > 0) return found;
  }
  const { any, all } = readQuery(words);
  const found = await reader.search({ any, all: [...all, ...any] }, { agent }, MAX_FORGOTTEN);
  return found.map(({ memory }) => memory);
}
