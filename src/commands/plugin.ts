import { defineCommand, defineFamily, FORMAT_OPTION, option } from "../cli/index.ts";
import { loadPlugins } from "../install/index.ts";
import { requireDirectories } from "../state/index.ts";

const NAME = { name: "NAME", summary: "name of the plugin" } as const;
const OPTIONAL_NAME = {
  name: "NAME",
  summary: "name of the plugin; amplihack by default",
  isOptional: true,
} as const;

const install = defineCommand({
  name: "install",
  summary: "copy a plugin from a directory or a git repository",
  positionals: [
    { name: "SOURCE", summary: "directory, or address that git can clone", completes: "directory" },
  ],
  options: { force: option.boolean("replace one that is installed"), format: FORMAT_OPTION },
  forAgents: { use: "asks", runs: "file" },
  examples: { "amplihack plugin install ./my-plugin": "copies it below ~/.amplihack" },
  async run({ options, positionals, system, terminal }) {
    const { installPlugin, pluginDirectory } = await loadPlugins();
    const places = requireDirectories(system);
    const { name, version } = installPlugin(system, places, positionals[0] ?? "", options.force);
    const path = pluginDirectory(places, name);
    const text = `${name} ${version} is installed in ${path}\nNext: amplihack plugin link ${name}\n`;
    terminal.printResult(options.format, { success: true, name, version, path }, text);
    return 0;
  },
});

const uninstall = defineCommand({
  name: "uninstall",
  summary: "remove a plugin and switch it off",
  positionals: [NAME],
  options: { format: FORMAT_OPTION },
  forAgents: "asks",
  examples: { "amplihack plugin uninstall my-plugin": "removes its copy and its setting" },
  async run({ options, positionals, system, terminal }) {
    const { uninstallPlugin } = await loadPlugins();
    const [name = ""] = positionals;
    uninstallPlugin(system, requireDirectories(system), name);
    terminal.printResult(options.format, { success: true, name, removed: true }, `${name} is removed\n`);
    return 0;
  },
});

const link = defineCommand({
  name: "link",
  summary: "switch a plugin on in Claude Code's settings",
  positionals: [OPTIONAL_NAME],
  options: { format: FORMAT_OPTION },
  forAgents: "asks",
  examples: { "amplihack plugin link my-plugin": "adds it to enabledPlugins" },
  async run({ options, positionals, system, terminal }) {
    const { linkPlugin } = await loadPlugins();
    const [name = "amplihack"] = positionals;
    const changed = linkPlugin(system, requireDirectories(system), name);
    const text = `${name} is switched on${changed ? "" : " already"}\n`;
    terminal.printResult(options.format, { success: true, name, changed }, text);
    return 0;
  },
});

const verify = defineCommand({
  name: "verify",
  summary: "say whether a plugin is installed, switched on, and brings hooks",
  positionals: [OPTIONAL_NAME],
  options: { format: FORMAT_OPTION },
  forAgents: "passes",
  examples: { "amplihack plugin verify my-plugin": "ends with 0 only if all of it is true" },
  async run({ options, positionals, system, terminal }) {
    const { inspectPlugin } = await loadPlugins();
    const state = inspectPlugin(system, requireDirectories(system), positionals[0] ?? "amplihack");
    const { installed, discoverable, hooks_loaded } = state;
    const facts = Object.entries({ installed, discoverable, hooks_loaded });
    const success = facts.every(([, holds]) => holds);
    const text = facts.map(([name, holds]) => `${holds ? "✓" : "✗"} ${name}\n`).join("");
    terminal.printResult(options.format, { success, ...state }, text);
    return success ? 0 : 1;
  },
});

const list = defineCommand({
  name: "list",
  summary: "list the plugins that are installed",
  options: { format: FORMAT_OPTION },
  forAgents: { use: "passes", looks: [] },
  examples: { "amplihack plugin list": "shows each with its version, and whether it is on" },
  async run({ options, system, terminal }) {
    const { listPlugins } = await loadPlugins();
    const plugins = listPlugins(system, requireDirectories(system));
    const lines = plugins.map(
      ({ name, version, discoverable }) =>
        `${name} ${version ?? ""}${discoverable ? "" : " (switched off)"}\n`,
    );
    terminal.printResult(options.format, plugins, lines.join("") || "No plugins are installed\n");
    return 0;
  },
});

export const command = defineFamily({
  name: "plugin",
  summary: "install plugins of Claude Code and switch them on",
  group: "Set up",
  subcommands: [install, uninstall, link, verify, list],
  examples: {
    "amplihack plugin install ./my-plugin": "copies a plugin",
    "amplihack plugin verify my-plugin": "says whether it is in use",
  },
});
