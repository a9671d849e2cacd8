import { CommandError } from "../../cli/errors.ts";
import type { ModePlaces } from "../../install/plugin/mode.ts";
import { findHome, findProjectRoot, findStateHome } from "../../state/index.ts";
import { join } from "../../system/paths.ts";
import type { System } from "../../system/system.ts";

export function findPlaces(system: System): ModePlaces {
  const home = findHome(system);
  if (home === undefined) {
    throw new CommandError("HOME is not set to an absolute path", { kind: "environment", fix: "set HOME" });
  }
  const projectRoot = findProjectRoot(system, undefined);
  return { home, projectRoot, stateHome: findStateHome(system, projectRoot) ?? join(home, ".amplihack") };
}
