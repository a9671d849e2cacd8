import { defineCommand, FORMAT_OPTION, option } from "../../cli/index.ts";
import { loadManage, loadOperations } from "../../install/index.ts";
import { refuseAgents, tellBuild } from "./build-report.ts";

export const newCommand = defineCommand({
  name: "new",
  summary: "write a hook of your own to start from, with types for your editor",
  options: {
    project: option.boolean("for all who work on this project; each has to trust it"),
    format: FORMAT_OPTION,
  },
  positionals: [{ name: "NAME", summary: "what to call it" }],
  forAgents: "asks",
  examples: {
    "amplihack hooks new no-friday-deploys": "writes ~/.amplihack/hooks/no-friday-deploys.ts",
  },
  async run({ options, positionals, system, terminal }) {
    refuseAgents(system);
    const { newHook } = await loadManage();
    const { requireDirectories } = await loadOperations();
    const [name = ""] = positionals;
    const { path, report } = await newHook(system, requireDirectories(system), name, options.project);
    terminal.note(`wrote ${path}\nnext: edit it, then amplihack hooks test ${path}\n`);
    return tellBuild(terminal, options.format, report, { path });
  },
});
