import { join, type System } from "../system/index.ts";
import { VARIABLES } from "./variables.ts";

/** The file of memories in the state home. */
export const MEMORY_DATABASE = "memory.db";

/** Undefined when `HOME` is unset or not an absolute path. */
export function findHome(system: Pick<System, "env">): string | undefined {
  return VARIABLES.HOME.tryGet(system);
}

/** Where recipes and agents come from: `AMPLIHACK_HOME`, else `~/.amplihack`. A checkout may supply these. */
export function findAssetHome(system: Pick<System, "env">): string | undefined {
  return VARIABLES.AMPLIHACK_HOME.tryGet(system) ?? defaultHome(system);
}

/**
 * Where programs, configuration, grants, keys, memory, history and logs live: the place this program was installed in,
 * else `~/.amplihack`. No other variable moves it, so that no repository can supply what decides. Undefined when there
 * is no home directory.
 */
export function findStateHome(system: Pick<System, "env" | "installedIn">): string | undefined {
  return system.installedIn ?? defaultHome(system);
}

function defaultHome(system: Pick<System, "env">): string | undefined {
  const home = findHome(system);
  return home === undefined ? undefined : join(home, ".amplihack");
}
