import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Command } from "./command.ts";

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
