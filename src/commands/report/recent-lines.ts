import { LogReader } from "../../dashboard/index.ts";
import type { System } from "../../system/index.ts";

/** Lines of a log that were written since a time, the oldest first. Files that ended before are not opened. */
export function* recentLines(
  system: Pick<System, "files" | "text">,
  path: string,
  sinceMs: number,
): Generator<string> {
  const since = new Date(sinceMs).toISOString();
  for (const { lines } of new LogReader(system, path).read(sinceMs)) {
    for (const line of lines) {
      // The time is written in one form, which sorts as text. Without it the reader of the line decides.
      const written = /"ts": ?"([^"]{20,30})"/.exec(line)?.[1];
      if (written === undefined || written >= since) yield line;
    }
  }
}
