import type { System } from "../system/index.ts";
import { Actions } from "./actions.ts";
import type { DataFiles } from "./entries.ts";
import { type Dashboard, type DashboardOptions, startDashboard } from "./server.ts";
import { localData, localSources } from "./sources.ts";

/** The pages of this machine, from which a person can undo and forget. */
export function startLocalDashboard(
  system: System,
  files: DataFiles,
  options: Omit<DashboardOptions, "actions">,
): Promise<Dashboard> {
  const sources = localSources(system, files);
  const actions = new Actions(system, files, sources.changes);
  return startDashboard(system, localData(sources, files), { ...options, actions });
}
