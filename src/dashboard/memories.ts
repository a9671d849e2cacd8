import type { Memory } from "../memory/memory.ts";
import { openReader, openStore } from "../memory/open-store.ts";
import { rankByWords } from "../memory/rank-by-words.ts";
import type { MemoryReader } from "../memory/store.ts";
import { clip } from "../state/index.ts";
import type { System } from "../system/system.ts";

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

/** The best matches; the newest when nothing is asked for. */
export async function findMemories(
  system: System,
  database: string,
  words: string,
  { limit = SHOWN, agent }: { readonly limit?: number; readonly agent?: string | undefined } = {},
): Promise<readonly MemoryEntry[]> {
  const reader = await openReader(system, database, { patienceMs: PATIENCE_MS });
  try {
    return (await search(reader, system, words, { limit, agent })).map(toEntry);
  } finally {
    reader.close();
  }
}

async function search(
  reader: MemoryReader,
  system: System,
  words: string,
  { limit, agent }: { readonly limit: number; readonly agent: string | undefined },
): Promise<readonly Memory[]> {
  if (words.trim() === "") return reader.list({ agent }, "newest", limit);
  const found = await rankByWords(reader, words, { agent }, { limit, nowMs: system.clock.nowMs() });
  return found.map(({ memory }) => memory);
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
