import { defineCommand, FORMAT_OPTION } from "../../cli/index.ts";
import { PART, switchParts } from "./switch-parts.ts";

export const onCommand = defineCommand({
  name: "on",
  summary: "switch parts on",
  positionals: [PART],
  options: { format: FORMAT_OPTION },
  forAgents: "asks",
  examples: { "amplihack parts on memory transcripts": "both count from the next call of a hook on" },
  run: ({ options, positionals, ...invocation }) =>
    switchParts(invocation, options.format, { on: positionals }),
});
