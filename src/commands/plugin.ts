import { defineCommand, defineFamily, FORMAT_OPTION } from "../cli/command.ts";
import { findPlaces } from "./plugin/places.ts";

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
  options: { force: { kind: "flag", summary: "replace one that is installed" }, format: FORMAT_OPTION },
  examples: [{ command: "amplihack plugin install ./my-plugin", does: "copies it below ~/.amplihack" }],
  run: async ({ options, positionals, system, terminal }) => {
    const { installPlugin, pluginDirectory } = await import("../install/plugin/plugins.ts");
    const places = findPlaces(system);
    const { name, version } = installPlugin(system, places, positionals[0] ?? "", options.force);
    const path = pluginDirectory(places, name);
    if (options.format === "json") terminal.printJson({ success: true, name, version, path });
    else terminal.print(`${name} ${version} is installed in ${path}\nNext: amplihack plugin link ${name}\n`);
    return 0;
  },
});

const uninstall = defineCommand({
  name: "uninstall",
  summary: "remove a plugin and switch it off",
  positionals: [NAME],
  options: { format: FORMAT_OPTION },
  examples: [{ command: "amplihack plugin uninstall my-plugin", does: "removes its copy and its setting" }],
  run: async ({ options, positionals, system, terminal }) => {
    const { uninstallPlugin } = await import("../install/plugin/plugins.ts");
    const [name = ""] = positionals;
    uninstallPlugin(system, findPlaces(system), name);
    if (options.format === "json") terminal.printJson({ success: true, name, removed: true });
    else terminal.print(`${name} is removed\n`);
    return 0;
  },
});

const link = defineCommand({
  name: "link",
  summary: "switch a plugin on in Claude Code's settings",
  positionals: [OPTIONAL_NAME],
  options: { format: FORMAT_OPTION },
  examples: [{ command: "amplihack plugin link my-plugin", does: "adds it to enabledPlugins" }],
  run: async ({ options, positionals, system, terminal }) => {
    const { linkPlugin } = await import("../install/plugin/plugins.ts");
    const [name = "amplihack"] = positionals;
    const changed = linkPlugin(system, findPlaces(system), name);
    if (options.format === "json") terminal.printJson({ success: true, name, changed });
    else terminal.print(changed ? `${name} is switched on\n` : `${name} is switched on already\n`);
    return 0;
  },
});

const verify = defineCommand({
  name: "verify",
  summary: "say whether a plugin is installed, switched on, and brings hooks",
  positionals: [OPTIONAL_NAME],
  options: { format: FORMAT_OPTION },
  examples: [{ command: "amplihack plugin verify my-plugin", does: "ends with 0 only if all of it holds" }],
  run: async ({ options, positionals, system, terminal }) => {
    const { inspectPlugin } = await import("../install/plugin/plugins.ts");
    const state = inspectPlugin(system, findPlaces(system), positionals[0] ?? "amplihack");
    const { installed, discoverable, hooks_loaded } = state;
    const facts = { installed, discoverable, hooks_loaded };
    const isWell = Object.values(facts).every(Boolean);
    if (options.format === "json") terminal.printJson({ success: isWell, ...state });
    else for (const [name, holds] of Object.entries(facts)) terminal.print(`${holds ? "✓" : "✗"} ${name}\n`);
    return isWell ? 0 : 1;
  },
});

const list = defineCommand({
  name: "list",
  summary: "list the plugins that are installed",
  options: { format: FORMAT_OPTION },
  examples: [{ command: "amplihack plugin list", does: "shows each with its version, and whether it is on" }],
  run: async ({ options, system, terminal }) => {
    const { listPlugins } = await import("../install/plugin/plugins.ts");
    const plugins = listPlugins(system, findPlaces(system));
    if (options.format === "json") terminal.printJson(plugins);
    else if (plugins.length === 0) terminal.print("No plugins are installed\n");
    else
      for (const { name, version, discoverable } of plugins)
        terminal.print(`${name} ${version ?? ""}${discoverable ? "" : " (switched off)"}\n`);
    return 0;
  },
});

export const command = defineFamily({
  name: "plugin",
  summary: "install plugins of Claude Code and switch them on",
  group: "Set up",
  subcommands: [install, uninstall, link, verify, list],
  examples: [
    { command: "amplihack plugin install ./my-plugin", does: "copies a plugin" },
    { command: "amplihack plugin verify my-plugin", does: "says whether it is in use" },
  ],
});
