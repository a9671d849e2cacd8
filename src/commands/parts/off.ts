import { defineCommand, FORMAT_OPTION } from "../../cli/index.ts";
import { PART, switchParts } from "./switch-parts.ts";

export const offCommand = defineCommand({
  name: "off",
  summary: "switch parts off",
  positionals: [PART],
  options: { format: FORMAT_OPTION },
  forAgents: "loosens",
  examples: { "amplihack parts off workflow": "switches reminders and checks off" },
  run: ({ options, positionals, ...invocation }) =>
    switchParts(invocation, options.format, { off: positionals }),
});
