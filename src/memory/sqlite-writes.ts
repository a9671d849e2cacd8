import { Buffer } from "node:buffer";
import {
  decodeText,
  encodeText,
  KEPT_USES_MS,
  type Memory,
  MemoryError,
  type MemoryUse,
  withPin,
} from "./memory.ts";
import { readUse, type StoredUse } from "./move.ts";
import type { SqliteConnection, SqlRow } from "./sqlite-connection.ts";
import {
  addToIndex,
  COLUMNS,
  columnValues,
  PLACEHOLDERS,
  readMemoryRow,
  SELECTED,
  selectAsBytes,
} from "./sqlite-schema.ts";

/** How many sessions recalled a memory, and when last; for a row of `memories`. */
export const USE_COLUMNS = `
  (SELECT count(DISTINCT session) FROM memory_uses
   WHERE memory_uses.number = memories.number AND occasion = 'prompt') AS uses,
  (SELECT max(used_ms) FROM memory_uses
   WHERE memory_uses.number = memories.number AND occasion = 'prompt') AS used_ms`;

export const UNSEEN_BY = unlessUsed("session = ?");
export const UNRECALLED_BY = unlessUsed("session = ? AND occasion = 'prompt'");

function unlessUsed(how: string): string {
  return `NOT EXISTS (SELECT 1 FROM memory_uses AS shown WHERE shown.number = memories.number AND shown.${how})`;
}

/** What was shown at the start stays use once it was recalled. */
export function addUses(
  connection: SqliteConnection,
  numbers: readonly number[],
  { project, session, occasion }: MemoryUse,
  nowMs: number,
): void {
  for (const number of numbers) {
    connection.run(
      `INSERT INTO memory_uses (number, project, session, occasion, used_ms) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET
         used_ms = excluded.used_ms,
         occasion = CASE occasion WHEN 'prompt' THEN occasion ELSE excluded.occasion END`,
      [number, encodeText(project), encodeText(session), occasion, nowMs],
    );
  }
  connection.run("DELETE FROM memory_uses WHERE project = ? AND used_ms < ?", [
    encodeText(project),
    nowMs - KEPT_USES_MS,
  ]);
}

export function setPin(connection: SqliteConnection, number: number, isPinned: boolean): void {
  connection.run(
    isPinned
      ? // Not OR IGNORE, which would hold inside the trigger too.
        "INSERT INTO memory_pins (number) VALUES (?) ON CONFLICT DO NOTHING"
      : "DELETE FROM memory_pins WHERE number = ?",
    [number],
  );
}

/** Pinned ones first, then by when the project stored or recalled them. Each part is answered from an index. */
export function latestRows(
  connection: SqliteConnection,
  project: string,
  sinceMs: number,
  limit: number,
): readonly SqlRow[] {
  const here = encodeText(project);
  return connection.rows(
    `WITH chosen (number, is_pin, last_ms) AS (
       SELECT number, 1, updated_ms FROM memory_pins JOIN memories USING (number) WHERE project IN (?, '')
       UNION ALL
       SELECT * FROM (
         SELECT number, 0, updated_ms FROM memories WHERE project = ? AND updated_ms >= ?
         ORDER BY updated_ms DESC LIMIT ?
       )
       UNION ALL
       SELECT memory_uses.number, 0, used_ms FROM memory_uses JOIN memories USING (number)
       WHERE memory_uses.project = ? AND used_ms >= ? AND occasion = 'prompt' AND memories.project IN (?, '')
     )
     SELECT ${SELECTED}
     FROM (SELECT number AS found, max(is_pin) AS is_pin, max(last_ms) AS last_ms FROM chosen GROUP BY number)
     JOIN memories ON memories.number = found
     ORDER BY is_pin DESC, last_ms DESC, found DESC LIMIT ?`,
    [here, here, sinceMs, limit, here, sinceMs, here, limit],
  );
}

export function listUses(connection: SqliteConnection): readonly StoredUse[] {
  const texts = ["agent", "id", "project", "session", "occasion"];
  const rows = connection.rows(
    `SELECT ${texts.map(selectAsBytes).join(", ")}, used_ms FROM (
       SELECT agent, id, uses.project, uses.session, occasion, used_ms
       FROM memory_uses AS uses JOIN memories USING (number)
     )`,
  );
  return rows.map(row =>
    readUse(row, column => decodeText(Buffer.from(row[column] as ArrayBuffer).toString("utf8"))),
  );
}

/** The later of two times stays, and what was recalled once stays recalled. */
export function takeUse(connection: SqliteConnection, number: number, use: StoredUse): void {
  connection.run(
    `INSERT INTO memory_uses (number, project, session, occasion, used_ms) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET
       used_ms = max(used_ms, excluded.used_ms),
       occasion = CASE occasion WHEN 'prompt' THEN occasion ELSE excluded.occasion END`,
    [number, encodeText(use.project), encodeText(use.session), use.occasion, use.usedMs],
  );
}

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
  return row === undefined ? undefined : { number: readNumber(row), memory: readMemoryRow(row, path) };
}

export function numberOfId(connection: SqliteConnection, agent: string, id: string): number | undefined {
  const [row] = connection.rows("SELECT number FROM memories WHERE agent = ? AND id = ?", [
    encodeText(agent),
    encodeText(id),
  ]);
  return row === undefined ? undefined : readNumber(row);
}

export function insertRow(connection: SqliteConnection, memory: Memory): Memory {
  const sql = `INSERT INTO memories (${COLUMNS}) VALUES (${PLACEHOLDERS}) RETURNING number`;
  for (const row of connection.rows(sql, columnValues(memory))) {
    addToIndex(connection, readNumber(row), memory);
    if (memory.isPinned === true) setPin(connection, readNumber(row), true);
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
    ...columnValues(memory),
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

export function readNumber(row: SqlRow): number {
  return Number(row["number"]);
}
