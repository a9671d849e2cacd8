import { SCHEMA, type SqlValue } from "../postgres/index.ts";
import type { MemoryFilter } from "./store.ts";
import { encodeText } from "./stored-text.ts";

/** A filter over columns of `memories`, for values that begin with `$1`. */
export function listCondition(
  team: string,
  filter: MemoryFilter,
): { readonly text: string; readonly values: readonly SqlValue[] } {
  const values: SqlValue[] = [team];
  const parts: string[] = ["team = $1"];
  const add = (value: SqlValue, condition: (place: string) => string): void => {
    values.push(value);
    parts.push(condition(`$${values.length}`));
  };
  if (filter.projects !== undefined)
    add(filter.projects.map(encodeText), place => `project = ANY (${place}::text[])`);
  for (const column of ["agent", "session", "id", "key", "category"] as const) {
    const wanted = filter[column];
    if (wanted !== undefined) add(encodeText(wanted), place => `${column} = ${place}`);
  }
  if (filter.updatedSinceMs !== undefined) add(filter.updatedSinceMs, place => `updated_ms >= ${place}`);
  if (filter.unseenBy !== undefined)
    add(encodeText(filter.unseenBy), place => unlessUsed(`session = ${place}`));
  if (filter.unrecalledBy !== undefined)
    add(encodeText(filter.unrecalledBy), place => unlessUsed(`session = ${place} AND occasion = 'prompt'`));
  return { text: parts.join(" AND "), values };
}

function unlessUsed(how: string): string {
  return `NOT EXISTS (
    SELECT FROM ${SCHEMA}.memory_uses AS shown WHERE shown.number = memories.number AND shown.${how}
  )`;
}
