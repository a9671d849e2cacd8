import { defineCommand, FORMAT_OPTION } from "../../cli/index.ts";
import { loadManage, loadOperations } from "../../install/index.ts";
import { resolve } from "../../system/index.ts";
import { refuseAgents, tellBuild } from "./build-report.ts";

export const addCommand = defineCommand({
  name: "add",
  summary: "copy a hook to your own and build it",
  options: { format: FORMAT_OPTION },
  positionals: [{ name: "FILE", summary: "TypeScript or JavaScript", completes: "file" }],
  forAgents: "asks",
  examples: { "amplihack hooks add ./no-friday-deploys.ts": "runs it from now on in every agent" },
  async run({ options, positionals, system, terminal }) {
    refuseAgents(system);
    const { addHook } = await loadManage();
    const { requireDirectories } = await loadOperations();
    const file = resolve(system.files.workingDirectory() ?? "/", positionals[0] ?? "");
    const { path, report } = await addHook(system, requireDirectories(system), file);
    terminal.note(`copied to ${path}\n`);
    return tellBuild(terminal, options.format, report, { path });
  },
});
