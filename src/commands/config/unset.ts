import { defineCommand, FORMAT_OPTION } from "../../cli/index.ts";
import { SETTING_OR_SECTION } from "./key.ts";

export const unsetCommand = defineCommand({
  name: "unset",
  summary: "take one setting out of your configuration",
  details: `
Removes it from ~/.amplihack/config.jsonc, whose comments stay. Then the next layer
below counts, or the built-in value.`,
  options: { format: FORMAT_OPTION },
  positionals: [SETTING_OR_SECTION],
  forAgents: "loosens",
  examples: {
    "amplihack config unset guard.level": "the built-in level counts again",
    "amplihack config unset guard.rules.git.stash": "the rule is again as the level has it",
  },
  async run(invocation) {
    const { changeSetting } = await import("./change-setting.ts");
    const { shownValue } = await import("./effective.ts");
    const { options, positionals, terminal } = invocation;
    const [key = ""] = positionals;
    const { effective, path, isChanged } = await changeSetting(invocation, key, () => undefined);
    const now = effective === null ? "" : `; it is ${shownValue(effective)} now`;
    const line = isChanged
      ? `${key} was taken out of ${path}${now}\n`
      : `${key} is not set in ${path}${now}\n`;
    terminal.printResult(options.format, { success: true, key, effective, path, changed: isChanged }, line);
    return 0;
  },
});
