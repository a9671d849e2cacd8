import { errorText } from "../../../protocol/index.ts";
import {
  AtomicFlag,
  Counter,
  findLocksRoot,
  findSessionId,
  isStateError,
  makeRuntimeDirectory,
  readExactText,
  readText,
  runtimePath,
  sanitiseSessionId,
  VARIABLES,
} from "../../../state/index.ts";
import { hasErrorCode, join, type System, writeAtomically } from "../../../system/index.ts";
import { countCharacters } from "../../../text/index.ts";
import type { HookContext } from "../../program/hook-context.ts";

/** What lock mode says to a stop: go on with this reason, or let it stop. */
type LockVerdict = { readonly kind: "hold"; readonly reason: string } | { readonly kind: "release" };

const MAX_PROMPT_LENGTH = 1_000;
const LONG_PROMPT = 500;
const PROMPT_BYTES = 64 * 1024;

/** Begins every text of ours with which an agent is held, so that it is never taken for the user's. */
export const HOLD_MARK = "[amplihack]";

export const DEFAULT_CONTINUATION = [
  `${HOLD_MARK} Continuous-work mode is on: do not stop yet.`,
  "Look for what is still missing towards the user's goal: unfinished tasks, next steps you announced, checks you",
  "have not run. Take them up now and work on independent ones in parallel. The user switches this mode off with",
  '"amplihack unlock".',
].join(" ");

/** Decides a stop while the lock is on. Every way out of the lock is told to the person. */
export function judgeLock(context: HookContext, lock: LockFiles): LockVerdict {
  const sessionId = context.sessionId ?? "unknown";
  const reason = findRecoveryReason(context, lock, sessionId);
  if (reason !== undefined) {
    switchOff(context, lock, reason.counterOf, "lock_auto_recovered", { reason: reason.kind });
    context.notify(`lock mode was switched off: ${reason.text}`);
    return { kind: "release" };
  }
  context.metric("lock_blocks", 1);
  const limit = VARIABLES.AMPLIHACK_MAX_LOCK_ITERATIONS.get(context.system);
  const iterations = countStop(context, lock, sessionId, limit);
  if (iterations >= limit) {
    switchOff(context, lock, sessionId, "lock_safety_valve_triggered", { iterations });
    context.notify(
      `lock mode was switched off after ${iterations} stops in a row; switch it on again with "amplihack lock"`,
    );
    return { kind: "release" };
  }
  context.log("INFO", `lock mode holds the stop, ${iterations} of ${limit}`);
  return { kind: "hold", reason: readContinuation(context, lock) };
}

interface Recovery {
  readonly kind: "owner" | "age";
  readonly text: string;
  /** whose counter goes with the lock */
  readonly counterOf: string;
}

/** A lock of another session, or one that is too old, does not hold this one. */
function findRecoveryReason(context: HookContext, lock: LockFiles, sessionId: string): Recovery | undefined {
  const { lockedAt, ownerId } = readFacts(context, lock);
  const owner = ownerId === undefined ? undefined : sanitiseSessionId(ownerId);
  if (owner !== undefined && owner !== sessionId) {
    return { kind: "owner", text: "it belongs to another session", counterOf: owner };
  }
  const lockedMs = lockedAt === undefined ? undefined : parseLockTime(lockedAt);
  if (lockedMs === undefined) context.metric("lock_metadata_parse_errors", 1);
  const { files, clock } = context.system;
  const since = lockedMs ?? files.inspect(lock.active.path)?.modifiedMs ?? clock.nowMs();
  const age = Math.max(0, clock.nowMs() - since);
  const ttlSeconds = VARIABLES.AMPLIHACK_LOCK_TTL_SECONDS.get(context.system);
  if (age < ttlSeconds * 1000) return undefined;
  return { kind: "age", text: `it is older than ${ttlSeconds} seconds`, counterOf: sessionId };
}

/** A lock that cannot be read is a lock all the same: it says neither whose it is nor since when. */
function readFacts(context: HookContext, lock: LockFiles): LockFacts {
  try {
    return lock.facts();
  } catch (error) {
    context.report(`the lock of lock mode cannot be read: ${errorText(error)}`);
    return { lockedAt: undefined, ownerId: undefined };
  }
}

/** A counter that cannot be trusted counts as full: better one stop too many than an agent that never stops. */
function countStop(context: HookContext, lock: LockFiles, sessionId: string, limit: number): number {
  try {
    return lock.counter(sessionId).increment();
  } catch (error) {
    const isCorrupt = isStateError(error, "malformed");
    context.metric(isCorrupt ? "lock_counter_corruptions" : "lock_counter_update_errors", 1);
    context.report(`the stops of lock mode could not be counted: ${errorText(error)}`);
    return limit;
  }
}

function switchOff(
  context: HookContext,
  lock: LockFiles,
  counterOf: string,
  metric: string,
  metadata: Readonly<Record<string, string | number>>,
): void {
  context.metric(metric, 1, metadata);
  const failures = [...lock.remove()];
  try {
    lock.counter(counterOf).reset();
  } catch (error) {
    failures.push(errorText(error));
  }
  if (failures.length === 0) return;
  context.metric("semaphore_cleanup_errors", failures.length);
  context.report(`lock mode could not be switched off completely: ${failures.join("; ")}`);
}

function readContinuation(context: HookContext, lock: LockFiles): string {
  try {
    const read = readExactText(context.system, lock.promptPath, PROMPT_BYTES);
    const text = read === undefined || read.replaced ? "" : read.text.trim();
    const length = countCharacters(text);
    if (read !== undefined && (read.replaced || length > MAX_PROMPT_LENGTH)) {
      context.log(
        "WARNING",
        `the continuation prompt is not used: ${read.replaced ? "not UTF-8" : "too long"}`,
      );
    }
    if (length === 0 || length > MAX_PROMPT_LENGTH) return DEFAULT_CONTINUATION;
    if (length > LONG_PROMPT) context.log("WARNING", `the continuation prompt has ${length} characters`);
    return text;
  } catch (error) {
    context.log("WARNING", `the continuation prompt cannot be read: ${errorText(error)}`);
    return DEFAULT_CONTINUATION;
  }
}

/** What `.lock_active` says of itself; every part may be missing. */
interface LockFacts {
  readonly lockedAt: string | undefined;
  readonly ownerId: string | undefined;
}

const CONTENT_LIMIT = 64 * 1024;

/** The files of continuous-work mode, all in one directory. */
export class LockFiles {
  readonly active: AtomicFlag;
  readonly messagePath: string;
  readonly promptPath: string;
  private readonly goalPath: string;
  private readonly directory: string;
  private readonly system: System;

  constructor(system: System, directory: string) {
    this.system = system;
    this.directory = directory;
    this.active = new AtomicFlag(join(directory, ".lock_active"), { system });
    this.goalPath = join(directory, ".lock_goal");
    this.messagePath = join(directory, ".lock_message");
    this.promptPath = join(directory, ".continuation_prompt");
  }

  /** Lines `key: value`; anything else, a directory included, is a lock that says nothing. */
  facts(): LockFacts {
    const values = new Map<string, string>();
    for (const line of this.content().split("\n")) {
      const colon = line.indexOf(":");
      if (colon > 0) values.set(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
    }
    return { lockedAt: nonEmpty(values.get("locked_at")), ownerId: nonEmpty(values.get("session_id")) };
  }

  private content(): string {
    try {
      return readText(this.system, this.active.path, CONTENT_LIMIT) ?? "";
    } catch (error) {
      if (hasErrorCode(error, "EISDIR", "EFBIG")) return "";
      throw error;
    }
  }

  counter(sessionId: string): Counter {
    return new Counter(join(this.directory, sessionId, "lock_invocations.txt"), { system: this.system });
  }

  /** The counter that moved last since the lock was set, for a lock that does not say whose it is. */
  latestCounter(): Counter | undefined {
    const { files } = this.system;
    const since = files.inspect(this.active.path)?.modifiedMs ?? 0;
    const counters = files.list(this.directory).flatMap(name => {
      const counter = this.counter(name);
      const facts = files.inspect(counter.path);
      return facts === undefined || facts.modifiedMs < since ? [] : [{ counter, at: facts.modifiedMs }];
    });
    return counters.sort((one, other) => other.at - one.at)[0]?.counter;
  }

  /** Removes the four files and tells which could not be removed. */
  remove(): readonly string[] {
    const paths = [this.active.path, this.goalPath, this.messagePath, this.promptPath];
    return paths.flatMap(path => {
      try {
        new AtomicFlag(path, { system: this.system }).clear();
        return [];
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        return [error.message];
      }
    });
  }
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === "" ? undefined : text;
}

/** Milliseconds since 1970 of `2026-01-02T03:04:05`, local unless it names a zone; undefined for anything else. */
export function parseLockTime(text: string): number | undefined {
  const match = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.(\d{1,9}))?(Z|[+-]\d{2}:?\d{2})?$/.exec(
    text,
  );
  if (match === null) return undefined;
  const [, day, time, fraction = "0", zone = ""] = match;
  const seconds = time?.length === 5 ? `${time}:00` : time;
  const offset = zone.replace(/^([+-]\d{2})(\d{2})$/, "$1:$2");
  const ms = Date.parse(`${day}T${seconds}.${fraction.padEnd(3, "0").slice(0, 3)}${offset}`);
  return Number.isNaN(ms) ? undefined : ms;
}

const WRAPPING = 200;

/** True for a held text that the host put in the user's place, with whatever it writes in front. */
export function isHeldText(text: string): boolean {
  return text.slice(0, WRAPPING).includes(HOLD_MARK);
}

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
  return new LockFiles(system, runtimePath(system, findLocksRoot(system, undefined), "locks"));
}
