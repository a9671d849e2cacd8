import { type Config, loadConfig } from "../config/index.ts";
import {
  findHome,
  findProjectRoot,
  findStateHome,
  MEMORY_DATABASE,
  resolvePath,
  VARIABLES,
} from "../state/index.ts";
import { join } from "../system/paths.ts";
import type { System } from "../system/system.ts";
import { MemoryError } from "./memory-error.ts";

/** Counts for every project. */
export const ALL_PROJECTS = "";

/** Where memories of the work at hand are kept, and what is configured about them. */
export interface MemoryPlace {
  readonly projectRoot: string;
  readonly databasePath: string;
  readonly config: Pick<Config, "memory" | "reflect">;
}

/** By the working directory. What is wrong in configuration files is told to `warn` and does not count. */
export function findMemoryPlace(system: System, warn: (message: string) => void): MemoryPlace {
  if (VARIABLES.AMPLIHACK_HOME.isSet(system)) VARIABLES.AMPLIHACK_HOME.getOrError(system);
  const projectRoot = findProjectRoot(system, undefined);
  const home = findHome(system);
  const stateHome = findStateHome(system);
  if (home === undefined || stateHome === undefined) {
    throw new MemoryError(
      "unavailable",
      "there is no home directory to keep memories in",
      "set HOME to an absolute path",
    );
  }
  const { config, notices } = loadConfig(system, { home, stateHome, projectRoot });
  for (const notice of notices) if (notice.scope !== "project") warn(notice.message);
  return { projectRoot, databasePath: join(stateHome, MEMORY_DATABASE), config };
}

/** What a project's memories are filed under: `AMPLIHACK_PROJECT_ID`, else where it lies, links resolved. */
export function projectScope(system: System, projectRoot: string): string {
  return announcedProject(system) ?? resolvePath(system.files, projectRoot);
}

/** What is stored by hand counts for every project unless `AMPLIHACK_PROJECT_ID` names one. */
export function manualScope(system: System): string {
  return announcedProject(system) ?? ALL_PROJECTS;
}

function announcedProject(system: System): string | undefined {
  const { AMPLIHACK_PROJECT_ID } = VARIABLES;
  return AMPLIHACK_PROJECT_ID.tryGet(system);
}
