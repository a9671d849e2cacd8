import { defineCommand, FORMAT_OPTION } from "../../cli/index.ts";
import { loadBuild, loadOperations } from "../../install/index.ts";
import { tellBuild } from "./build-report.ts";

export const buildCommand = defineCommand({
  name: "build",
  summary: "compile your own hooks and those of this project that you trust",
  options: { format: FORMAT_OPTION },
  forAgents: "asks",
  examples: { "amplihack hooks build": "compiles what changed and lists the hooks" },
  async run({ options, system, terminal }) {
    const { buildHooks } = await loadBuild();
    const { requireDirectories } = await loadOperations();
    return tellBuild(terminal, options.format, await buildHooks(system, requireDirectories(system)));
  },
});
