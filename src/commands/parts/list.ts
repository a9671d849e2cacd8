import { defineCommand, FORMAT_OPTION, option } from "../../cli/index.ts";
import { PROFILE_NAMES } from "./choice.ts";
import { switchParts } from "./switch-parts.ts";

export const listCommand = defineCommand({
  name: "list",
  summary: "show which parts are on",
  options: {
    on: option.string("PART", "switch this part on", { isRepeatable: true }),
    off: option.string("PART", "switch this part off", { isRepeatable: true }),
    profile: option.choice(PROFILE_NAMES, "the guard alone, all that changes no way of working, or all"),
    format: FORMAT_OPTION,
  },
  forAgents: {
    use: "passes",
    asksWith: ["off", "on", "profile"],
    loosensWith: ["off=guard", "off=history", "profile=guard"],
  },
  examples: { "amplihack parts list": "shows what is on; `amplihack parts` does the same" },
  run: ({ options, ...invocation }) => switchParts(invocation, options.format, options),
});
