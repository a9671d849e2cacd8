import { CommandError, defineCommand, loadEditor } from "../../cli/index.ts";
import { loadConfig, starterConfig, userConfigFile } from "../../config/index.ts";
import { loadRules } from "../../guard/index.ts";
import { requireDirectories } from "../../state/index.ts";
import { type System, writeAtomically } from "../../system/index.ts";

export const editCommand = defineCommand({
  name: "edit",
  summary: "open your configuration in $VISUAL or $EDITOR, and check it afterwards",
  options: {},
  ownsTerminal: true,
  forAgents: "loosens",
  examples: { "amplihack config edit": "writes a file to start from where there is none" },
  async run({ system, terminal }) {
    const { editFile } = await loadEditor();
    const path = userConfigFile(requireDirectories(system).stateHome);
    if (system.files.inspect(path) === undefined) {
      writeAtomically(system, path, system.text.encode(starterConfig("user")), { mode: 0o600 });
    }
    editFile(system, terminal, path);
    const problems = await problemsOf(system);
    if (problems.length > 0)
      throw new CommandError(
        `${path} has ${problems.length === 1 ? "a problem" : `${problems.length} problems`}`,
        {
          kind: "config",
          causes: problems,
          fix: "amplihack config edit",
        },
      );
    terminal.print(`${path} is valid\n`);
    return 0;
  },
});

/** What in the user's file does not count, and why; . */
async function problemsOf(system: System): Promise<readonly string[]> {
  const { ruleSettingProblems } = await loadRules();
  const { config, notices } = loadConfig(system, { ...requireDirectories(system), projectRoot: undefined });
  return [
    ...notices.filter(({ scope }) => scope === "user").map(({ message }) => message),
    ...ruleSettingProblems(config.guard).map(({ message }) => message),
  ];
}
