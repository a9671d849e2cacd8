import { defineCommand, defineFamily, FORMAT_OPTION, type LeafCommand, option } from "../cli/index.ts";
import { loadMode } from "../install/index.ts";
import { requireDirectories } from "../state/index.ts";

const FORCE = option.boolean("also where both are there; the other is replaced");

const detect = defineCommand({
  name: "detect",
  summary: "say where amplihack's files for this project are: local, plugin or none",
  options: { format: FORMAT_OPTION },
  forAgents: { use: "passes", looks: [] },
  examples: { "amplihack mode detect": "prints local, plugin or none" },
  async run({ options, system, terminal }) {
    const { detectMode } = await loadMode();
    const mode = detectMode(requireDirectories(system));
    terminal.printResult(options.format, { mode }, `${mode}\n`);
    return 0;
  },
});

function conversion(target: "plugin" | "local", summary: string): LeafCommand {
  return defineCommand({
    name: `to-${target}`,
    summary,
    options: { force: FORCE, format: FORMAT_OPTION },
    forAgents: "asks",
    examples: { [`amplihack mode to-${target}`]: "your own files stay where they are" },
    async run({ options, system, terminal }) {
      const { convertToLocal, convertToPlugin } = await loadMode();
      const convert = target === "plugin" ? convertToPlugin : convertToLocal;
      const { kept } = convert(system, requireDirectories(system), options.force);
      const lines = [
        `amplihack's files are now ${target === "plugin" ? "in a plugin" : "in this project"}`,
        ...kept.map(path => `  kept as it is: .claude/${path}`),
      ];
      terminal.printResult(options.format, { success: true, mode: target, kept }, `${lines.join("\n")}\n`);
      return 0;
    },
  });
}

export const command = defineFamily({
  name: "mode",
  summary: "keep amplihack's files in the project or in a plugin",
  group: "Set up",
  subcommands: [
    detect,
    conversion("plugin", "move amplihack's files from the project into a plugin"),
    conversion("local", "move amplihack's files from the plugin into the project"),
  ],
  examples: { "amplihack mode detect": "prints local, plugin or none" },
});
