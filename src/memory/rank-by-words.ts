import { type RankedMemory, rankCandidates } from "./ranking.ts";
import { readQuery } from "./search-words.ts";
import type { MemoryFilter, MemoryReader } from "./store.ts";

/** What recency and use may lift above a better fit of words, for each one that is wanted. */
const CANDIDATES_EACH = 10;

/** The memories that fit the words best, at most `limit`, the best first. */
export async function rankByWords(
  reader: MemoryReader,
  words: string,
  filter: MemoryFilter,
  { limit, nowMs }: { readonly limit: number; readonly nowMs: number },
): Promise<readonly RankedMemory[]> {
  const candidates = await reader.search(readQuery(words), filter, limit * CANDIDATES_EACH);
  return rankCandidates(candidates, nowMs, limit);
}
