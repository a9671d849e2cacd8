import type { System } from "../system/index.ts";
import { findHome, findStateHome } from "./homes.ts";
import { Problem } from "./problem.ts";
import { findProjectRoot } from "./project-root.ts";

/** The directories that everything else of a user and a project is found by. */
export interface UserDirectories {
  readonly home: string;
  /** programs, configuration, manifest, logs */
  readonly stateHome: string;
  readonly projectRoot: string;
}

/** By a directory of the project, the working directory when none is given. Throws without a home directory. */
export function requireDirectories(
  system: Pick<System, "env" | "files">,
  directory?: string,
): UserDirectories {
  const projectRoot = findProjectRoot(system, directory);
  const home = findHome(system);
  const stateHome = findStateHome(system);
  if (home === undefined || stateHome === undefined)
    throw new Problem("HOME is not set to an absolute path", {
      kind: "environment",
      fix: "set HOME to your home directory",
    });
  return { home, stateHome, projectRoot };
}
