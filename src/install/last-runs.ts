import { type Json, readJson } from "../protocol/index.ts";
import { join, type System } from "../system/index.ts";

const LAST_BYTES = 4 * 1024 * 1024;

/** The newest part of the log of all runs, a line each, the newest last. Lines that cannot be read are left out. */
export function readLastRuns(system: System, stateHome: string): readonly Json[] {
  const path = join(stateHome, "logs", "runs.jsonl");
  const size = system.files.follow(path)?.size ?? 0;
  if (size === 0) return [];
  const from = Math.max(0, size - LAST_BYTES);
  const { text } = system.text.decode(system.files.readRange(path, from, LAST_BYTES));
  return text.split("\n").flatMap(line => {
    const read = readJson(line, { recover: false, maxDepth: 10 });
    return read.ok ? [read.value] : [];
  });
}
