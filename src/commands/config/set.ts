import { defineCommand } from "../../cli/command.ts";
import { tellProblems } from "../../cli/install-problem.ts";
import { FORMAT_OPTION } from "../../cli/option.ts";
import { userConfigFile } from "../../config/load.ts";
import { isSameJson } from "../../protocol/index.ts";
import { memberAt } from "../../protocol/members.ts";
import { requireDirectories } from "../../state/user-directories.ts";
import { noteLayers } from "./note-layers.ts";

export const setCommand = defineCommand({
  name: "set",
  summary: "change one setting in your configuration",
  details: `
The value is checked, then written to ~/.amplihack/config.jsonc, whose comments
stay. A list of texts is written with commas, everything larger as JSON.`,
  options: { format: FORMAT_OPTION },
  positionals: [
    { name: "KEY", summary: "a setting: guard.level, guard.rules.git.push", completes: "setting" },
    { name: "VALUE", summary: "the new value" },
  ],
  examples: {
    "amplihack config set guard.level strict": "asks about more",
    "amplihack config set guard.rules.git.stash deny": "one rule, whatever the level",
    "amplihack config set guard.protectedBranches 'main,release/*'": "a list",
  },
  async run({ options, positionals, system, terminal }) {
    const { effectiveConfig, shownValue } = await import("./effective.ts");
    const { findSetting } = await import("./setting.ts");
    const { readSettingValue } = await import("./value.ts");
    const { applyEdit } = await import("../../install/file-edit.ts");
    const { settingsEdit } = await import("../../install/config-setting.ts");
    const [key = "", text = ""] = positionals;
    const places = requireDirectories(system);
    const customIds = effectiveConfig(system).loaded.config.guard.custom.map(({ id }) => id);
    const setting = findSetting(key, customIds);
    const value = readSettingValue(key, setting, text, customIds);
    if (key === "memory.url") (await import("../../postgres/url.ts")).readDatabaseUrl(text, "configuration");
    const edit = settingsEdit(places, [{ path: setting.path, value }]);
    const { isChanged } = await tellProblems("config", async () =>
      applyEdit(system, edit, { isBackedUp: false }),
    );
    const after = effectiveConfig(system);
    noteLayers(terminal, after, setting, isChanged);
    const effective = memberAt(after.file, ...setting.path) ?? null;
    if (!isSameJson(effective, value)) {
      const layer = after.settings.find(one => one.key === key)?.layer;
      const source = layer === undefined || layer === "user" ? "" : ` (${layer})`;
      terminal.note(`Note: together with the other layers it is ${shownValue(effective)} here${source}\n`);
    }
    const path = userConfigFile(places.stateHome);
    const line = `${key} is ${isChanged ? "now" : "already"} ${shownValue(value)} in ${path}\n`;
    terminal.printResult(
      options.format,
      { success: true, key, value, effective, path, changed: isChanged },
      line,
    );
    return 0;
  },
});
