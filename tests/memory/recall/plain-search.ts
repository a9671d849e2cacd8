import Libsql from "libsql";
import { NOTES } from "./recall-set.ts";

/** What FTS5 does with the same notes by itself: its default tokens, any word, BM25. */
export function plainSearch(): (question: string) => readonly string[] {
  const database = new Libsql(":memory:");
  database.exec("CREATE VIRTUAL TABLE notes USING fts5 (key, value)");
  const insert = database.prepare("INSERT INTO notes (key, value) VALUES (?, ?)");
  for (const { key, value } of NOTES.values()) insert.run([key, value]);
  const select = database.prepare("SELECT key FROM notes WHERE notes MATCH ? ORDER BY bm25(notes) LIMIT 5");
  return question => {
    const words = [...question.matchAll(/[\p{L}\p{N}]+/gu)].map(([word]) => `"${word}"`);
    return select.all([words.join(" OR ")]).map(row => String((row as { key: unknown }).key));
  };
}
