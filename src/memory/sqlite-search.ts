import { MAX_WEIGHED, planSearch, type SearchAttempt } from "./ranking.ts";
import { isOneLetterOff, type SearchQuery } from "./search-words.ts";
import type { SqliteConnection, SqlRow, SqlValue } from "./sqlite-connection.ts";
import { SELECTED } from "./sqlite-rows.ts";
import { scopeWord } from "./sqlite-schema.ts";
import { UNSEEN_BY, USE_COLUMNS } from "./sqlite-uses.ts";
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
  const counted = any
    .flatMap(phrase => formsOf(connection, phrase))
    .map(form => ({ phrase: form, matches: countMatches(connection, form) }));
  for (const attempt of planSearch(counted)) {
    const rows = tryToFind(connection, attempt, filter, { required, limit });
    if (rows.length > 0) return rows;
  }
  return [];
}

/** Shorter words begin or resemble too many others. */
const MIN_PREFIX_LENGTH = 3;
const MIN_SIMILAR_LENGTH = 4;
const MAX_SIMILAR = 8;

/**
 * The forms under which the index has a phrase: as it is, else as the beginning of words, else as a part of them or
 * with one letter wrong.
 */
function formsOf(connection: SqliteConnection, phrase: string): readonly string[] {
  const asIs = exactly(phrase);
  if (phrase.includes(" ") || phrase.length < MIN_PREFIX_LENGTH || countMatches(connection, asIs) > 0)
    return [asIs];
  const beginning = `${asIs} *`;
  if (countMatches(connection, beginning) > 0) return [beginning];
  return phrase.length < MIN_SIMILAR_LENGTH ? [] : similarTerms(connection, phrase).map(exactly);
}

/** One wrong letter leaves the first or the second half as it was, so that SQLite can choose the candidates. */
function similarTerms(connection: SqliteConnection, word: string): readonly string[] {
  const half = Math.floor(word.length / 2);
  return connection
    .rows(
      `SELECT term, max(doc) AS matches FROM memory_terms
       WHERE col IN ('key', 'value') AND (
         instr(term, ?) > 0 OR
         length(term) BETWEEN ? AND ? AND (substr(term, 1, ?) = ? OR substr(term, ?) = ?)
       )
       GROUP BY term ORDER BY matches DESC`,
      [
        word,
        word.length - 1,
        word.length + 1,
        half,
        word.slice(0, half),
        half - word.length,
        word.slice(half),
      ],
    )
    .map(row => String(row["term"]))
    .filter(term => term.includes(word) || isOneLetterOff(term, word))
    .slice(0, MAX_SIMILAR);
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
  const { id, key, category, updatedSinceMs, unseenBy } = filter;
  const { text, values } = filterConditions({ id, key, category, updatedSinceMs, unseenBy });
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
  return { text: parts.join(" AND "), values };
}
