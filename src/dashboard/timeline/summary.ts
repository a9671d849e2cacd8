import { type Counted, countsOf } from "../counts.ts";
import type { RunEntry } from "../entries.ts";
import { Latency, type LatencySeries } from "../latency.ts";
import type { Outcome } from "./outcome.ts";
import { figuresOf, type Session, type SessionFigures, type Timeline } from "./timeline.ts";

/** What happened in one stretch of time. */
export interface Stretch {
  readonly startMs: number;
  readonly refused: number;
  readonly asked: number;
  readonly kept: number;
  readonly undone: number;
}

/** What agents did since some time. */
export interface Summary {
  readonly figures: SessionFigures;
  readonly stretches: readonly Stretch[];
  readonly rules: readonly Counted[];
  readonly projects: readonly Counted[];
  readonly hosts: readonly Counted[];
  /** of a team */
  readonly people: readonly Counted[];
  readonly latency: readonly LatencySeries[];
  readonly sessions: readonly Session[];
}

export interface SummaryRange {
  /** beginnings of the stretches, oldest first */
  readonly starts: readonly number[];
}

export function summariseSince(
  { items, undos, sessions }: Timeline,
  runs: Iterable<RunEntry>,
  { starts }: SummaryRange,
): Summary {
  const fromMs = starts[0] ?? 0;
  const all = items.filter(({ atMs }) => atMs >= fromMs);
  const recent = all.filter(item => item.kind === "call");
  const taken = undos.filter(({ kind, timeMs }) => kind === "undo" && timeMs >= fromMs);
  const latency = new Latency();
  for (const { hook, ts, ms } of runs) {
    const atMs = Date.parse(ts);
    if (atMs >= fromMs) latency.add(hook, atMs, ms * 1_000);
  }
  const stopped = recent.filter(({ outcome }) => outcome !== "silent");
  return {
    figures: { ...figuresOf(all), undone: taken.reduce((sum, { of }) => sum + of.length, 0) },
    stretches: starts.map((startMs, index) => {
      const endMs = starts[index + 1] ?? Number.POSITIVE_INFINITY;
      const within = (ms: number) => ms >= startMs && ms < endMs;
      const count = (outcome: Outcome) =>
        stopped.filter(call => call.outcome === outcome && within(call.atMs)).length;
      return {
        startMs,
        refused: count("refused"),
        asked: count("asked"),
        kept: count("kept"),
        undone: taken.filter(({ timeMs }) => within(timeMs)).reduce((sum, { of }) => sum + of.length, 0),
      };
    }),
    rules: countsOf(stopped, call => call.rules),
    projects: countsOf(recent, call => call.project),
    hosts: countsOf(recent, call => call.host),
    people: countsOf(recent, call => call.origin?.person ?? ""),
    latency: latency.series(),
    sessions: sessions.filter(({ lastMs }) => lastMs >= fromMs),
  };
}
