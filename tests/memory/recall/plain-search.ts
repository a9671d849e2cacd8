import Libsql from "libsql";
import { onTestFinished } from "vitest";
import { Database } from "../../../src/postgres/database.ts";
import { readDatabaseUrl } from "../../../src/postgres/url.ts";
import { STORES, sharedDatabase } from "../store-scene.ts";
import { NOTES } from "./recall-set.ts";

type PlainSearch = (question: string) => Promise<readonly string[]>;

/** What FTS5 does with the same notes by itself: its default tokens, any word, BM25. */
async function plainFts5(): Promise<PlainSearch> {
  const database = new Libsql(":memory:");
  database.exec("CREATE VIRTUAL TABLE notes USING fts5 (key, value)");
  const insert = database.prepare("INSERT INTO notes (key, value) VALUES (?, ?)");
  for (const { key, value } of NOTES.values()) insert.run([key, value]);
  const select = database.prepare("SELECT key FROM notes WHERE notes MATCH ? ORDER BY bm25(notes) LIMIT 5");
  return async question => {
    const words = [...question.matchAll(/[\p{L}\p{N}]+/gu)].map(([word]) => `"${word}"`);
    return select.all([words.join(" OR ")]).map(row => String((row as { key: unknown }).key));
  };
}

/** What PostgreSQL does by itself: its English dictionary and `ts_rank`, for any word or for all words. */
async function plainPostgres(match: "all" | "any"): Promise<PlainSearch> {
  const database = await Database.open(readDatabaseUrl(await sharedDatabase(), "option"));
  onTestFinished(() => database.close());
  await database.run("DROP TABLE IF EXISTS notes");
  await database.run("CREATE TABLE notes (key text, words tsvector)");
  for (const { key, value } of NOTES.values())
    await database.run("INSERT INTO notes VALUES ($1, to_tsvector('english', $1 || ' ' || $2))", [
      key,
      value,
    ]);
  return async question => {
    const query = match === "all" ? "plainto_tsquery('english', $1)" : "to_tsquery('english', $1)";
    const words = [...question.matchAll(/[\p{L}\p{N}]+/gu)].map(([word]) => word).join(" | ");
    const rows = await database.run(
      `SELECT key FROM notes, ${query} AS query
       WHERE words @@ query ORDER BY ts_rank(words, query) DESC LIMIT 5`,
      [match === "all" ? question : words],
    );
    return rows.map(row => String(row["key"]));
  };
}

const PLAIN_SEARCHES: Readonly<Record<string, Readonly<Record<string, () => Promise<PlainSearch>>>>> = {
  SQLite: { "plain FTS5": plainFts5 },
  PostgreSQL: {
    "plainto_tsquery and ts_rank": () => plainPostgres("all"),
    "the same for any word": () => plainPostgres("any"),
  },
};

/** Each store, with what its database does by itself. */
export const MEASURED = STORES.map(
  ([name, open]) => [name, open, Object.entries(PLAIN_SEARCHES[name] ?? {})] as const,
);
