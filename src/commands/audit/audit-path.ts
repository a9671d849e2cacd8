import type { Terminal } from "../../cli/terminal.ts";
import { loadConfig } from "../../config/load.ts";
import { auditFile } from "../../hooks/audit.ts";
import { requireDirectories } from "../../state/user-directories.ts";
import type { System } from "../../system/system.ts";

/** Where the audit log lies; what is wrong with the configuration is told on stderr. */
export function auditPath(system: System, terminal: Terminal): string {
  const places = requireDirectories(system);
  const { config, notices } = loadConfig(system, places);
  for (const { message } of notices) terminal.warn(`Warning: ${message}\n`);
  return auditFile(config.guard, places.stateHome, places.home);
}
