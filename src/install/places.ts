import { findHome, findProjectRoot, findStateHome } from "../state/index.ts";
import { join } from "../system/paths.ts";
import type { System } from "../system/system.ts";
import { installProblem } from "./problem.ts";

/** The directories that an installation knows. */
export interface Places {
  readonly home: string;
  /** programs, configuration, manifest, logs: `~/.amplihack` unless `AMPLIHACK_HOME` says otherwise */
  readonly stateHome: string;
  readonly projectRoot: string;
}

export function findPlaces(system: Pick<System, "env" | "files">): Places {
  const home = findHome(system);
  const projectRoot = findProjectRoot(system, undefined);
  const stateHome = findStateHome(system, projectRoot);
  if (home === undefined || stateHome === undefined)
    throw installProblem("there is no home directory: HOME is unset or not an absolute path", {
      fix: "set HOME and try again",
    });
  return { home, stateHome, projectRoot };
}

export function programFolder({ stateHome }: Pick<Places, "stateHome">): string {
  return join(stateHome, ".claude", "bin");
}

/** What hosts are told to start; the same text whatever stands behind it. */
export function hookProgramPath(places: Pick<Places, "stateHome">): string {
  return join(programFolder(places), "amplihack-hooks");
}

export function manifestPath({ stateHome }: Pick<Places, "stateHome">): string {
  return join(stateHome, ".claude", "install", "amplihack-manifest.json");
}

export function versionStampPath({ stateHome }: Pick<Places, "stateHome">): string {
  return join(stateHome, ".installed-version");
}
