import { defineCommand, FORMAT_OPTION } from "../../cli/index.ts";
import { isSameJson } from "../../protocol/index.ts";

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
  forAgents: "loosens",
  examples: {
    "amplihack config set guard.level strict": "asks about more",
    "amplihack config set guard.rules.git.stash deny": "one rule, whatever the level",
    "amplihack config set guard.protectedBranches 'main,release/*'": "a list",
  },
  async run(invocation) {
    const { changeSetting } = await import("./change-setting.ts");
    const { shownValue } = await import("./effective.ts");
    const { readSettingValue } = await import("./value.ts");
    const { options, positionals, terminal } = invocation;
    const [key = "", text = ""] = positionals;
    const change = await changeSetting(invocation, key, (setting, customIds) =>
      readSettingValue(key, setting, text, customIds),
    );
    const { value = null, effective, layer, path, isChanged } = change;
    if (!isSameJson(effective, value)) {
      const source = layer === undefined || layer === "user" ? "" : ` (${layer})`;
      terminal.note(`Note: together with the other layers it is ${shownValue(effective)} here${source}\n`);
    }
    const line = `${key} is ${isChanged ? "now" : "already"} ${shownValue(value)} in ${path}\n`;
    terminal.printResult(
      options.format,
      { success: true, key, value, effective, path, changed: isChanged },
      line,
    );
    return 0;
  },
});
