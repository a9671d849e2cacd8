import type { Terminal } from "../../cli/index.ts";
import { loadConfig } from "../../config/index.ts";
import { auditFile } from "../../hooks/index.ts";
import { requireDirectories } from "../../state/index.ts";
import type { System } from "../../system/index.ts";

/** Where the audit log lies; what is wrong with the configuration is told on stderr. */
export function auditPath(system: System, terminal: Terminal): string {
  const places = requireDirectories(system);
  const { config, notices } = loadConfig(system, places);
  for (const { message } of notices) terminal.warn(`Warning: ${message}\n`);
  return auditFile(config.guard, places.stateHome, places.home);
}
