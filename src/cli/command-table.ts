import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Command } from "./command.ts";
import type { CompletedCommand } from "./completions.ts";

/** Every file in the folder is one command, named after it. */
export function commandNames(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter(file => /^[a-z][a-z-]*\.(js|ts)$/.test(file))
    .map(file => file.slice(0, -3))
    .sort();
}

export async function loadCommand(folder: string, name: string): Promise<Command> {
  const file = readdirSync(folder).find(entry => entry === `${name}.js` || entry === `${name}.ts`);
  const module = (await import(pathToFileURL(join(folder, file ?? `${name}.js`)).href)) as {
    command: Command;
  };
  return module.command;
}

export async function loadCommands(folder: string): Promise<readonly Command[]> {
  return Promise.all(commandNames(folder).map(name => loadCommand(folder, name)));
}

/** What help and completion tell about all commands. */
export interface CommandTable {
  readonly summaries: readonly Pick<Command, "name" | "summary" | "group">[];
  readonly completed: readonly CompletedCommand[];
}

/** Written by the build beside the commands: to load every one of them for its name costs more than all else. */
export const TABLE_FILE = "table.json";

export async function readCommandTable(folder: string): Promise<CommandTable> {
  const file = join(folder, TABLE_FILE);
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as CommandTable;
  const { makeCommandTable } = await import("./make-command-table.ts");
  return makeCommandTable(folder);
}
