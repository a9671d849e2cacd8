import { defineCommand, FORMAT_OPTION } from "../../cli/index.ts";
import { findHead } from "../../state/index.ts";

export const headCommand = defineCommand({
  name: "head",
  summary: "print the number and the hash of the last line",
  details: `
Kept on another machine it proves later that the log was not shortened or
rewritten: amplihack audit verify --head HEAD. amplihack ship sends it along.`,
  options: { format: FORMAT_OPTION },
  forAgents: "passes",
  examples: { "amplihack audit head": "prints NUMBER:HASH" },
  async run({ options, system, terminal }) {
    const { auditPath } = await import("./audit-path.ts");
    const head = findHead(system, auditPath(system, terminal));
    if (head === undefined && options.format === "text") terminal.note("There is no line with a hash yet.\n");
    terminal.printResult(
      options.format,
      { head: head ?? null },
      head === undefined ? "" : `${head.seq}:${head.hash}\n`,
    );
    return 0;
  },
});
