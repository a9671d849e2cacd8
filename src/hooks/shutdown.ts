import type { System } from "../system/system.ts";

/** The launcher is taking the session down: nothing is read and nothing is held. Only the value `1` says so. */
export function isShuttingDown(system: System): boolean {
  return system.env.get("AMPLIHACK_SHUTDOWN_IN_PROGRESS") === "1";
}
