import { findDataFiles } from "../../../src/dashboard/entries.ts";
import { startLocalDashboard } from "../../../src/dashboard/local-dashboard.ts";
import { createNodeSystem } from "../../../src/system/node.ts";

/** The dashboard of this user (HOME), as a person would have started it, at another time of the day. */
export function serveAt(atMs: number) {
  const real = createNodeSystem();
  const shiftMs = atMs - real.clock.nowMs();
  const system = { ...real, clock: { ...real.clock, nowMs: () => real.clock.nowMs() + shiftMs } };
  const warn = (message: string): void => {
    process.stderr.write(message);
  };
  return startLocalDashboard(system, findDataFiles(system, warn), { warn });
}
