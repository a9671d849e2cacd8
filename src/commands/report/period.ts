const DAY_MS = 24 * 60 * 60_000;
const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const BARS = 7;

/** A stretch of time that is reported on, the one before it for comparison, and the stretches that bars stand for. */
export interface Period {
  /** as a heading */
  readonly title: string;
  /** over the column of figures, and over the column beside it */
  readonly name: string;
  readonly before: string;
  readonly bars: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly beforeMs: number;
  /** where the comparison ends; the period itself begins there, or later */
  readonly beforeEndMs: number;
  /** one more than there are bars, rising */
  readonly edges: readonly number[];
}

export function today(nowMs: number): Period {
  const startMs = midnight(nowMs, 0);
  return {
    title: `Today, ${dateOf(nowMs)}`,
    name: "today",
    before: "yesterday",
    bars: "last 7 days",
    startMs,
    endMs: nowMs,
    beforeMs: midnight(nowMs, -1),
    beforeEndMs: startMs,
    edges: dayEdges(nowMs),
  };
}

export function lastWeek(nowMs: number): Period {
  const startMs = midnight(nowMs, 1 - BARS);
  return {
    title: `The last 7 days, since ${dateOf(startMs)}`,
    name: "7 days",
    before: "7 before",
    bars: "day by day",
    startMs,
    endMs: nowMs,
    beforeMs: midnight(nowMs, 1 - 2 * BARS),
    beforeEndMs: startMs,
    edges: dayEdges(nowMs),
  };
}

/** The last so many milliseconds; `text` is how a person wrote them. */
export function since(nowMs: number, lengthMs: number, text: string): Period {
  const startMs = nowMs - lengthMs;
  const widthMs = lengthMs / BARS;
  return {
    title: `The last ${text}`,
    name: text,
    before: `${text} before`,
    bars: "in sevenths",
    startMs,
    endMs: nowMs,
    beforeMs: startMs - lengthMs,
    beforeEndMs: startMs,
    edges: Array.from({ length: BARS + 1 }, (_, index) => startMs + index * widthMs),
  };
}

/** The beginning of a day in local time, `days` from the one of `nowMs`. Days are not all of the same length. */
function midnight(nowMs: number, days: number): number {
  const date = new Date(nowMs);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime();
}

function dayEdges(nowMs: number): readonly number[] {
  const starts = Array.from({ length: BARS }, (_, index) => midnight(nowMs, index + 1 - BARS));
  return [...starts, Math.max(nowMs, (starts.at(-1) ?? 0) + DAY_MS)];
}

function dateOf(ms: number): string {
  const date = new Date(ms);
  return `${DAYS[date.getDay()]} ${date.getDate()} ${MONTHS[date.getMonth()]}`;
}
