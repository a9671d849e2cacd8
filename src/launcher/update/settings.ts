import { type Config, loadConfig } from "../../config/index.ts";
import { findHome, findStateHome } from "../../state/homes.ts";
import { Problem } from "../../state/problem.ts";
import { join } from "../../system/paths.ts";
import type { System } from "../../system/system.ts";

export interface UpdateSettings {
  readonly stateHome: string;
  readonly update: Config["update"];
}

/** Where updates come from is the user's or the machine's to say, never a project's. */
export function readUpdateSettings(system: System, projectRoot: string): UpdateSettings {
  const home = findHome(system);
  if (home === undefined) {
    throw new Problem("HOME is not set to an absolute path", {
      kind: "environment",
      fix: "set HOME to your home directory",
    });
  }
  const stateHome = findStateHome(system, projectRoot) ?? join(home, ".amplihack");
  const { config } = loadConfig(system, { home, stateHome, projectRoot: undefined });
  return { stateHome, update: config.update };
}
