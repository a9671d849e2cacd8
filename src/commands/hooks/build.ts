import { defineCommand } from "../../cli/command.ts";
import { FORMAT_OPTION } from "../../cli/option.ts";
import { tellBuild } from "./build-report.ts";

export const buildCommand = defineCommand({
  name: "build",
  summary: "compile your own hooks and those of this project that you trust",
  options: { format: FORMAT_OPTION },
  examples: { "amplihack hooks build": "compiles what changed and lists the hooks" },
  async run({ options, system, terminal }) {
    const { buildHooks } = await import("../../install/user-hooks/build.ts");
    const { requireDirectories } = await import("../../install/operations.ts");
    return tellBuild(terminal, options.format, await buildHooks(system, requireDirectories(system)));
  },
});
