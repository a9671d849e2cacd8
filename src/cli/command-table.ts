import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "./command.ts";
import type { CompletedCommand } from "./completions/tree.ts";

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
