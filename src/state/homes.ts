import { isInside, join } from "../system/paths.ts";
import { type System, SystemError } from "../system/system.ts";
import { resolvePath } from "./path-containment.ts";
import { VARIABLES } from "./variables.ts";

/** Undefined when `HOME` is unset or not an absolute path. */
export function findHome(system: Pick<System, "env">): string | undefined {
  return VARIABLES.HOME.tryGet(system);
}

/** Where recipes and agents come from: `AMPLIHACK_HOME`, else `~/.amplihack`. A checkout may supply these. */
export function findAssetHome(system: Pick<System, "env">): string | undefined {
  return VARIABLES.AMPLIHACK_HOME.tryGet(system) ?? defaultHome(system);
}

/**
 * Where programs, configuration, grants, keys, memory and logs live. As the asset home, unless that has anything
 * to do with the project: a repository must never supply these. Undefined when there is no home directory.
 */
export function findStateHome(
  system: Pick<System, "env" | "files">,
  projectRoot: string | undefined,
): string | undefined {
  const wanted = VARIABLES.AMPLIHACK_HOME.tryGet(system);
  if (wanted === undefined) return defaultHome(system);
  return projectRoot !== undefined && overlaps(system, wanted, projectRoot) ? defaultHome(system) : wanted;
}

function defaultHome(system: Pick<System, "env">): string | undefined {
  const home = findHome(system);
  return home === undefined ? undefined : join(home, ".amplihack");
}

/** By name and by what the names lead to, so that a link does not hide it. */
function overlaps({ files }: Pick<System, "files">, one: string, other: string): boolean {
  const either = (a: string, b: string) => isInside(a, b) || isInside(b, a);
  if (either(one, other)) return true;
  try {
    return either(resolvePath(files, one), resolvePath(files, other));
  } catch (error) {
    // Links in a circle lead nowhere: no place for state.
    if (error instanceof SystemError) return true;
    throw error;
  }
}
