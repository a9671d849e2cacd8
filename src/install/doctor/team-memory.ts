import { loadConfig } from "../../config/index.ts";
import { describeSync, readSyncState, teamOrigin } from "../../memory/index.ts";
import { MEMORY_DATABASE, type UserDirectories } from "../../state/index.ts";
import { join, type System } from "../../system/index.ts";
import { type DoctorCheck, fail, pass, warn } from "./check.ts";

const ID = "memory.team";

/** Whether what is shared reaches the team, by the last sync; none is started. Nothing without a team. */
export function checkTeamMemory(system: System, places: UserDirectories): readonly DoctorCheck[] {
  const { config } = loadConfig(system, places);
  if (config.memory.url === undefined) return [];
  const origin = teamOrigin(config);
  if (origin === undefined) return [fail(ID, "memory.url cannot be used", "amplihack memory sync")];
  const state = readSyncState(system, join(places.stateHome, MEMORY_DATABASE));
  const trouble = describeSync(state, system.clock.nowMs());
  return trouble === undefined
    ? [pass(ID, `memories are shared with the ${origin}`)]
    : [warn(ID, trouble, "amplihack memory sync")];
}
