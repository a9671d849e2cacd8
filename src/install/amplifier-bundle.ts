import { join } from "../system/paths.ts";
import type { System } from "../system/system.ts";
import type { Places } from "./places.ts";
import { runProgram } from "./run-program.ts";
import { findHostProgram } from "./targets.ts";

const TIMEOUT_MS = 30_000;
const NAME = "amplihack";

/** Makes a staged bundle known to Amplifier. Gives a warning with the command to run where that fails. */
export async function addBundle(system: System, places: Places): Promise<readonly string[]> {
  const bundle = join(places.stateHome, "amplifier-bundle");
  const program = findHostProgram(system, "amplifier-shell");
  if (program === undefined || system.files.follow(join(bundle, "bundle.md"))?.kind !== "file") return [];
  if (await hasBundle(system, program)) return [];
  const { code } = await runProgram(system, [program, "bundle", "add", bundle], { timeoutMs: TIMEOUT_MS });
  return code === 0 ? [] : [`Amplifier did not take the bundle; run: amplifier bundle add ${bundle}`];
}

/** Takes the bundle away from Amplifier, if it has it. */
export async function removeBundle(system: System): Promise<readonly string[]> {
  const program = findHostProgram(system, "amplifier-shell");
  if (program === undefined || !(await hasBundle(system, program))) return [];
  const { code } = await runProgram(system, [program, "bundle", "remove", NAME], { timeoutMs: TIMEOUT_MS });
  return code === 0 ? [] : [`Amplifier kept the bundle; run: amplifier bundle remove ${NAME}`];
}

async function hasBundle(system: System, program: string): Promise<boolean> {
  const { code, stdout } = await runProgram(system, [program, "bundle", "list"], { timeoutMs: TIMEOUT_MS });
  return code === 0 && /(^|[^\w-])amplihack($|[^\w-])/m.test(stdout);
}
