import { Buffer } from "node:buffer";
import type { StoredUse } from "./move.ts";
import { readUse } from "./read-row.ts";
import { KEPT_USES_MS } from "./retention.ts";
import type { SqliteConnection, SqlRow } from "./sqlite-connection.ts";
import { bytesOf, SELECTED } from "./sqlite-rows.ts";
import type { MemoryUse } from "./store.ts";
import { decodeText, encodeText } from "./stored-text.ts";

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
    `SELECT ${texts.map(bytesOf).join(", ")}, used_ms FROM (
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
