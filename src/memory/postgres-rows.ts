import { type Row, SCHEMA, type SqlValue } from "../postgres/index.ts";
import { contentFingerprint } from "./content-fingerprint.ts";
import { MAX_TIME_MS, type Memory, type MemoryId, type MemoryName } from "./memory.ts";
import { MemoryError } from "./memory-error.ts";
import { indexedTerms } from "./postgres-terms.ts";
import { readMemory } from "./read-row.ts";
import { decodeText, encodeText, storedNames } from "./stored-text.ts";

export const MEMORIES = `${SCHEMA}.memories`;
export const USES = `${SCHEMA}.memory_uses`;

/** For `memoryOf`. */
export const SELECTED = [
  "number, created_ms, updated_ms, is_pinned",
  "id, project, agent, session, key, type, category, value",
].join(", ");

/** Columns that are written, with their types, in the order of `columnsOf`. */
const WRITTEN = [
  ["id", "text"],
  ["project", "text"],
  ["agent", "text"],
  ["session", "text"],
  ["key", "text"],
  ["type", "text"],
  ["category", "text"],
  ["created_ms", "bigint"],
  ["updated_ms", "bigint"],
  ["fingerprint", "text"],
  ["is_pinned", "boolean"],
  ["term_count", "integer"],
  ["terms", "tsvector"],
  ["value", "text"],
] as const;
export const WRITTEN_COLUMNS = WRITTEN.map(([name]) => name).join(", ");

/** The rows of `columnsOf` as a table; its first array is `$first`. */
export function rowsFrom(first: number): string {
  const arrays = WRITTEN.map(([, type], index) => `$${first + index}::${type}[]`);
  return `unnest(${arrays.join(", ")})`;
}

/** One array for each column. */
export function columnsOf(memories: readonly Memory[]): readonly (readonly string[])[] {
  const rows = memories.map(memory => {
    const { vector, count } = indexedTerms(memory);
    return [
      ...storedNames(memory),
      String(memory.createdMs),
      String(memory.updatedMs),
      contentFingerprint(memory.value),
      String(memory.isPinned === true),
      String(count),
      vector,
      encodeText(memory.value),
    ];
  });
  return WRITTEN.map((_, index) => rows.map(row => row[index] as string));
}

/** Somebody who writes with SQL by hand may store what no memory can be; that is reported, never returned. */
export function memoryOf(row: Row): Memory {
  const unreadable = (column: string): MemoryError => unreadableRow(row, column);
  const time = (column: string): number => {
    const ms = Number(row[column]);
    if (!(Math.abs(ms) <= MAX_TIME_MS)) throw unreadable(column);
    return ms;
  };
  return readMemory({ text: column => textOf(row, column), time, unreadable }, row["is_pinned"] === true);
}

export function textOf(row: Row, column: string): string {
  return decodeText(String(row[column]));
}

function unreadableRow(row: Row, column: string): MemoryError {
  const number = Number(row["number"]);
  return new MemoryError(
    "corrupt",
    `memory number ${number} has a ${column} that does not exist`,
    `update amplihack, or drop that one: SELECT ${SCHEMA}.remove_memories('{${number}}')`,
  );
}

/** Of one project; the planner uses an index on the hash, which takes long names too. */
export function ofProject(project: string, table = ""): string {
  const column = table === "" ? "project" : `${table}.project`;
  return `${column}_hash = hashtextextended(${project}, 0) AND ${column} = ${project}`;
}

/** Where a memory is found by agent and id, or by its name; the planner uses an index for these. */
export function named(columns: "name" | "id", first: number): string {
  const parts = columns === "name" ? ["agent", "session", "key"] : ["agent", "id"];
  const arrays = parts.map((_, index) => `$${first + index}::text[]`).join(", ");
  const names = parts.join(", ");
  return `${columns}_hash = ANY (ARRAY(
    SELECT ${SCHEMA}.text_hash(${names}) FROM unnest(${arrays}) AS wanted (${names})
  ))`;
}

export function nameValues(memories: readonly MemoryName[]): readonly SqlValue[] {
  return [
    memories.map(({ agent }) => encodeText(agent)),
    memories.map(({ session }) => encodeText(session)),
    memories.map(({ key }) => encodeText(key)),
  ];
}

export function idValues(memories: readonly MemoryId[]): readonly SqlValue[] {
  return [memories.map(({ agent }) => encodeText(agent)), memories.map(({ id }) => encodeText(id))];
}
