import { type HistorySettings, loadConfig } from "../config/index.ts";
import { auditFile } from "../hooks/index.ts";
import { MEMORY_DATABASE, requireDirectories } from "../state/index.ts";
import { join, type System } from "../system/index.ts";

/** Where the things lie that the page shows. */
export interface DataFiles {
  readonly stateHome: string;
  readonly runs: string;
  readonly audit: string;
  readonly recipeRuns: string;
  readonly database: string;
  readonly home: string;
  readonly history: HistorySettings;
}

/** Where this user's logs and memories lie. What is wrong in configuration files is told to `warn`. */
export function findDataFiles(system: System, warn: (message: string) => void): DataFiles {
  const directories = requireDirectories(system);
  const { home, stateHome } = directories;
  const { config, notices } = loadConfig(system, directories);
  for (const notice of notices) warn(`Warning: ${notice.message}\n`);
  return {
    stateHome,
    runs: join(stateHome, "logs", "runs.jsonl"),
    audit: auditFile(config.guard, stateHome, home),
    recipeRuns: join(stateHome, "recipes", "runs"),
    database: join(stateHome, MEMORY_DATABASE),
    home,
    history: config.history,
  };
}
