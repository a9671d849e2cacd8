import type { System } from "../system/index.ts";
import { compactTimestampWithMicroseconds } from "./timestamp.ts";
import { VARIABLES } from "./variables.ts";

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
