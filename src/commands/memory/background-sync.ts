import { ownProgram } from "../../cli/own-program.ts";
import type { MemoryPlace } from "../../memory/memory-place.ts";
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
