import { Buffer, isUtf8 } from "node:buffer";
import { quoteWord } from "../system/index.ts";
import { contentFingerprint } from "./content-fingerprint.ts";
import type { Memory } from "./memory.ts";
import { readMemory } from "./read-row.ts";
import { shortHash } from "./short-hash.ts";
import { corruptDatabase, type SqlRow, type SqlValue } from "./sqlite-connection.ts";
import { decodeText, encodeText, storedNames } from "./stored-text.ts";

/** Columns in the order of `valuesOf`; the long one last, so that the others are read without it. */
export const COLUMNS =
  "id, project, agent, session, key, type, category, created_ms, updated_ms, fingerprint, seal, value";
export const PLACEHOLDERS = "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?";
/** For `memoryOf`. The library ends the process when a text is not UTF-8, so it is given bytes to hand on. */
export const SELECTED = [
  "number, created_ms, updated_ms",
  ...["id", "project", "agent", "session", "key", "type", "category", "seal", "value"].map(bytesOf),
  "EXISTS (SELECT 1 FROM memory_pins WHERE memory_pins.number = memories.number) AS is_pinned",
].join(", ");

/** A text column as bytes. */
export function bytesOf(column: string): string {
  return `CAST(${column} AS BLOB) AS ${column}`;
}

export function valuesOf(memory: Memory): readonly SqlValue[] {
  return [
    ...storedNames(memory),
    memory.createdMs,
    memory.updatedMs,
    contentFingerprint(memory.value),
    sealOf(memory),
    encodeText(memory.value),
  ];
}

/** The text of a column that was asked for with `bytesOf`. */
export function textOf(row: SqlRow, column: string, path: string): string {
  const bytes = row[column];
  if (!(bytes instanceof ArrayBuffer) || !isUtf8(bytes)) throw damagedRow(row, path);
  return decodeText(Buffer.from(bytes).toString("utf8"));
}

/** The memory of a row; a row that does not fit its seal was damaged on disk and is reported, never returned. */
export function memoryOf(row: SqlRow, path: string): Memory {
  const text = (column: string): string => textOf(row, column, path);
  const unreadable = (): Error => damagedRow(row, path);
  const time = (column: string): number => {
    const ms = row[column];
    if (typeof ms !== "number") throw unreadable();
    return ms;
  };
  const memory = readMemory({ text, time, unreadable }, row["is_pinned"] === 1);
  if (text("seal") !== sealOf(memory)) throw unreadable();
  return memory;
}

function damagedRow(row: SqlRow, path: string): Error {
  const number = Number(row["number"]);
  return corruptDatabase(
    path,
    `memory number ${number} does not fit its checksum`,
    `drop that one: sqlite3 ${quoteWord(path)} '${dropStatements(number)}'`,
  );
}

/** What a team shares is not removed for everybody by this, and the next sync fetches it again. */
function dropStatements(number: number): string {
  const at = `WHERE number = ${number}`;
  return `UPDATE memories SET is_shared = 0 ${at}; DELETE FROM memories ${at}; UPDATE memory_team SET revision = 0`;
}

/** SQLite notices broken pages, not a changed letter; this does. */
function sealOf(memory: Memory): string {
  const { id, project, agent, session, key, value, type, category, createdMs, updatedMs } = memory;
  return shortHash(
    JSON.stringify([id, project, agent, session, key, value, type, category, createdMs, updatedMs]),
  );
}
