import { defineCommand, FORMAT_OPTION } from "../cli/index.ts";
import { version } from "../version.ts";

export const command = defineCommand({
  name: "version",
  summary: "show the version",
  group: "Look",
  options: { format: FORMAT_OPTION },
  ignoresHome: true,
  forAgents: { use: "passes", looks: [] },
  examples: {
    "amplihack version": "prints the name and the version",
    "amplihack version --format json": "adds Node, platform and the version of the hook program",
  },
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
