import { defineCommand, FORMAT_OPTION } from "../cli/command.ts";
import { version } from "../version.ts";

export const command = defineCommand({
  name: "version",
  summary: "show the version",
  group: "Look",
  options: { format: FORMAT_OPTION },
  examples: [
    { command: "amplihack version", does: "prints the name and the version" },
    {
      command: "amplihack version --format json",
      does: "adds Node, platform and the version of the hook program",
    },
  ],
  run({ options, terminal }) {
    if (options.format === "text") {
      terminal.print(`amplihack ${version}\n`);
      return 0;
    }
    terminal.printJson({
      name: "amplihack",
      version,
      node: process.versions.node,
      platform: `${process.platform}-${process.arch}`,
      hooks_version: version,
    });
    return 0;
  },
});
