import type { Category, Memory, MemoryDraft, MemoryId } from "./memory.ts";
import type { SearchQuery } from "./search-words.ts";

/** All members given must hold; the empty filter holds for everything. */
export interface MemoryFilter {
  /** one of these */
  readonly projects?: readonly string[] | undefined;
  readonly agent?: string | undefined;
  readonly session?: string | undefined;
  readonly id?: string | undefined;
  readonly key?: string | undefined;
  readonly category?: Category | undefined;
  readonly updatedSinceMs?: number | undefined;
  /** not yet shown to this session, at its start or at a prompt */
  readonly unseenBy?: string | undefined;
  /** not yet shown to this session at a prompt */
  readonly unrecalledBy?: string | undefined;
}

/** A memory that has at least one of the words, with its BM25 weight; greater is better, zero is possible. */
export interface WeightedMemory {
  readonly memory: Memory;
  readonly weight: number;
  /** how many sessions it was recalled in, and when last; nothing when in none */
  readonly uses?: number;
  readonly usedMs?: number;
}

/** How many memories there are, and how many of them have each of the terms that were asked about. */
export interface WordCounts {
  readonly memories: number;
  readonly matches: ReadonlyMap<string, number>;
}

/** Memories were put before a session: because they fit a prompt, or at its start. Only the former is use. */
export interface MemoryUse {
  /** the project that the session works in */
  readonly project: string;
  /** empty when it is not known */
  readonly session: string;
  readonly occasion: "prompt" | "start";
}

/** Asking changes nothing, not even what does not exist yet. All failures are `MemoryError`. */
export interface MemoryReader {
  /** Ordered by agent, session and key, or with the latest change first. */
  list(filter: MemoryFilter, order: "name" | "newest", limit?: number): Promise<readonly Memory[]>;
  /** The best by weight, at most `limit`. */
  search(query: SearchQuery, filter: MemoryFilter, limit: number): Promise<readonly WeightedMemory[]>;
  /** Of all memories, whoever they belong to. Large counts need not be exact. */
  countWords(terms: readonly string[]): Promise<WordCounts>;
  /**
   * What a session of this project begins with: pinned memories, then those that the project stored or used since
   * then, the latest first. Memories of other projects are not among them.
   */
  latest(project: string, sinceMs: number, limit: number): Promise<readonly Memory[]>;
  close(): void;
}

/** What is dropped when something learnt is added: of these keys in this project, the oldest that are not pinned. */
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
  remove(memories: readonly MemoryId[]): Promise<number>;
  /** Pins them, or takes the pin away; tells how many there were. */
  pin(memories: readonly MemoryId[], isPinned: boolean): Promise<number>;
  recordUse(memories: readonly MemoryId[], use: MemoryUse): Promise<void>;
  /**
   * Takes memories of these agents in as they are, ids and dates included. An agent that has some already is
   * `occupied`, unless it is a merge: then of two with the same name the later change stays, and an id that
   * another memory has is replaced by a fresh one.
   */
  take(
    agents: string | readonly string[],
    memories: readonly Memory[],
    isMerge: boolean,
  ): Promise<ImportCounts>;
}

/** What a place without a database answers. */
export const EMPTY_READER: MemoryReader = {
  list: () => Promise.resolve([]),
  search: () => Promise.resolve([]),
  countWords: () => Promise.resolve({ memories: 0, matches: new Map() }),
  latest: () => Promise.resolve([]),
  close() {},
};
