import { defineCommand, FORMAT_OPTION } from "../../cli/index.ts";
import { memberAt } from "../../protocol/index.ts";
import { SETTING_OR_SECTION } from "./key.ts";

export const getCommand = defineCommand({
  name: "get",
  summary: "print the value of one setting as it counts here",
  details: "A section, a list or an object is printed as JSON, and null is what has no value.",
  options: { format: FORMAT_OPTION },
  positionals: [SETTING_OR_SECTION],
  forAgents: "passes",
  examples: {
    "amplihack config get guard.level": "prints relaxed, standard or strict",
    "amplihack config get history": "prints the whole section",
  },
  async run({ options, positionals, system, terminal }) {
    const { effectiveConfig, shownValue } = await import("./effective.ts");
    const { findSetting } = await import("./setting.ts");
    const { loaded, file, settings } = effectiveConfig(system);
    const [key = ""] = positionals;
    const { path } = findSetting(
      key,
      loaded.config.guard.custom.map(({ id }) => id),
    );
    for (const notice of loaded.notices) terminal.warn(`Warning: ${notice.message}\n`);
    const value = memberAt(file, ...path) ?? null;
    const layer = settings.find(setting => setting.key === key)?.layer ?? null;
    terminal.printResult(options.format, { key, value, layer }, `${shownValue(value)}\n`);
    return 0;
  },
});
