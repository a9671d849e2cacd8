import type { HookInput } from "../../protocol/index.ts";
import type { System } from "../../system/index.ts";
import type { CommandFacts } from "./call-types.ts";

const NO_FACTS: CommandFacts = { programs: [], words: [], paths: [], effects: [] };

/** What finds the facts of a command: large, so it is loaded for hooks alone that mention them. */
export async function openFacts(
  isUsed: boolean,
): Promise<(input: HookInput, system: System) => CommandFacts> {
  return isUsed ? (await import("./command-facts.ts")).commandFacts : () => NO_FACTS;
}
