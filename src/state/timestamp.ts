import type { System } from "../system/index.ts";
import { VARIABLES } from "./variables.ts";

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

const MAX_LENGTH = 128;

/** The session of the hook calls that `amplihack doctor` makes to try the hooks. No agent runs in it. */
export const DOCTOR_SESSION = "amplihack-doctor";

/** A session id that is safe as a file name: letters, digits, `_` and `-`, at most 128; never empty. */
export function sanitiseSessionId(raw: string): string {
  const clean = raw.replace(/[^A-Za-z0-9_-]/gu, "_").slice(0, MAX_LENGTH);
  return clean === "" ? "unknown" : clean;
}

/**
 * The id of the session at hand, sanitised: the payload's, else the first of the three variables. Undefined when
 * none says; what then stands in differs by use.
 */
export function findSessionId(
  system: Pick<System, "env">,
  payloadId: string | undefined,
): string | undefined {
  const candidates = [
    payloadId,
    VARIABLES.AMPLIHACK_SESSION_ID.tryGet(system),
    VARIABLES.CLAUDE_SESSION_ID.tryGet(system),
    VARIABLES.CLAUDE_CODE_SESSION_ID.tryGet(system),
  ];
  const found = candidates.find(candidate => candidate !== undefined && candidate !== "");
  return found === undefined ? undefined : sanitiseSessionId(found);
}

/** A fresh id in clock form, for session files only: it differs with every call. */
export function generateSessionId(system: Pick<System, "clock">): string {
  return compactTimestampWithMicroseconds(system.clock.nowMs());
}
