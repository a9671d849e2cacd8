import { errorText } from "../../../protocol/index.ts";
import { isStateError, readExactText, sanitiseSessionId, VARIABLES } from "../../../state/index.ts";
import { countCharacters } from "../../../text/index.ts";
import type { HookContext } from "../../program/context.ts";
import { HOLD_MARK } from "./hold-mark.ts";
import { type LockFacts, type LockFiles, parseLockTime } from "./lock-files.ts";

/** What lock mode says to a stop: go on with this reason, or let it stop. */
export type LockVerdict = { readonly kind: "hold"; readonly reason: string } | { readonly kind: "release" };

const MAX_PROMPT_LENGTH = 1_000;
const LONG_PROMPT = 500;
const PROMPT_BYTES = 64 * 1024;

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
