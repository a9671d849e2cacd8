import { defineCommand, FORMAT_OPTION, option } from "../../cli/index.ts";
import { isSameJson } from "../../protocol/index.ts";

const LAYER_WIDTH = "environment".length;

export const listCommand = defineCommand({
  name: "list",
  summary: "show the settings that you, the project or the machine changed",
  options: {
    all: option.boolean("also those with their built-in value"),
    format: FORMAT_OPTION,
  },
  forAgents: "passes",
  examples: {
    "amplihack config list": "every setting that is not as built in, and where it comes from",
    "amplihack config list --all": "every setting there is",
  },
  async run({ options, system, terminal }) {
    const { effectiveConfig, shownValue } = await import("./effective.ts");
    const { loaded, settings } = effectiveConfig(system);
    for (const notice of loaded.notices) terminal.warn(`Warning: ${notice.message}\n`);
    const shown = settings.filter(({ value, builtIn }) => options.all || !isSameJson(value, builtIn));
    const layerWidth = Math.max(LAYER_WIDTH, ...shown.map(({ layer }) => layer.length));
    const width = Math.max(0, ...shown.map(({ key }) => key.length));
    const lines = shown.map(({ key, layer, value }) => {
      const line = `${key.padEnd(width)}  ${layer.padEnd(layerWidth)}  ${value === null ? "(not set)" : shownValue(value)}`;
      const { columns } = terminal;
      return columns !== undefined && line.length > columns
        ? `${line.slice(0, columns - 1)}…\n`
        : `${line}\n`;
    });
    const none = "Every setting has its built-in value. All of them: amplihack config list --all\n";
    terminal.printResult(options.format, { settings: shown }, lines.length === 0 ? none : lines.join(""));
    return 0;
  },
});
