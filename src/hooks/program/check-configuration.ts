import { findMisplacedConfig, loadConfig } from "../../config/index.ts";
import { findHome, findProjectRoot, findStateHome } from "../../state/index.ts";
import type { System } from "../../system/index.ts";

/** What of the configuration does not count, which is told at the start of every session until it is mended. */
export function configurationProblems(system: System, cwd: string | null | undefined): readonly string[] {
  const [home, stateHome] = [findHome(system), findStateHome(system)];
  if (home === undefined || stateHome === undefined) return [];
  const places = {
    home,
    stateHome,
    projectRoot: findProjectRoot(system, cwd ?? undefined),
    cwd: cwd ?? undefined,
  };
  const { notices } = loadConfig(system, places);
  return [...notices, ...findMisplacedConfig(system, places)]
    .filter(({ code }) => code !== "loosening" && code !== "unknown-key")
    .map(({ message }) => message);
}
