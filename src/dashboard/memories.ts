import { type Memory, type MemoryReader, openReader, openStore, rankByWords } from "../memory/index.ts";
import type { System } from "../system/index.ts";
import { clip } from "../text/index.ts";

/** A memory as the page shows it; the text is clipped. */
export interface MemoryEntry {
  readonly id: string;
  /** empty when it counts for every project */
  readonly project: string;
  readonly agent: string;
  readonly key: string;
  readonly text: string;
  readonly category: string;
  readonly updated: string;
}

const SHOWN = 50;
const TEXT_LENGTH = 1_000;
/** A page must not hang because another program holds the database. */
const PATIENCE_MS = 3_000;

export interface MemoryQuery {
  readonly limit?: number;
  readonly agent?: string | undefined;
  readonly projects?: readonly string[] | undefined;
}

/** Of the database of this machine. */
export async function findMemories(
  system: System,
  database: string,
  words: string,
  query: MemoryQuery = {},
): Promise<readonly MemoryEntry[]> {
  const reader = await openReader(system, database, { patienceMs: PATIENCE_MS });
  try {
    return await searchMemories(reader, system.clock.nowMs(), words, query);
  } finally {
    reader.close();
  }
}

/** The best matches; the newest when nothing is asked for. */
export async function searchMemories(
  reader: MemoryReader,
  nowMs: number,
  words: string,
  { limit = SHOWN, ...filter }: MemoryQuery,
): Promise<readonly MemoryEntry[]> {
  if (words.trim() === "") return (await reader.list(filter, "newest", limit)).map(toEntry);
  const found = await rankByWords(reader, words, filter, { limit, nowMs });
  return found.map(({ memory }) => toEntry(memory));
}

/** Removes one for good; false when it was gone already. */
export async function forgetMemory(
  system: System,
  database: string,
  memory: Pick<Memory, "agent" | "id">,
): Promise<boolean> {
  const store = await openStore(system, database, { patienceMs: PATIENCE_MS });
  try {
    return (await store.remove([memory])) > 0;
  } finally {
    store.close();
  }
}

function toEntry({ id, project, agent, key, value, category, updatedMs }: Memory): MemoryEntry {
  return {
    id,
    project,
    agent,
    key,
    text: clip(value, TEXT_LENGTH),
    category,
    updated: new Date(updatedMs).toISOString(),
  };
}
