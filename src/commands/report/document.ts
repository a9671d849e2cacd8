import { thingsToLookAt } from "./look-at.ts";
import type { Period } from "./period.ts";
import type { Summary } from "./summary.ts";

/** A summary for programs. */
export function reportDocument(summary: Summary, period: Period): object {
  const { figures, before, bars, sessions, files, rules, projects, hosts } = summary;
  const time = (ms: number): string => new Date(ms).toISOString();
  return {
    start: time(period.startMs),
    end: time(period.endMs),
    ...figures,
    sessions,
    files,
    before: { start: time(period.beforeMs), end: time(period.beforeEndMs), ...before },
    bars: bars.map((bar, index) => ({ start: time(period.edges[index] ?? 0), ...bar })),
    rules,
    projects,
    hosts,
    look_at: thingsToLookAt(summary),
  };
}
