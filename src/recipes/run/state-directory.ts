import { findProjectRoot, findStateHome } from "../../state/index.ts";
import { join } from "../../system/paths.ts";
import type { System } from "../../system/system.ts";

/** Where runs leave their logs and checkpoints; undefined when there is no home directory. */
export function stateDirectory(system: System, workingDir: string): string | undefined {
  const home = findStateHome(system, findProjectRoot(system, workingDir));
  return home === undefined ? undefined : join(home, "recipes");
}
