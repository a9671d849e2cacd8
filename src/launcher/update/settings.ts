import { type Config, loadConfig } from "../../config/index.ts";
import { requireDirectories } from "../../state/index.ts";
import type { System } from "../../system/index.ts";

export interface UpdateSettings {
  readonly stateHome: string;
  readonly update: Config["update"];
}

/** Where updates come from is the user's or the machine's to say, never a project's. */
export function readUpdateSettings(system: System, directory?: string): UpdateSettings {
  const { home, stateHome } = requireDirectories(system, directory);
  const { config } = loadConfig(system, { home, stateHome, projectRoot: undefined });
  return { stateHome, update: config.update };
}
