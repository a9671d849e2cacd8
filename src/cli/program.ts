import { createNodeSystem } from "../system/node.ts";
import { main } from "./main.ts";

/** What the executable loads: the command line on the real system. */
export function runProgram(argv: readonly string[], commandsFolder: string): Promise<number> {
  return main({ system: createNodeSystem(), argv, commandsFolder });
}
