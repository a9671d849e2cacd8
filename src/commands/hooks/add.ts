import { defineCommand } from "../../cli/command.ts";
import { FORMAT_OPTION } from "../../cli/option.ts";
import { resolve } from "../../system/paths.ts";
import { refuseAgents, tellBuild } from "./build-report.ts";

export const addCommand = defineCommand({
  name: "add",
  summary: "copy a hook to your own and build it",
  options: { format: FORMAT_OPTION },
  positionals: [{ name: "FILE", summary: "TypeScript or JavaScript", completes: "file" }],
  examples: { "amplihack hooks add ./no-friday-deploys.ts": "runs it from now on in every agent" },
  async run({ options, positionals, system, terminal }) {
    refuseAgents(system);
    const { addHook } = await import("../../install/user-hooks/manage.ts");
    const { requireDirectories } = await import("../../install/operations.ts");
    const file = resolve(system.files.workingDirectory() ?? "/", positionals[0] ?? "");
    const { path, report } = await addHook(system, requireDirectories(system), file);
    terminal.note(`copied to ${path}\n`);
    return tellBuild(terminal, options.format, report, { path });
  },
});
