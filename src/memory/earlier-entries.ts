import { Buffer } from "node:buffer";
import { firstCharacters } from "../text/index.ts";
import { ANY_AGENT, CATEGORIES, type Category, type Memory, TEXT_LIMITS } from "./memory.ts";
import type { SqliteConnection, SqlRow } from "./sqlite-connection.ts";
import { bytesOf, COLUMNS, PLACEHOLDERS, valuesOf } from "./sqlite-rows.ts";

/**
 * Earlier programs of this name kept their memories in the same file, in a table of their own. What is in it is
 * copied once; the table stays as it is, for whoever still uses it.
 */
const TABLE = "memory_entries";
const NEEDED = ["id", "session_id", "agent_id", "memory_type", "title", "content", "created_at"];

/** Their kinds that we call otherwise. */
const CATEGORY_NAMES: ReadonlyMap<string, Category> = new Map([
  ["episodic", "conversation"],
  ["semantic", "learning"],
  ["procedural", "pattern"],
]);

export function hasEarlierEntries(connection: SqliteConnection): boolean {
  const columns = connection.rows(
    `SELECT 1 FROM pragma_table_info('${TABLE}') WHERE name IN (${NEEDED.map(() => "?").join(", ")})`,
    NEEDED,
  );
  return columns.length === NEEDED.length;
}

export function adoptEarlierEntries(connection: SqliteConnection, nowMs: number): void {
  const taken = new Set<string>();
  for (const row of connection.rows(
    `SELECT ${NEEDED.map(bytesOf).join(", ")} FROM ${TABLE} ORDER BY created_at, id`,
  )) {
    const memory = withFreeKey(toMemory(row, nowMs), taken);
    connection.run(`INSERT INTO memories (${COLUMNS}) VALUES (${PLACEHOLDERS})`, valuesOf(memory));
  }
}

function toMemory(row: SqlRow, nowMs: number): Memory {
  const text = (column: string): string => {
    const bytes = row[column];
    return bytes instanceof ArrayBuffer ? Buffer.from(bytes).toString("utf8") : "";
  };
  const kind = text("memory_type");
  const createdMs = Date.parse(text("created_at"));
  const times = Number.isNaN(createdMs) ? nowMs : createdMs;
  return {
    id: text("id"),
    project: "",
    agent: text("agent_id") === "" ? ANY_AGENT : text("agent_id"),
    session: text("session_id"),
    key: firstCharacters(text("title"), TEXT_LIMITS.key / 2),
    value: text("content"),
    type: "text",
    category: CATEGORIES.find(name => name === kind) ?? CATEGORY_NAMES.get(kind) ?? "context",
    createdMs: times,
    updatedMs: times,
  };
}

/** Titles need not be unique there, and may be missing. */
function withFreeKey(memory: Memory, taken: Set<string>): Memory {
  const place = (key: string): string => JSON.stringify([memory.agent, memory.session, key]);
  const wanted = memory.key.trim() === "" ? memory.id : memory.key;
  const key = taken.has(place(wanted)) ? `${wanted} ${memory.id}` : wanted;
  taken.add(place(key));
  return { ...memory, key };
}
