import { stringAt } from "../../protocol/index.ts";
import type { UserDirectories } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { readLastRuns } from "../last-runs.ts";

/** When each host last ran a hook, by the log of all runs; the newest part of it is enough. */
export function findLastFired(system: System, { stateHome }: UserDirectories): ReadonlyMap<string, string> {
  const latest = new Map<string, string>();
  for (const run of readLastRuns(system, stateHome)) {
    const [host, ts] = [stringAt(run, "host"), stringAt(run, "ts")];
    if (host !== undefined && ts !== undefined && ts > (latest.get(host) ?? "")) latest.set(host, ts);
  }
  return latest;
}

/** How long ago, in words. */
export function describeAge(nowMs: number, ts: string): string {
  const minutes = Math.floor((nowMs - Date.parse(ts)) / 60_000);
  if (Number.isNaN(minutes) || minutes < 0) return ts;
  if (minutes < 2) return "just now";
  if (minutes < 120) return `${minutes} minutes ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} hours ago` : `${Math.floor(hours / 24)} days ago`;
}
