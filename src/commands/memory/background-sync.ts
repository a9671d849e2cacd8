import { ownProgram } from "../../cli/own-program.ts";
import { MemoryError } from "../../memory/memory-error.ts";
import { findMemoryPlace, type MemoryPlace } from "../../memory/memory-place.ts";
import { describeSync, readSyncState } from "../../memory/sync/sync-state.ts";
import { basename } from "../../system/paths.ts";
import type { System } from "../../system/system.ts";

/** After its own work, a command lets this program share it with the team, and does not wait. */
export async function startSync(system: System, place: MemoryPlace, hasChanged: boolean): Promise<void> {
  if (place.config.memory.url === undefined) return;
  const program = ownProgram();
  // Inside another program there is nothing that could be started again.
  if (!basename(program).startsWith("amplihack")) return;
  const { startSyncIfDue } = await import("../../memory/sync/start-sync.ts");
  startSyncIfDue(system, place, [process.execPath, ...process.execArgv, program], hasChanged);
}

/** What keeps memories from the team; undefined when nothing does, or there is no team. */
export function describeTeamMemory(system: System): string | undefined {
  try {
    const { config, databasePath } = findMemoryPlace(system, () => {});
    if (config.memory.url === undefined) return undefined;
    return describeSync(readSyncState(system, databasePath), system.clock.nowMs());
  } catch (error) {
    if (error instanceof MemoryError) return undefined;
    throw error;
  }
}
