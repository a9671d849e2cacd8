import { spawn } from "node:child_process";
import { errorText } from "../../protocol/error-text.ts";
import { LogFile } from "../../state/index.ts";
import { childEnvironment } from "../../system/child-environment.ts";
import { dirname, join } from "../../system/paths.ts";
import type { System } from "../../system/system.ts";
import type { MemoryPlace } from "../memory-place.ts";
import { isSyncDue, readSyncState, updateSyncState } from "./sync-state.ts";

/**
 * Starts a sync in the background when one is due, and waits for nothing. `program` is what runs `amplihack`. Nothing
 * depends on it: a failure goes to the log, and the next occasion tries again.
 */
export function startSyncIfDue(
  system: System,
  { databasePath, config }: MemoryPlace,
  program: readonly [string, ...string[]],
  hasChanged: boolean,
): boolean {
  const nowMs = system.clock.nowMs();
  const folder = dirname(databasePath);
  if (config.memory.url === undefined) return false;
  if (!isSyncDue(readSyncState(system, databasePath), hasChanged, nowMs)) return false;
  try {
    // Noted here already, so that hooks that end together start one.
    updateSyncState(system, databasePath, () => ({ attemptMs: nowMs }));
    const [file, ...words] = program;
    const child = spawn(file, [...words, "memory", "sync", "--background"], {
      cwd: folder,
      env: childEnvironment(system, { AMPLIHACK_NONINTERACTIVE: "1" }),
      detached: true,
      stdio: "ignore",
    });
    child.on("error", () => {});
    child.unref();
    return true;
  } catch (error) {
    const log = new LogFile(join(folder, "logs", "memory-sync.log"), { system });
    log.write("WARNING", `no sync could be started: ${errorText(error)}`);
    return false;
  }
}
