import { defineCommand, FORMAT_OPTION } from "../../cli/index.ts";
import { loadBuild, loadImportSettings, loadOperations } from "../../install/index.ts";
import { count } from "../../text/index.ts";
import { refuseAgents, tellBuild } from "./build-report.ts";

export const importCommand = defineCommand({
  name: "import",
  summary: "run the hooks that you have for one host in all others",
  details: `
Takes the hooks of your settings of Claude Code, of its plugins that are switched on and, once you trust them, of the
project's settings. They get Claude's payload and answer in Claude's words; names of tools and members of inputs are
translated both ways. The host that runs them itself is left alone. The settings are read again when they change.
With atomcode it takes those of AtomCode's hooks.json and .hooks.json, which get its own names of tools.`,
  options: { format: FORMAT_OPTION },
  positionals: [{ name: "HOST", summary: "claude or atomcode" }],
  forAgents: "asks",
  examples: {
    "amplihack hooks import claude": "runs your hooks of Claude Code in Codex, Gemini, Copilot and the rest",
  },
  async run({ options, positionals, system, terminal }) {
    refuseAgents(system);
    const { importSettings } = await loadImportSettings();
    const { buildHooks } = await loadBuild();
    const { requireDirectories } = await loadOperations();
    const places = requireDirectories(system);
    const path = importSettings(system, places.stateHome, positionals[0] ?? "");
    const report = await buildHooks(system, places);
    const imported = report.manifest.handlers.filter(({ exceptHosts }) => exceptHosts.length > 0).length;
    terminal.note(`${path} imports them: ${count(imported, "hook")}\n`);
    return tellBuild(terminal, options.format, report, { path, imported });
  },
});
