import { type Row, SCHEMA } from "../postgres/index.ts";
import type { Memory } from "./memory.ts";
import { MEMORIES, named, nameValues, textOf } from "./postgres-rows.ts";
import type { TeamSearch } from "./postgres-search.ts";

/** What a memory said until something else took its place. */
export interface EarlierText {
  readonly value: string;
  readonly type: string;
  readonly category: string;
  /** who wrote it, by the login, and when; what lost against a later change is its sender's */
  readonly author: string;
  readonly updatedMs: number;
  readonly replacedMs: number;
}

export interface TextHistory {
  /** of what it says now */
  readonly author: string;
  /** the newest first */
  readonly earlier: readonly EarlierText[];
}

/** By name: a memory that was removed took its earlier texts along. */
export async function readTextHistory({ run, team }: TeamSearch, memory: Memory): Promise<TextHistory> {
  const values = [team, ...nameValues([memory])];
  const isNamed = `team = $1 AND ${named("name", 2)}`;
  const [current] = await run(`SELECT author FROM ${MEMORIES} WHERE ${isNamed}`, values);
  const rows = await run(
    `SELECT value, type, category, author, updated_ms, replaced_ms FROM ${SCHEMA}.earlier_values
     WHERE ${isNamed} ORDER BY number DESC`,
    values,
  );
  return { author: String(current?.["author"] ?? ""), earlier: rows.map(earlierOf) };
}

function earlierOf(row: Row): EarlierText {
  return {
    value: textOf(row, "value"),
    type: String(row["type"]),
    category: String(row["category"]),
    author: String(row["author"]),
    updatedMs: Number(row["updated_ms"]),
    replacedMs: Number(row["replaced_ms"]),
  };
}
