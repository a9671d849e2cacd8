import { ownProgram } from "../../cli/index.ts";
import {
  describeSync,
  findMemoryPlace,
  isSyncDue,
  loadStartSync,
  type MemoryPlace,
  readSyncState,
} from "../../memory/index.ts";
import { basename, type System } from "../../system/index.ts";

/**
 * After its own work, a command lets this program share it with the team, and does not wait. Mostly nothing is due, so
 * that what starts a process is loaded only then.
 */
export async function startSync(
  system: System,
  { config, databasePath }: MemoryPlace,
  hasChanged: boolean,
): Promise<void> {
  if (config.memory.url === undefined) return;
  if (!isSyncDue(readSyncState(system, databasePath), hasChanged, system.clock.nowMs())) return;
  const program = ownProgram();
  // Inside another program there is nothing that could be started again.
  if (!basename(program).startsWith("amplihack")) return;
  const { startSyncProcess } = await loadStartSync();
  startSyncProcess(system, databasePath, [process.execPath, ...process.execArgv, program]);
}

/** What keeps memories from the team; undefined when nothing does, or there is no team. */
export function describeTeamMemory(system: System): string | undefined {
  try {
    const { config, databasePath } = findMemoryPlace(system, () => {});
    if (config.memory.url === undefined) return undefined;
    return describeSync(readSyncState(system, databasePath), system.clock.nowMs());
  } catch {
    // A home or a configuration that cannot be used is told by doctor; what is told here needs both.
    return undefined;
  }
}
