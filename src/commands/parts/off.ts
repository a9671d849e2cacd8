import { defineCommand } from "../../cli/command.ts";
import { FORMAT_OPTION } from "../../cli/option.ts";
import { PART, switchParts } from "./switch-parts.ts";

export const offCommand = defineCommand({
  name: "off",
  summary: "switch parts off",
  positionals: [PART],
  options: { format: FORMAT_OPTION },
  examples: { "amplihack parts off workflow": "switches reminders and checks off" },
  run: ({ options, positionals, ...invocation }) =>
    switchParts(invocation, options.format, { off: positionals }),
});
