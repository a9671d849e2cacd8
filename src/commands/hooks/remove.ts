import { defineCommand, FORMAT_OPTION } from "../../cli/index.ts";
import { loadManage, loadOperations } from "../../install/index.ts";
import { refuseAgents } from "./build-report.ts";

export const removeCommand = defineCommand({
  name: "remove",
  summary: "take out a hook of your own, or stop trusting one of this project",
  options: { format: FORMAT_OPTION },
  positionals: [{ name: "NAME", summary: "of the hook or of its file" }],
  forAgents: "asks",
  examples: {
    "amplihack hooks remove no-friday-deploys": "takes it out; the source is kept beside the others",
  },
  async run({ options, positionals, system, terminal }) {
    refuseAgents(system);
    const { removeHook } = await loadManage();
    const { requireDirectories } = await loadOperations();
    const { path, keptAs } = await removeHook(system, requireDirectories(system), positionals[0] ?? "");
    const told =
      keptAs === undefined ? `${path} is no longer trusted\n` : `took out ${path}; it is kept as ${keptAs}\n`;
    terminal.printResult(options.format, { success: true, path, keptAs: keptAs ?? null }, told);
    return 0;
  },
});
