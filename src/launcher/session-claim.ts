import { isJsonObject, ownValue, readJson } from "../protocol/index.ts";
import { readText } from "../state/read-text.ts";
import { dirname, join } from "../system/paths.ts";
import { hasErrorCode, type ProcessIdentity, type System } from "../system/system.ts";

const LIMIT = 64 * 1024;

/** The session that the user's `session.json` names. */
export interface Claim {
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
): Claim | undefined {
  const path = claimPath(home);
  const ignore = (why: string): undefined => warn(`${path} is passed over: ${why}`) as undefined;
  let text: string | undefined;
  try {
    text = readText(system, path, LIMIT);
  } catch (error) {
    return ignore(error instanceof Error ? error.message : String(error));
  }
  if (text === undefined) return undefined;
  const read = readJson(text, { recover: false, maxDepth: 20 });
  if (!read.ok || !isJsonObject(read.value)) return ignore("it does not hold a JSON object");
  const [sessionId, pid, timestamp, start] = ["session_id", "pid", "timestamp", "pid_start"].map(name =>
    ownValue(read.value as never, name),
  );
  if (typeof sessionId !== "string" || sessionId === "") return ignore("it has no session_id");
  if (typeof pid !== "number" || !Number.isSafeInteger(pid)) return ignore("it has no pid");
  if (typeof timestamp !== "number") return ignore("it has no timestamp");
  return { sessionId, pid, timestamp, pidStart: typeof start === "string" ? start : undefined };
}

/** Removes a claim that was judged stale, unless another one has taken its place meanwhile. */
export function removeClaim(system: Pick<System, "files" | "text">, home: string, claim: Claim): void {
  const found = readClaim(system, home, () => {});
  if (found?.pid !== claim.pid || found.timestamp !== claim.timestamp) return;
  try {
    system.files.remove(claimPath(home));
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error;
  }
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
  // Linked into place, so that nobody ever reads half of it.
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

function isOwn(claim: Claim, self: ProcessIdentity): boolean {
  return claim.pid === self.pid && (claim.pidStart === undefined || claim.pidStart === self.start);
}
