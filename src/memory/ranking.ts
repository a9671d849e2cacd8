import type { Memory } from "./memory.ts";
import type { WeightedMemory } from "./store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** After this long a memory that nobody used has lost half of what recency gives it; each doubling of uses adds as much. */
const HALF_LIFE_DAYS = 30;
/** Share of the score that recency decides; the rest is the words alone. */
const RECENCY_SHARE = 0.3;

export interface RankedMemory {
  readonly memory: Memory;
  /** 1 is the best match, changed just now */
  readonly relevance: number;
}

/**
 * BM25 relative to the best candidate, less what age takes away; use keeps a memory young. Weights are compared with each other only: in a
 * store of a few memories BM25 itself is close to zero for everything.
 */
export function rankCandidates(
  candidates: readonly WeightedMemory[],
  nowMs: number,
  limit: number,
): readonly RankedMemory[] {
  const best = Math.max(Number.MIN_VALUE, ...candidates.map(({ weight }) => weight));
  return candidates
    .map(candidate => ({
      memory: candidate.memory,
      relevance: (candidate.weight / best) * freshness(candidate, nowMs),
    }))
    .sort((one, other) => other.relevance - one.relevance || compareByAge(one.memory, other.memory))
    .slice(0, limit);
}

/** 1 for what was changed or used just now, never less than what the words alone decide. */
export function freshness({ memory, uses = 0, usedMs = 0 }: WeightedMemory, nowMs: number): number {
  const days = Math.max(0, nowMs - Math.max(memory.updatedMs, usedMs)) / DAY_MS;
  const halfLife = HALF_LIFE_DAYS * (1 + Math.log2(1 + uses));
  return 1 - RECENCY_SHARE + RECENCY_SHARE * 0.5 ** (days / halfLife);
}

function compareByAge(one: Memory, other: Memory): number {
  return other.updatedMs - one.updatedMs || (one.id < other.id ? -1 : 1);
}

/** How many memories a search weighs at most; beyond that BM25 would cost more than it tells. */
export const MAX_WEIGHED = 4_000;

/** A form of a word or phrase that is looked for, and how many memories have it. */
export interface CountedForm {
  readonly phrase: string;
  readonly matches: number;
}

/** As in BM25, but never negative: in a small store a word may be in most memories. */
export function rarity(matches: number, memories: number): number {
  return Math.log(1 + (Math.max(memories, matches) - matches + 0.5) / (matches + 0.5));
}

/** One try of a search. Without weighing, all matches are equal and the newest are taken. */
export interface SearchAttempt {
  readonly phrases: readonly string[];
  readonly isWeighed: boolean;
}

/**
 * What to look for, in the order of trying until something is found. First the rarest phrases, as many as can be
 * weighed together: those that are everywhere say nothing beside them. Then each of the others alone, since the
 * rare ones may not occur in the scope that is asked about. `matches` need not be exact above what can be weighed.
 */
export function planSearch(counted: readonly CountedForm[]): readonly SearchAttempt[] {
  const found = counted
    .filter(({ matches }) => matches > 0)
    .sort((one, other) => one.matches - other.matches);
  let total = 0;
  const tooMany = found.findIndex(({ matches }) => {
    total += matches;
    return total > MAX_WEIGHED;
  });
  const together = tooMany < 0 ? found : found.slice(0, tooMany);
  const alone = tooMany < 0 ? [] : found.slice(tooMany);
  return [
    ...(together.length === 0 ? [] : [{ phrases: together.map(({ phrase }) => phrase), isWeighed: true }]),
    ...alone.map(({ phrase, matches }) => ({ phrases: [phrase], isWeighed: matches <= MAX_WEIGHED })),
  ];
}
