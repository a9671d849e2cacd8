/** Clock readings as the files and logs of a project show them: local time, no zone. */

/** `2026-01-02T03:04:05.123000` */
export function localTimestamp(ms: number): string {
  const date = new Date(ms);
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day}T${localTimeParts(date).join(":")}.${microseconds(date)}`;
}

/** `20260102_030405`, for file names */
export function compactTimestamp(ms: number): string {
  const date = new Date(ms);
  return `${date.getFullYear()}${two(date.getMonth() + 1)}${two(date.getDate())}_${localTimeParts(date).join("")}`;
}

/** `20260102_030405_123000` */
export function compactTimestampWithMicroseconds(ms: number): string {
  return `${compactTimestamp(ms)}_${microseconds(new Date(ms))}`;
}

function localTimeParts(date: Date): readonly string[] {
  return [two(date.getHours()), two(date.getMinutes()), two(date.getSeconds())];
}

function microseconds(date: Date): string {
  return `${String(date.getMilliseconds()).padStart(3, "0")}000`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
