import { loadConfig } from "../config/index.ts";
import { auditFile } from "../hooks/audit.ts";
import { findHome, findProjectRoot, findStateHome } from "../state/index.ts";
import { join } from "../system/paths.ts";
import type { System } from "../system/system.ts";
import type { Places } from "./activity.ts";

/** Where this user's logs and memories lie. What is wrong in configuration files is told to `warn`. */
export function findPlaces(system: System, warn: (message: string) => void): Places {
  const projectRoot = findProjectRoot(system, undefined);
  const home = findHome(system);
  const stateHome = findStateHome(system, projectRoot);
  if (home === undefined || stateHome === undefined) {
    throw new Error("there is no home directory to read logs from; set HOME to an absolute path");
  }
  const { config, notices } = loadConfig(system, { home, stateHome, projectRoot });
  for (const notice of notices) warn(`Warning: ${notice.message}\n`);
  return {
    runs: join(stateHome, "logs", "runs.jsonl"),
    audit: auditFile(config.guard, stateHome, home),
    recipeRuns: join(stateHome, "recipes", "runs"),
    database: join(stateHome, "memory.db"),
  };
}
