import { spawn } from "node:child_process";
import { errorText } from "../../protocol/index.ts";
import { LogFile } from "../../state/index.ts";
import { childEnvironment, dirname, join, type System } from "../../system/index.ts";
import { updateSyncState } from "./sync-state.ts";

/**
 * Starts a sync in the background and waits for nothing. `program` is what runs `amplihack`. Nothing depends on it: a
 * failure goes to the log, and the next occasion tries again.
 */
export function startSyncProcess(
  system: System,
  databasePath: string,
  program: readonly [string, ...string[]],
): void {
  const folder = dirname(databasePath);
  try {
    // Noted here already, so that hooks that end together start one.
    updateSyncState(system, databasePath, () => ({ attemptMs: system.clock.nowMs() }));
    const [file, ...words] = program;
    const child = spawn(file, [...words, "memory", "sync", "--background"], {
      cwd: folder,
      env: childEnvironment(system, { AMPLIHACK_NONINTERACTIVE: "1" }),
      detached: true,
      stdio: "ignore",
    });
    child.on("error", () => {});
    child.unref();
  } catch (error) {
    const log = new LogFile(join(folder, "logs", "memory-sync.log"), { system });
    log.write("WARNING", `no sync could be started: ${errorText(error)}`);
  }
}
