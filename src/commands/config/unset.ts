import { defineCommand } from "../../cli/command.ts";
import { tellProblems } from "../../cli/install-problem.ts";
import { FORMAT_OPTION } from "../../cli/option.ts";
import { userConfigFile } from "../../config/load.ts";
import { memberAt } from "../../protocol/members.ts";
import { requireDirectories } from "../../state/user-directories.ts";
import { noteLayers } from "./note-layers.ts";

export const unsetCommand = defineCommand({
  name: "unset",
  summary: "take one setting out of your configuration",
  details: `
Removes it from ~/.amplihack/config.jsonc, whose comments stay. Then the next layer
below counts, or the built-in value.`,
  options: { format: FORMAT_OPTION },
  positionals: [
    {
      name: "KEY",
      summary: "a setting or a section: guard.level, guard.rules.git.push, history",
      completes: "setting",
    },
  ],
  examples: {
    "amplihack config unset guard.level": "the built-in level counts again",
    "amplihack config unset guard.rules.git.stash": "the rule is again as the level has it",
  },
  async run({ options, positionals, system, terminal }) {
    const { effectiveConfig, shownValue } = await import("./effective.ts");
    const { findSetting } = await import("./setting.ts");
    const { applyEdit } = await import("../../install/file-edit.ts");
    const { settingsEdit } = await import("../../install/config-setting.ts");
    const [key = ""] = positionals;
    const places = requireDirectories(system);
    const customIds = effectiveConfig(system).loaded.config.guard.custom.map(({ id }) => id);
    const setting = findSetting(key, customIds);
    const edit = settingsEdit(places, [{ path: setting.path, value: undefined }]);
    const { isChanged } = await tellProblems("config", async () =>
      applyEdit(system, edit, { isBackedUp: false }),
    );
    const after = effectiveConfig(system);
    noteLayers(terminal, after, setting, isChanged);
    const effective = memberAt(after.file, ...setting.path) ?? null;
    const path = userConfigFile(places.stateHome);
    const now = effective === null ? "" : `; it is ${shownValue(effective)} now`;
    const line = isChanged
      ? `${key} was taken out of ${path}${now}\n`
      : `${key} is not set in ${path}${now}\n`;
    terminal.printResult(options.format, { success: true, key, effective, path, changed: isChanged }, line);
    return 0;
  },
});
