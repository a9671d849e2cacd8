import type { Category, Memory, MemoryDraft } from "./memory.ts";
import type { SearchQuery } from "./search-words.ts";

/** All members given must hold; the empty filter holds for everything. */
export interface MemoryFilter {
  /** one of these */
  readonly projects?: readonly string[] | undefined;
  readonly agent?: string | undefined;
  readonly session?: string | undefined;
  readonly key?: string | undefined;
  readonly category?: Category | undefined;
  readonly updatedSinceMs?: number | undefined;
}

/** A memory that has at least one of the words, with its BM25 weight; greater is better, zero is possible. */
export interface WeightedMemory {
  readonly memory: Memory;
  readonly weight: number;
}

/** Asking changes nothing, not even what does not exist yet. All failures are `MemoryError`. */
export interface MemoryReader {
  /** Ordered by agent, session and key, or with the latest change first. */
  list(filter: MemoryFilter, order: "name" | "newest", limit?: number): Promise<readonly Memory[]>;
  /** The best by weight, at most `limit`. */
  search(query: SearchQuery, filter: MemoryFilter, limit: number): Promise<readonly WeightedMemory[]>;
  close(): void;
}

/** What is dropped when something learnt is added: of these keys in this project, the oldest. */
export interface Retention {
  readonly keyPrefix: string;
  readonly keepNewest: number;
  readonly updatedSinceMs: number;
}

export interface ImportCounts {
  readonly added: number;
  readonly replaced: number;
  /** the store had the same or something later */
  readonly kept: number;
}

/** Every change is one transaction: it is there completely or not at all. */
export interface MemoryStore extends MemoryReader {
  /** Adds it, or replaces the one of the same name, which keeps its id and its date of creation. */
  put(draft: MemoryDraft): Promise<{ readonly memory: Memory; readonly isNew: boolean }>;
  /**
   * Adds it unless this project and agent already have one that says the same; that one then counts as updated.
   * Afterwards `retention` is applied.
   */
  remember(
    draft: MemoryDraft,
    retention: Retention,
  ): Promise<{ readonly memory: Memory; readonly isNew: boolean }>;
  /** Removes by agent and id, beyond recovery from the files; tells how many there were. */
  remove(memories: readonly Pick<Memory, "agent" | "id">[]): Promise<number>;
  /**
   * Takes memories of one agent in as they are, ids and dates included. An agent that has some already is
   * `occupied`, unless it is a merge: then of two with the same name the later change stays, and an id that
   * another memory has is replaced by a fresh one.
   */
  take(agent: string, memories: readonly Memory[], isMerge: boolean): Promise<ImportCounts>;
}

/** What a place without a database answers. */
export const EMPTY_READER: MemoryReader = {
  list: () => Promise.resolve([]),
  search: () => Promise.resolve([]),
  close() {},
};
