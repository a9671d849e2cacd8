import { PARTS, settingKeys } from "../config/index.ts";
import { RULE_IDS } from "../guard/index.ts";
import { AGENTS, HOST_IDS, STOCK_SUBCOMMANDS } from "../hosts/index.ts";
import { EVENTS } from "../protocol/index.ts";
import { type CommandTable, loadCommands } from "./command-table.ts";
import { completionTree } from "./completions.ts";

export { TABLE_FILE } from "./command-table.ts";

/** Loads every command of the folder and takes down what help and completion need of it. */
export async function makeCommandTable(folder: string): Promise<CommandTable> {
  const commands = await loadCommands(folder);
  return {
    summaries: commands.map(({ name, summary, group }) => ({
      name,
      summary,
      ...(group === undefined ? {} : { group }),
    })),
    completed: completionTree(commands, {
      hosts: HOST_IDS,
      events: [...STOCK_SUBCOMMANDS.map(({ name }) => name), ...EVENTS.map(({ name }) => name)],
      agents: AGENTS,
      rules: RULE_IDS,
      settings: [...settingKeys(), ...RULE_IDS.map(id => `guard.rules.${id}`)],
      parts: PARTS,
    }),
  };
}
