import { defineCommand, defineFamily, FORMAT_OPTION, type LeafCommand } from "../cli/command.ts";
import { findPlaces } from "./plugin/places.ts";

const FORCE = { kind: "flag", summary: "also where both are there; the other is replaced" } as const;

const detect = defineCommand({
  name: "detect",
  summary: "say where amplihack's files for this project are: local, plugin or none",
  options: { format: FORMAT_OPTION },
  examples: [{ command: "amplihack mode detect", does: "prints local, plugin or none" }],
  run: async ({ options, system, terminal }) => {
    const { detectMode } = await import("../install/plugin/mode.ts");
    const mode = detectMode(findPlaces(system));
    if (options.format === "json") terminal.printJson({ mode });
    else terminal.print(`${mode}\n`);
    return 0;
  },
});

function conversion(target: "plugin" | "local", summary: string): LeafCommand {
  return defineCommand({
    name: `to-${target}`,
    summary,
    options: { force: FORCE, format: FORMAT_OPTION },
    examples: [{ command: `amplihack mode to-${target}`, does: "your own files stay where they are" }],
    run: async ({ options, system, terminal }) => {
      const { convertToLocal, convertToPlugin } = await import("../install/plugin/mode.ts");
      const convert = target === "plugin" ? convertToPlugin : convertToLocal;
      const { kept } = convert(system, findPlaces(system), options.force);
      if (options.format === "json") terminal.printJson({ success: true, mode: target, kept });
      else {
        terminal.print(
          `amplihack's files are now ${target === "plugin" ? "in a plugin" : "in this project"}\n`,
        );
        for (const path of kept) terminal.print(`  kept as it is: .claude/${path}\n`);
      }
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
  examples: [{ command: "amplihack mode detect", does: "prints local, plugin or none" }],
});
