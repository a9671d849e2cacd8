import { type CountedForm, MAX_WEIGHED, planSearch, type SearchAttempt } from "./ranking.ts";
import {
  MAX_SIMILAR,
  MIN_PREFIX_LENGTH,
  MIN_SIMILAR_LENGTH,
  oneLetterOff,
  type SearchQuery,
} from "./search-words.ts";
import type { SqliteConnection, SqlRow, SqlValue } from "./sqlite-connection.ts";
import { SELECTED } from "./sqlite-rows.ts";
import { scopeWord } from "./sqlite-schema.ts";
import { UNRECALLED_BY, UNSEEN_BY, USE_COLUMNS } from "./sqlite-uses.ts";
import type { MemoryFilter, WordCounts } from "./store.ts";
import { encodeText } from "./stored-text.ts";

/** A word in the key counts as much as two in the value; scope restricts and weighs nothing. */
const WEIGHTS = "0.0, 2.0, 1.0";

/** The rows that fit best, with their `weight`, `uses` and `used_ms`. */
export function searchRows(
  connection: SqliteConnection,
  { any, all }: SearchQuery,
  filter: MemoryFilter,
  limit: number,
): readonly SqlRow[] {
  if (filter.projects?.length === 0) return [];
  const required = all.map(phrase => `${matchAny([exactly(phrase)])} AND `).join("");
  const counted = any.flatMap(phrase => formsOf(connection, phrase));
  for (const attempt of planSearch(counted)) {
    const rows = tryToFind(connection, attempt, filter, { required, limit });
    if (rows.length > 0) return rows;
  }
  return [];
}

/** Parts of words are looked for only where going through all words of the index takes a few milliseconds. */
const MAX_MEMORIES_FOR_PARTS = 5_000;

/**
 * The forms under which the index has a phrase: as it is, else as the beginning of words, else with one letter wrong,
 * else as a part of words.
 */
function formsOf(connection: SqliteConnection, phrase: string): readonly CountedForm[] {
  const counted = (form: string): CountedForm => ({ phrase: form, matches: countMatches(connection, form) });
  const asIs = counted(exactly(phrase));
  if (asIs.matches > 0 || phrase.includes(" ") || phrase.length < MIN_PREFIX_LENGTH) return [asIs];
  const beginning = counted(`${asIs.phrase} *`);
  if (beginning.matches > 0) return [beginning];
  if (phrase.length < MIN_SIMILAR_LENGTH) return [];
  const similar = similarTerms(connection, phrase);
  const terms = similar.length > 0 ? similar : termsWith(connection, phrase);
  return terms.slice(0, MAX_SIMILAR).map(term => counted(exactly(term)));
}

/** All spellings that are one letter off are looked up: a few hundred, however large the index is. */
function similarTerms(connection: SqliteConnection, word: string): readonly string[] {
  return readTerms(
    connection.rows(
      `SELECT term, max(doc) AS matches
       FROM json_each(?) JOIN memory_terms ON term = json_each.value
       WHERE col IN ('key', 'value') GROUP BY term ORDER BY matches DESC`,
      [JSON.stringify(oneLetterOff(word))],
    ),
  );
}

function termsWith(connection: SqliteConnection, part: string): readonly string[] {
  const [row] = connection.rows("SELECT count(*) AS memories FROM memories");
  if (Number(row?.["memories"]) > MAX_MEMORIES_FOR_PARTS) return [];
  return readTerms(
    connection.rows(
      `SELECT term, max(doc) AS matches FROM memory_terms
       WHERE col IN ('key', 'value') AND instr(term, ?) > 0 GROUP BY term ORDER BY matches DESC`,
      [part],
    ),
  );
}

function readTerms(rows: readonly SqlRow[]): readonly string[] {
  return rows.map(row => String(row["term"]));
}

/** Counting is cheap, and need not be exact beyond what can be weighed. */
function countMatches(connection: SqliteConnection, form: string): number {
  const [row] = connection.rows(
    "SELECT count(*) AS matches FROM (SELECT 1 FROM memory_words WHERE memory_words MATCH ? LIMIT ?)",
    [matchAny([form]), MAX_WEIGHED + 1],
  );
  return Number(row?.["matches"] ?? 0);
}

/** How many memories have each term, and how many there are. */
export function countTerms(connection: SqliteConnection, terms: readonly string[]): WordCounts {
  const [row] = connection.rows("SELECT count(*) AS memories FROM memories");
  return {
    memories: Number(row?.["memories"] ?? 0),
    matches: new Map(terms.map(term => [term, countMatches(connection, exactly(term))])),
  };
}

/** Whole rows are fetched for the best only: carrying texts through the sort would cost more than the search. */
function tryToFind(
  connection: SqliteConnection,
  { phrases, isWeighed }: SearchAttempt,
  filter: MemoryFilter,
  { required, limit }: { readonly required: string; readonly limit: number },
): readonly SqlRow[] {
  const { projects: _, agent: __, session: ___, ...others } = filter;
  const { text, values } = filterConditions(others);
  const isRestricted = values.length > 0;
  const restriction = `AND EXISTS (SELECT 1 FROM memories WHERE number = memory_words.rowid AND ${text})`;
  return connection.rows(
    `SELECT ${SELECTED}, weight, ${USE_COLUMNS}
     FROM (
       SELECT rowid AS found, ${isWeighed ? `-bm25(memory_words, ${WEIGHTS})` : "1.0"} AS weight
       FROM memory_words
       WHERE memory_words MATCH ? ${isRestricted ? restriction : ""}
       ORDER BY ${isWeighed ? "weight DESC, " : ""}rowid DESC LIMIT ?
     )
     JOIN memories ON memories.number = found
     ORDER BY weight DESC, found DESC`,
    [scopeQuery(filter) + required + matchAny(phrases), ...values, limit],
  );
}

/** Phrases hold letters, digits and marks only, so quoting them is all they need. */
function exactly(phrase: string): string {
  return `"${phrase}"`;
}

function matchAny(forms: readonly string[]): string {
  return `{key value} : (${forms.join(" OR ")})`;
}

/** The part of a query that restricts it, so that matches elsewhere cost nothing. */
function scopeQuery(filter: MemoryFilter): string {
  const groups = [
    filter.projects?.map(name => scopeWord("project", name)),
    filter.agent === undefined ? undefined : [scopeWord("agent", filter.agent)],
    filter.session === undefined ? undefined : [scopeWord("session", filter.session)],
  ];
  return groups
    .filter(group => group !== undefined)
    .map(group => `scope : (${group.map(word => `"${word}"`).join(" OR ")}) AND `)
    .join("");
}

/** A filter over columns of `memories`. */
export function filterConditions(filter: MemoryFilter): {
  readonly text: string;
  readonly values: readonly SqlValue[];
} {
  const parts: string[] = ["TRUE"];
  const values: SqlValue[] = [];
  const add = (text: string, ...more: readonly SqlValue[]): void => {
    parts.push(text);
    values.push(...more);
  };
  if (filter.projects !== undefined) {
    add(`project IN (${filter.projects.map(() => "?").join(", ")})`, ...filter.projects.map(encodeText));
  }
  for (const column of ["agent", "session", "id", "key", "category"] as const) {
    const wanted = filter[column];
    if (wanted !== undefined) add(`${column} = ?`, encodeText(wanted));
  }
  if (filter.updatedSinceMs !== undefined) add("updated_ms >= ?", filter.updatedSinceMs);
  if (filter.unseenBy !== undefined) add(UNSEEN_BY, encodeText(filter.unseenBy));
  if (filter.unrecalledBy !== undefined) add(UNRECALLED_BY, encodeText(filter.unrecalledBy));
  return { text: parts.join(" AND "), values };
}
