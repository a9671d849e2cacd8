import { type LoadedConfig, loadConfig } from "../../config/index.ts";
import { findHome, findProjectRoot, findStateHome } from "../../state/index.ts";
import type { System } from "../../system/index.ts";

/** Read only where it is needed: most runs that answer do not pay for it. */
export function configurationFor(system: System, cwd: string | undefined): LoadedConfig | undefined {
  const projectRoot = findProjectRoot(system, cwd);
  const stateHome = findStateHome(system);
  const home = findHome(system);
  if (stateHome === undefined || home === undefined) return undefined;
  return loadConfig(system, { home, stateHome, projectRoot });
}
