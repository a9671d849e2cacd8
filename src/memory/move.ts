import {
  CATEGORIES,
  idKey,
  isSameMemory,
  type Memory,
  type MemoryId,
  type MemoryStore,
  type MemoryUse,
  nameKey,
  VALUE_TYPES,
  type WeightedMemory,
} from "./memory.ts";

/** One use, with the memory that it was of. */
export interface StoredUse extends MemoryUse, MemoryId {
  readonly usedMs: number;
}

/** A store whose memories can move to another one with all that is known about them. */
export interface MovableStore extends MemoryStore {
  listUses(): Promise<readonly StoredUse[]>;
  /** Of a use that is known already the later time stays. Uses of memories that are not there are left out. */
  takeUses(uses: readonly StoredUse[]): Promise<void>;
}

interface MoveCounts {
  readonly memories: number;
  /** in every member the same at the target now, with their uses */
  readonly equal: readonly Memory[];
  /** the target has a later change under that name, which stays */
  readonly superseded: readonly Memory[];
  /** the target has something else under that name, or that id */
  readonly different: readonly Memory[];
}

const BATCH = 500;

/**
 * Copies all memories and compares the stores afterwards. Nothing is removed anywhere. Whatever ends it midway, doing it
 * again completes it.
 */
export async function copyMemories(source: MovableStore, target: MovableStore): Promise<MoveCounts> {
  const memories = await source.list({}, "name");
  for (const batch of cutIntoBatches(memories)) await target.take([], batch, true);
  const arrived = byName(await target.list({}, "name"));
  const there = (memory: Memory): Memory | undefined => arrived.get(nameKey(memory));
  for (const isPinned of [true, false]) {
    const wrong = memories.filter(
      memory =>
        (memory.isPinned ?? false) === isPinned &&
        isSameMemory({ ...memory, isPinned: !isPinned }, there(memory)),
    );
    for (const batch of cutIntoBatches(wrong)) await target.pin(batch, isPinned);
  }
  const ids = new Map(memories.map(memory => [idKey(memory), there(memory)?.id ?? memory.id]));
  const uses = (await source.listUses()).map(use => ({ ...use, id: ids.get(idKey(use)) ?? use.id }));
  for (const batch of cutIntoBatches(uses)) await target.takeUses(batch);
  return compare(memories, byName(await target.list({}, "name")));
}

/** Removes at the source what `copyMemories` found equal and nobody changed since; tells how many. */
export async function removeMoved(source: MovableStore, equal: readonly Memory[]): Promise<number> {
  const now = byName(await source.list({}, "name"));
  const unchanged = equal.filter(memory => isSameMemory(memory, now.get(nameKey(memory))));
  let removed = 0;
  for (const batch of cutIntoBatches(unchanged)) removed += await source.remove(batch);
  return removed;
}

function compare(memories: readonly Memory[], arrived: ReadonlyMap<string, Memory>): MoveCounts {
  const [equal, superseded, different]: [Memory[], Memory[], Memory[]] = [[], [], []];
  for (const memory of memories) {
    const there = arrived.get(nameKey(memory));
    if (isSameMemory(memory, there)) equal.push(memory);
    else (there !== undefined && there.updatedMs > memory.updatedMs ? superseded : different).push(memory);
  }
  return { memories: memories.length, equal, superseded, different };
}

function byName(memories: readonly Memory[]): ReadonlyMap<string, Memory> {
  return new Map(memories.map(memory => [nameKey(memory), memory]));
}

function* cutIntoBatches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += BATCH) yield items.slice(from, from + BATCH);
}

/** How a store reads the columns of one row. What a column cannot be is thrown as `unreadable` says. */
interface RowReader {
  text(column: string): string;
  time(column: string): number;
  unreadable(column: string): Error;
}

export function readMemory({ text, time, unreadable }: RowReader, isPinned: boolean): Memory {
  const readChoice = <T extends string>(column: string, allowed: readonly T[]): T => {
    const given = text(column);
    const found = allowed.find(value => value === given);
    if (found === undefined) throw unreadable(column);
    return found;
  };
  return {
    ...(isPinned ? { isPinned } : {}),
    id: text("id"),
    project: text("project"),
    agent: text("agent"),
    session: text("session"),
    key: text("key"),
    value: text("value"),
    type: readChoice("type", VALUE_TYPES),
    category: readChoice("category", CATEGORIES),
    createdMs: time("created_ms"),
    updatedMs: time("updated_ms"),
  };
}

type Row = Readonly<Record<string, unknown>>;

/** A row of a search, whose memory was read already. */
export function readMatch(row: Row, memory: Memory): WeightedMemory {
  return {
    memory,
    weight: Number(row["weight"]),
    uses: Number(row["uses"]),
    usedMs: Number(row["used_ms"]),
  };
}

export function readUse(row: Row, text: (column: string) => string): StoredUse {
  return {
    agent: text("agent"),
    id: text("id"),
    project: text("project"),
    session: text("session"),
    occasion: text("occasion") === "prompt" ? "prompt" : "start",
    usedMs: Number(row["used_ms"]),
  };
}
