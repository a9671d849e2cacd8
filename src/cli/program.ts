import { createNodeSystem } from "../system/node.ts";
import type { Command } from "./command.ts";
import { main } from "./main.ts";

/** What the executable loads: the command line on the real system. */
export function runProgram(argv: readonly string[], commandsFolder: string): Promise<number> {
  return main({ system: createNodeSystem(), argv, commandsFolder });
}

/** The same for a bundle that holds one command. */
export function runBundled(command: Command): typeof runProgram {
  return (argv, commandsFolder) =>
    main({ system: createNodeSystem(), argv, commandsFolder, bundled: command });
}
