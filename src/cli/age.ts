const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `just now`, `5 min ago`, `3 h ago`, `4 days ago` */
export function ageOf(nowMs: number, timeMs: number): string {
  const passed = Math.max(0, nowMs - timeMs);
  if (passed < MINUTE_MS) return "just now";
  if (passed < 2 * HOUR_MS) return `${Math.floor(passed / MINUTE_MS)} min ago`;
  if (passed < 2 * DAY_MS) return `${Math.floor(passed / HOUR_MS)} h ago`;
  return `${Math.floor(passed / DAY_MS)} days ago`;
}
