import { readJson } from "../../protocol/index.ts";
import { stringAt } from "../../protocol/members.ts";
import type { UserDirectories } from "../../state/user-directories.ts";
import { join } from "../../system/paths.ts";
import type { System } from "../../system/system.ts";

const LAST_BYTES = 4 * 1024 * 1024;

/** When each host last ran a hook, by the log of all runs; the newest part of it is enough. */
export function findLastFired(system: System, { stateHome }: UserDirectories): ReadonlyMap<string, string> {
  const path = join(stateHome, "logs", "runs.jsonl");
  const size = system.files.follow(path)?.size ?? 0;
  if (size === 0) return new Map();
  const from = Math.max(0, size - LAST_BYTES);
  const { text } = system.text.decode(system.files.readRange(path, from, LAST_BYTES));
  const latest = new Map<string, string>();
  for (const line of text.split("\n")) {
    const read = readJson(line, { recover: false, maxDepth: 10 });
    const value = read.ok ? read.value : null;
    const [host, ts] = [stringAt(value, "host"), stringAt(value, "ts")];
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
