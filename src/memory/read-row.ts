import { CATEGORIES, type Memory, VALUE_TYPES } from "./memory.ts";
import type { StoredUse } from "./move.ts";
import type { WeightedMemory } from "./store.ts";

/** How a store reads the columns of one row. What a column cannot be is thrown as `unreadable` says. */
interface RowReader {
  text(column: string): string;
  time(column: string): number;
  unreadable(column: string): Error;
}

export function readMemory({ text, time, unreadable }: RowReader, isPinned: boolean): Memory {
  const oneOf = <T extends string>(column: string, allowed: readonly T[]): T => {
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
    type: oneOf("type", VALUE_TYPES),
    category: oneOf("category", CATEGORIES),
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
