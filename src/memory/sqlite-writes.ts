import type { Memory } from "./memory.ts";
import { MemoryError } from "./memory-error.ts";
import { withPin } from "./new-memory.ts";
import type { SqliteConnection, SqlRow } from "./sqlite-connection.ts";
import { COLUMNS, memoryOf, PLACEHOLDERS, SELECTED, valuesOf } from "./sqlite-rows.ts";
import { addToIndex } from "./sqlite-schema.ts";
import { setPin } from "./sqlite-uses.ts";
import { encodeText } from "./stored-text.ts";

/** How single memories get into the file, its index and its pins, and out again; all inside a transaction. */

export interface FoundMemory {
  readonly number: number;
  readonly memory: Memory;
}

export function findRow(
  connection: SqliteConnection,
  path: string,
  condition: string,
  values: readonly string[],
): FoundMemory | undefined {
  const sql = `SELECT ${SELECTED} FROM memories WHERE ${condition} LIMIT 1`;
  const [row] = connection.rows(sql, values.map(encodeText));
  return row === undefined ? undefined : { number: numberOf(row), memory: memoryOf(row, path) };
}

export function numberOfId(connection: SqliteConnection, agent: string, id: string): number | undefined {
  const [row] = connection.rows("SELECT number FROM memories WHERE agent = ? AND id = ?", [
    encodeText(agent),
    encodeText(id),
  ]);
  return row === undefined ? undefined : numberOf(row);
}

export function insertRow(connection: SqliteConnection, memory: Memory): Memory {
  const sql = `INSERT INTO memories (${COLUMNS}) VALUES (${PLACEHOLDERS}) RETURNING number`;
  for (const row of connection.rows(sql, valuesOf(memory))) {
    addToIndex(connection, numberOf(row), memory);
    if (memory.isPinned === true) setPin(connection, numberOf(row), true);
  }
  return memory;
}

export function replaceRow(
  connection: SqliteConnection,
  { number, memory: earlier }: FoundMemory,
  memory: Memory,
): Memory {
  const replaced = withPin(memory, earlier);
  const isPinned = replaced.isPinned === true;
  connection.run(`UPDATE memories SET (${COLUMNS}) = (${PLACEHOLDERS}) WHERE number = ?`, [
    ...valuesOf(memory),
    number,
  ]);
  addToIndex(connection, number, memory);
  if (isPinned !== (earlier.isPinned === true)) setPin(connection, number, isPinned);
  return replaced;
}

/** What a team shares keeps its project: a note of one's own, or of another project, does not take its name. */
export function checkScope(
  connection: SqliteConnection,
  { number, memory }: FoundMemory,
  project: string,
): void {
  if (memory.project === project || !isShared(connection, number)) return;
  throw new MemoryError(
    "occupied",
    `a memory of this name is shared with the team, ${memory.project === "" ? "for every project" : `for ${memory.project}`}`,
    "take another key; amplihack memory edit changes the shared one for everybody",
  );
}

export function isShared(connection: SqliteConnection, number: number): boolean {
  return connection.rows("SELECT 1 FROM memories WHERE number = ? AND is_shared = 1", [number]).length > 0;
}

export function removeRows(connection: SqliteConnection, numbers: readonly number[], nowMs: number): void {
  connection.run("UPDATE memory_team SET now_ms = ?", [nowMs]);
  for (const number of numbers) {
    connection.run("DELETE FROM memories WHERE number = ?", [number]);
    connection.run("DELETE FROM memory_words WHERE rowid = ?", [number]);
  }
}

/** Words of removed memories stay in the index until it is written anew. */
export function dropRemovedWords(connection: SqliteConnection): void {
  connection.run("INSERT INTO memory_words (memory_words) VALUES ('optimize')");
}

export function numberOf(row: SqlRow): number {
  return Number(row["number"]);
}
