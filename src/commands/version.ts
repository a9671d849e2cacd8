import { defineCommand, FORMAT_OPTION } from "../cli/command.ts";
import { version } from "../version.ts";

export const command = defineCommand({
  name: "version",
  summary: "show the version",
  group: "Look",
  options: { format: FORMAT_OPTION },
  ignoresHome: true,
  examples: [
    { command: "amplihack version", does: "prints the name and the version" },
    {
      command: "amplihack version --format json",
      does: "adds Node, platform and the version of the hook program",
    },
  ],
  run({ options, terminal }) {
    const facts = {
      name: "amplihack",
      version,
      node: process.versions.node,
      platform: `${process.platform}-${process.arch}`,
      hooks_version: version,
    };
    terminal.printResult(options.format, facts, `amplihack ${version}\n`);
    return 0;
  },
});
