import { MAX_TIME_MS, type Memory, type MemoryName } from "../memory.ts";
import { CHANGE } from "../sqlite-schema.ts";

/** An entry of the local log of changes, with what is stored under its name now. */
export interface PendingChange extends MemoryName {
  /** of the entry; a later change of the same memory has another */
  readonly number: number;
  /** `CHANGE` says what the bits mean */
  readonly changes: number;
  /** the team's revision that the copy had when the change was made */
  readonly base: number;
  /** undefined when it was removed */
  readonly memory: Memory | undefined;
  readonly removedMs: number;
}

/** What the team has under a name. */
export type TeamState =
  | { readonly kind: "memory"; readonly memory: Memory; readonly revision: number }
  | { readonly kind: "removed"; readonly removedMs: number; readonly revision: number }
  | { readonly kind: "absent" };

export type NamedState = MemoryName & { readonly state: TeamState };

/** A clock may be ahead of the server's by this much; a later date counts as this. */
export const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** What is done about a change. Without any member the team's state stays as it is. */
export interface Decision {
  /** becomes the team's */
  readonly store?: Memory;
  /** the team's is removed, with all earlier texts; together with `store`, first */
  readonly removedMs?: number;
  /** a text that came too late, to be kept beside the team's */
  readonly earlier?: Memory;
}

/**
 * Which of two changes stays. One that was made in knowledge of the team's state follows it, whatever the clocks say.
 * Of two that knew nothing of each other the later stays, by dates that are at most a little ahead of the server's
 * clock; at the same date the one that arrived first. Deciding about the same change again changes nothing.
 */
export function decide(change: PendingChange, state: TeamState, serverMs: number): Decision {
  const limitMs = serverMs + CLOCK_TOLERANCE_MS;
  const isKnown = state.kind === "absent" || state.revision <= change.base;
  if (change.memory === undefined) {
    if (state.kind !== "memory") return {};
    const removedMs = Math.min(change.removedMs, limitMs);
    if (isKnown) return { removedMs: Math.max(removedMs, state.memory.updatedMs) };
    return removedMs >= state.memory.updatedMs ? { removedMs } : {};
  }
  const memory = { ...change.memory, updatedMs: Math.min(change.memory.updatedMs, limitMs) };
  switch (state.kind) {
    case "absent":
      return { store: memory };
    case "removed":
      if (isKnown) return { store: { ...memory, updatedMs: laterThan(state.removedMs, memory.updatedMs) } };
      return memory.updatedMs > state.removedMs ? { store: memory } : {};
    case "memory":
      return decideBetween(change.changes, memory, state.memory, isKnown);
  }
}

function decideBetween(changes: number, mine: Memory, theirs: Memory, isKnown: boolean): Decision {
  const wasPinned = theirs.isPinned === true;
  const isPinned = (changes & CHANGE.pin) === 0 ? wasPinned : mine.isPinned === true;
  const pinned = isPinned === wasPinned ? {} : { store: { ...theirs, isPinned } };
  if ((changes & CHANGE.content) === 0) return pinned;
  if (hasSameText(mine, theirs)) {
    if (mine.updatedMs <= theirs.updatedMs) return pinned;
    return { store: { ...theirs, updatedMs: mine.updatedMs, isPinned } };
  }
  if (!isKnown && mine.updatedMs <= theirs.updatedMs) return { ...pinned, earlier: mine };
  const updatedMs = isKnown ? laterThan(theirs.updatedMs, mine.updatedMs) : mine.updatedMs;
  // Removed and stored anew: what was known of it is to be forgotten.
  if (isKnown && (changes & CHANGE.removal) !== 0)
    return { removedMs: updatedMs, store: { ...mine, updatedMs, isPinned: mine.isPinned === true } };
  const { id, createdMs } = theirs;
  return { store: { ...mine, id, createdMs, updatedMs, isPinned } };
}

/** Nothing is later than the last date there is, which somebody may have written by hand. */
function laterThan(ms: number, wantedMs: number): number {
  return Math.min(Math.max(wantedMs, ms + 1), MAX_TIME_MS);
}

export function hasSameText(one: Memory, other: Memory): boolean {
  return (
    one.value === other.value &&
    one.type === other.type &&
    one.category === other.category &&
    one.project === other.project
  );
}
