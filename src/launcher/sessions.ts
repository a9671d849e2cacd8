import { errorText, isJsonObject, type Json, numberAt, readJson, stringAt } from "../protocol/index.ts";
import {
  appendJsonLine,
  makeRuntimeDirectory,
  Problem,
  readText,
  removeIfThere,
  resolvePath,
  runtimePath,
} from "../state/index.ts";
import { dirname, hasErrorCode, join, type ProcessIdentity, type System } from "../system/index.ts";

const MAX_BYTES = 64 * 1024;

/** The session that the user's `session.json` names. */
interface SessionClaim {
  readonly sessionId: string;
  readonly pid: number;
  readonly pidStart: string | undefined;
  /** seconds since 1970 */
  readonly timestamp: number;
}

function claimPath(home: string): string {
  return join(home, ".claude", "runtime", "session.json");
}

/** Undefined when there is none. An invalid one is reported to `warn` and ignored. */
function readClaim(
  system: Pick<System, "files" | "text">,
  home: string,
  warn: (text: string) => void,
): SessionClaim | undefined {
  const path = claimPath(home);
  const ignore = (why: string): undefined => warn(`${path} is ignored: ${why}`) as undefined;
  let text: string | undefined;
  try {
    text = readText(system, path, MAX_BYTES);
  } catch (error) {
    return ignore(errorText(error));
  }
  if (text === undefined) return undefined;
  const read = readJson(text, { recover: false, maxDepth: 20 });
  if (!read.ok || !isJsonObject(read.value)) return ignore("it is not a JSON object");
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
  removeIfThere(system.files, claimPath(home));
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

const NAME = "sessions.jsonl";
const ROTATION = { limitBytes: 1024 * 1024, keep: 1 };
const MAX_READ_BYTES = 2 * ROTATION.limitBytes;

/** One launch, as far as others need to know of it. */
interface LoggedSession {
  readonly sessionId: string;
  readonly pid: number;
  /** distinguishes processes that had the same pid */
  readonly pidStart: string | undefined;
  readonly launchDirectory: string;
  readonly startTime: string;
  readonly parentSessionId: string | undefined;
}

/** One launch by this process. */
interface StartedSession {
  readonly sessionId: string;
  readonly projectRoot: string;
  readonly directory: string;
  /** of the session that this one is nested in */
  readonly parentSessionId: string | undefined;
}

/** Appends the line that opens a session, to the log of the project. */
export function logStart(system: System, session: StartedSession, argv: readonly string[]): void {
  const { pid, start } = system.processes.self;
  makeRuntimeDirectory(system, session.projectRoot);
  append(system, session.projectRoot, {
    pid,
    ...(start === undefined ? {} : { pid_start: start }),
    session_id: session.sessionId,
    launch_dir: session.directory,
    argv,
    start_time: new Date(system.clock.nowMs()).toISOString(),
    is_auto_mode: false,
    is_nested: session.parentSessionId !== undefined,
    parent_session_id: session.parentSessionId ?? null,
    status: "active",
    end_time: null,
  });
}

/** The pid tells a nested session, which has its parent's id, from the parent. */
export function logEnd(system: System, session: StartedSession, status: "completed" | "crashed"): void {
  append(system, session.projectRoot, {
    session_id: session.sessionId,
    pid: system.processes.self.pid,
    status,
    end_time: new Date(system.clock.nowMs()).toISOString(),
  });
}

function append(system: System, projectRoot: string, line: Json): void {
  const path = runtimePath(system, projectRoot, NAME);
  appendJsonLine(system, path, line, { rotation: ROTATION });
}

/** Sessions that were opened and not closed, in the order of their start. Lines that cannot be read do not count. */
function readActiveSessions(system: System, projectRoot: string): readonly LoggedSession[] {
  const active = new Map<string, LoggedSession>();
  for (const line of (readText(system, runtimePath(system, projectRoot, NAME), MAX_READ_BYTES) ?? "").split(
    "\n",
  )) {
    const read = readJson(line, { recover: false, maxDepth: 20 });
    const record = read.ok ? read.value : undefined;
    const sessionId = stringAt(record, "session_id");
    const pid = numberAt(record, "pid");
    if (sessionId === undefined) continue;
    if (stringAt(record, "status") === "active") {
      const session = pid === undefined ? undefined : readSession(record, sessionId, pid);
      if (session !== undefined) active.set(`${sessionId} ${pid}`, session);
    } else if (pid !== undefined) active.delete(`${sessionId} ${pid}`);
    else for (const [key, session] of active) if (session.sessionId === sessionId) active.delete(key);
  }
  return [...active.values()].sort((a, b) => startMs(a) - startMs(b));
}

function readSession(record: Json | undefined, sessionId: string, pid: number): LoggedSession | undefined {
  const launchDirectory = stringAt(record, "launch_dir");
  if (launchDirectory === undefined) return undefined;
  return {
    sessionId,
    pid,
    pidStart: stringAt(record, "pid_start"),
    launchDirectory,
    startTime: String(stringAt(record, "start_time") ?? numberAt(record, "start_time") ?? ""),
    parentSessionId: stringAt(record, "parent_session_id") || undefined,
  };
}

/** RFC 3339, or seconds since 1970 as earlier versions wrote them. */
function startMs({ startTime }: LoggedSession): number {
  const ms = /^\d+(\.\d+)?$/.test(startTime) ? Number(startTime) * 1000 : Date.parse(startTime);
  return Number.isNaN(ms) ? 0 : ms;
}

export type Nesting =
  | { readonly kind: "not-nested" }
  | {
      readonly kind: "nested";
      readonly sessionId: string;
      readonly depth: number;
      /** the session's process is gone, but not for long: it may be starting again */
      readonly isOwnerDead: boolean;
    }
  | { readonly kind: "stale"; readonly claim: SessionClaim };

interface NestingPlaces {
  readonly directory: string;
  readonly projectRoot: string;
  readonly home: string;
}

const STALE_AFTER_SECONDS = 60 * 60;
const DEFAULT_MAX_DEPTH = 6;
const MAX_DEPTH = 32;

/** Whether this launch happens inside another session: by the environment, the project's log, the user's claim. */
export function detectNesting(system: System, places: NestingPlaces, warn: (text: string) => void): Nesting {
  const announced = system.env.get("AMPLIHACK_SESSION_ID") ?? "";
  if (announced !== "") {
    return { kind: "nested", sessionId: announced, depth: announcedDepth(system), isOwnerDead: false };
  }
  const logged = findLogged(system, places, warn);
  if (logged !== undefined) return logged;
  const claim = readClaim(system, places.home, warn);
  if (claim === undefined) return { kind: "not-nested" };
  if (isAlive(system, claim))
    return { kind: "nested", sessionId: claim.sessionId, depth: 1, isOwnerDead: false };
  const ageSeconds = system.clock.nowMs() / 1000 - claim.timestamp;
  return ageSeconds > STALE_AFTER_SECONDS
    ? { kind: "stale", claim }
    : { kind: "nested", sessionId: claim.sessionId, depth: 1, isOwnerDead: true };
}

function findLogged(
  system: System,
  { directory, projectRoot }: NestingPlaces,
  warn: (text: string) => void,
): Nesting | undefined {
  try {
    const here = resolvePath(system.files, directory);
    const session = readActiveSessions(system, projectRoot).findLast(
      each => tryResolve(system, each.launchDirectory) === here && isAlive(system, each),
    );
    if (session === undefined) return undefined;
    const depth = session.parentSessionId === undefined ? 1 : 2;
    return { kind: "nested", sessionId: session.sessionId, depth, isOwnerDead: false };
  } catch (error) {
    warn(`the log of sessions is ignored: ${errorText(error)}`);
    return undefined;
  }
}

function isAlive(
  system: System,
  { pid, pidStart }: { readonly pid: number; readonly pidStart: string | undefined },
): boolean {
  const found = system.processes.look(pid);
  if (found === undefined) return false;
  return pidStart === undefined || found.start === undefined || found.start === pidStart;
}

function tryResolve(system: System, path: string): string {
  try {
    return resolvePath(system.files, path);
  } catch {
    return path;
  }
}

/** A depth that cannot be read counts as the deepest: whatever made it must not go on. */
function announcedDepth(system: System): number {
  const text = system.env.get("AMPLIHACK_DEPTH")?.trim() ?? "";
  if (text === "") return 1;
  return /^\d{1,6}$/.test(text) ? Number(text) : depthLimit(system);
}

function depthLimit(system: System): number {
  const text = system.env.get("AMPLIHACK_MAX_DEPTH")?.trim() ?? "";
  if (text === "") return DEFAULT_MAX_DEPTH;
  if (/^[1-9]\d{0,8}$/.test(text)) return Math.min(Number(text), MAX_DEPTH);
  throw new Problem("AMPLIHACK_MAX_DEPTH is not usable: expected a whole number of at least 1", {
    kind: "environment",
    fix: `set AMPLIHACK_MAX_DEPTH to a number up to ${MAX_DEPTH}, or unset it`,
  });
}

/** The depth of the session about to start; refuses one that lies too deep. */
export function nextDepth(system: System, nesting: Nesting): number {
  const depth = nesting.kind === "nested" ? nesting.depth + 1 : 1;
  const limit = depthLimit(system);
  if (depth <= limit) return depth;
  throw new Problem(`sessions are nested too deeply: this would be number ${depth} of at most ${limit}`, {
    kind: "too-deep",
    fix: "end a session, or raise AMPLIHACK_MAX_DEPTH",
  });
}
