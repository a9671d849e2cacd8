import { type Json, numberAt, readJson, stringAt } from "../protocol/index.ts";
import { appendJsonLine, containPath, makeRuntimeDirectory, readText, runtimePath } from "../state/index.ts";
import type { System } from "../system/index.ts";

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
export interface StartedSession {
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
  const path = containPath(system.files, projectRoot, runtimePath(projectRoot, NAME));
  appendJsonLine(system, path, line, { rotation: ROTATION });
}

/** Sessions that were opened and not closed, in the order of their start. Lines that cannot be read do not count. */
export function readActiveSessions(
  system: Pick<System, "files" | "text">,
  projectRoot: string,
): readonly LoggedSession[] {
  const active = new Map<string, LoggedSession>();
  for (const line of (readText(system, runtimePath(projectRoot, NAME), MAX_READ_BYTES) ?? "").split("\n")) {
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
