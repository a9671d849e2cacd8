import { errorText, isJsonObject, numberAt, readJson, stringAt } from "../protocol/index.ts";
import { ignoreAbsent, readText } from "../state/index.ts";
import { dirname, hasErrorCode, join, type ProcessIdentity, type System } from "../system/index.ts";

const MAX_BYTES = 64 * 1024;

/** The session that the user's `session.json` names. */
export interface SessionClaim {
  readonly sessionId: string;
  readonly pid: number;
  readonly pidStart: string | undefined;
  /** seconds since 1970 */
  readonly timestamp: number;
}

function claimPath(home: string): string {
  return join(home, ".claude", "runtime", "session.json");
}

/** Undefined when there is none; one that cannot be understood is told to `warn` and counts as none. */
export function readClaim(
  system: Pick<System, "files" | "text">,
  home: string,
  warn: (text: string) => void,
): SessionClaim | undefined {
  const path = claimPath(home);
  const ignore = (why: string): undefined => warn(`${path} is passed over: ${why}`) as undefined;
  let text: string | undefined;
  try {
    text = readText(system, path, MAX_BYTES);
  } catch (error) {
    return ignore(errorText(error));
  }
  if (text === undefined) return undefined;
  const read = readJson(text, { recover: false, maxDepth: 20 });
  if (!read.ok || !isJsonObject(read.value)) return ignore("it does not hold a JSON object");
  const sessionId = stringAt(read.value, "session_id") ?? "";
  const pid = numberAt(read.value, "pid");
  const timestamp = numberAt(read.value, "timestamp");
  if (sessionId === "") return ignore("it has no session_id");
  if (pid === undefined || !Number.isSafeInteger(pid)) return ignore("it has no pid");
  if (timestamp === undefined) return ignore("it has no timestamp");
  return { sessionId, pid, timestamp, pidStart: stringAt(read.value, "pid_start") };
}

/** Removes a claim that was judged stale, unless another one has taken its place meanwhile. */
export function removeClaim(system: Pick<System, "files" | "text">, home: string, claim: SessionClaim): void {
  const found = readClaim(system, home, () => {});
  if (found?.pid !== claim.pid || found.timestamp !== claim.timestamp) return;
  ignoreAbsent(() => system.files.remove(claimPath(home)));
}

/** Of two launches at the same time one gets it; false for the other. */
export function takeClaim(system: System, home: string, sessionId: string): boolean {
  const { pid, start } = system.processes.self;
  const timestamp = Math.floor(system.clock.nowMs() / 1000);
  const record = {
    session_id: sessionId,
    pid,
    timestamp,
    ...(start === undefined ? {} : { pid_start: start }),
  };
  const path = claimPath(home);
  system.files.makeDirectory(join(home, ".claude"), 0o755);
  system.files.makeDirectory(dirname(path), 0o700);
  // Linked into place, so that no reader ever sees half of it.
  const temporary = `${path}.${system.random.hex(16)}.tmp`;
  system.files.createExclusive(temporary, system.text.encode(`${JSON.stringify(record)}\n`), 0o600);
  try {
    system.files.link(temporary, path);
    return true;
  } catch (error) {
    if (hasErrorCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    system.files.remove(temporary);
  }
}

/** Only the process that took it gives it back. */
export function releaseClaim(system: System, home: string): void {
  const claim = readClaim(system, home, () => {});
  if (claim === undefined || !isOwn(claim, system.processes.self)) return;
  removeClaim(system, home, claim);
}

function isOwn(claim: SessionClaim, self: ProcessIdentity): boolean {
  return claim.pid === self.pid && (claim.pidStart === undefined || claim.pidStart === self.start);
}
