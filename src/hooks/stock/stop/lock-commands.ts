import { findLocksRoot, findSessionId, makeRuntimeDirectory, runtimePath } from "../../../state/index.ts";
import { type System, writeAtomically } from "../../../system/index.ts";
import { countCharacters } from "../../../text/index.ts";
import { LockFiles } from "./lock-files.ts";

const MAX_MESSAGE_LENGTH = 1_000;

export type LockOutcome =
  | { readonly kind: "locked" | "already-locked"; readonly lockedAt: string | null }
  | { readonly kind: "bad-message"; readonly problem: string };

/** What `amplihack lock-status` prints. */
export interface LockStatus {
  readonly locked: boolean;
  readonly locked_at: string | null;
  readonly session_id: string | null;
  /** stops held so far; null when the counter cannot be read */
  readonly iterations: number | null;
}

/** Switches continuous-work mode on; a message becomes the reason that the agent is given at every stop. */
export function lock(system: System, message?: string): LockOutcome {
  const text = message?.trim();
  const length = text === undefined ? 1 : countCharacters(text);
  if (length < 1 || length > MAX_MESSAGE_LENGTH) {
    return {
      kind: "bad-message",
      problem: `the message must have 1 to ${MAX_MESSAGE_LENGTH} characters, it has ${length}`,
    };
  }
  makeRuntimeDirectory(system, findLocksRoot(system, undefined), "locks");
  const files = openLock(system);
  if (text !== undefined) {
    const bytes = system.text.encode(text);
    for (const path of [files.messagePath, files.promptPath]) writeAtomically(system, path, bytes);
  }
  const lockedAt = new Date(system.clock.nowMs()).toISOString();
  const sessionId = findSessionId(system, undefined);
  const owner = sessionId === undefined ? "" : `session_id: ${sessionId}\n`;
  const isNew = files.active.set(`locked_at: ${lockedAt}\n${owner}`);
  return isNew
    ? { kind: "locked", lockedAt }
    : { kind: "already-locked", lockedAt: files.facts().lockedAt ?? null };
}

/** Switches it off. The counter stays: it belongs to the session, not to the lock. */
export function unlock(system: System): {
  readonly wasLocked: boolean;
  readonly failures: readonly string[];
} {
  const files = openLock(system);
  const wasLocked = files.active.isSet();
  return { wasLocked, failures: files.remove() };
}

export function lockStatus(system: System): LockStatus {
  const files = openLock(system);
  if (!files.active.isSet()) return { locked: false, locked_at: null, session_id: null, iterations: 0 };
  const { lockedAt, ownerId } = files.facts();
  const sessionId = findSessionId(system, ownerId);
  return {
    locked: true,
    locked_at: lockedAt ?? null,
    session_id: ownerId ?? null,
    iterations: readIterations(files, sessionId),
  };
}

function readIterations(files: LockFiles, sessionId: string | undefined): number | null {
  try {
    const counter = sessionId === undefined ? files.latestCounter() : files.counter(sessionId);
    return counter?.read() ?? 0;
  } catch {
    return null;
  }
}

function openLock(system: System): LockFiles {
  return new LockFiles(system, runtimePath(findLocksRoot(system, undefined), "locks"));
}
