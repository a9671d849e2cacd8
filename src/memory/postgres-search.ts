import { type Row, type RunSql, SCHEMA } from "../postgres/index.ts";
import { MEMORIES, SELECTED } from "./postgres-rows.ts";
import { anyQuery, beginningQuery, exactQuery, withoutAccents } from "./postgres-terms.ts";
import { type CountedForm, MAX_WEIGHED, planSearch, rarity, type SearchAttempt } from "./ranking.ts";
import {
  MAX_SIMILAR,
  MIN_PREFIX_LENGTH,
  MIN_SIMILAR_LENGTH,
  oneLetterOff,
  type SearchQuery,
} from "./search-words.ts";
import type { MemoryFilter, WordCounts } from "./store.ts";
import { encodeText } from "./stored-text.ts";

/** A team's memories, as the user who is logged in may see them. */
export interface TeamSearch {
  readonly run: RunSql;
  readonly team: string;
}

interface Counts {
  readonly memories: number;
  readonly forms: readonly CountedForm[];
}

/** The rows that fit best, with their `weight`, `uses` and `used_ms`. */
export async function searchRows(
  search: TeamSearch,
  { any, all }: SearchQuery,
  filter: MemoryFilter,
  limit: number,
): Promise<readonly Row[]> {
  if (filter.projects?.length === 0 || any.length === 0) return [];
  const { memories, forms } = await findForms(search, any);
  const required = all.map(exactQuery);
  const weigh = (phrase: string): number =>
    rarity(forms.find(form => form.phrase === phrase)?.matches ?? 0, memories);
  for (const attempt of planSearch(forms)) {
    const weights = attempt.isWeighed ? attempt.phrases.map(weigh) : null;
    const rows = await tryToFind(search, attempt, filter, { required, limit, weights });
    if (rows.length > 0) return rows;
  }
  return [];
}

/**
 * The forms under which the index has each phrase: as it is, else as the beginning of words, else with one letter
 * wrong, else as a part of words.
 */
async function findForms(search: TeamSearch, phrases: readonly string[]): Promise<Counts> {
  const asIs = await countPhrases(search, phrases);
  const missing = phrases.filter((_, index) => asIs.forms[index]?.matches === 0);
  const words = missing.filter(phrase => !phrase.includes(" ") && phrase.length >= MIN_PREFIX_LENGTH);
  if (words.length === 0) return asIs;
  const beginnings = await countQueries(search, words.map(beginningQuery));
  const unknown = words.filter(
    (word, index) => beginnings.forms[index]?.matches === 0 && word.length >= MIN_SIMILAR_LENGTH,
  );
  const similar: CountedForm[] = [];
  for (const word of unknown) similar.push(...(await findSimilar(search, word)));
  return { memories: asIs.memories, forms: [...asIs.forms, ...beginnings.forms, ...similar] };
}

async function findSimilar({ run, team }: TeamSearch, word: string): Promise<readonly CountedForm[]> {
  const rows = await run(`SELECT * FROM ${SCHEMA}.similar_memory_terms($1, $2, $3, $4) LIMIT $5`, [
    team,
    oneLetterOff(word),
    word,
    MAX_WEIGHED + 1,
    MAX_SIMILAR,
  ]);
  return rows.map(row => ({ phrase: exactQuery(String(row["term"])), matches: Number(row["matches"]) }));
}

function countPhrases(search: TeamSearch, phrases: readonly string[]): Promise<Counts> {
  const terms = phrases.map(phrase => (phrase.includes(" ") ? "" : withoutAccents(phrase)));
  return countQueries(search, phrases.map(exactQuery), terms);
}

/** Counting need not be exact beyond what can be weighed. */
async function countQueries(
  { run, team }: TeamSearch,
  queries: readonly string[],
  terms: readonly string[] = [],
): Promise<Counts> {
  const [row] = await run(`SELECT * FROM ${SCHEMA}.count_memory_words($1, $2, $3, $4)`, [
    team,
    queries,
    terms,
    MAX_WEIGHED + 1,
  ]);
  const matches = (row?.["matches"] ?? []) as readonly unknown[];
  return {
    memories: Number(row?.["total"] ?? 0),
    forms: queries.map((phrase, index) => ({ phrase, matches: Number(matches[index] ?? 0) })),
  };
}

/** How many memories have each term, and how many there are. */
export async function countTerms(search: TeamSearch, terms: readonly string[]): Promise<WordCounts> {
  const { memories, forms } = await countPhrases(search, terms);
  return { memories, matches: new Map(terms.map((term, index) => [term, forms[index]?.matches ?? 0])) };
}

interface AttemptOptions {
  readonly required: readonly string[];
  readonly limit: number;
  readonly weights: readonly number[] | null;
}

/** Whole rows are fetched for the best only, and behind the policies as everywhere. */
function tryToFind(
  { run, team }: TeamSearch,
  { phrases }: SearchAttempt,
  filter: MemoryFilter,
  { required, limit, weights }: AttemptOptions,
): Promise<readonly Row[]> {
  const text = (given: string | undefined): string | null => (given === undefined ? null : encodeText(given));
  return run(
    `SELECT ${SELECTED}, weight, uses, used_ms
     FROM ${SCHEMA}.search_memories($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
     JOIN ${MEMORIES} USING (number)
     ORDER BY weight DESC, number DESC`,
    [
      team,
      anyQuery(phrases, required),
      phrases,
      weights,
      filter.projects?.map(encodeText) ?? null,
      text(filter.agent),
      text(filter.session),
      text(filter.id),
      text(filter.key),
      text(filter.category),
      filter.updatedSinceMs ?? null,
      text(filter.unseenBy),
      text(filter.unrecalledBy),
      limit,
    ],
  );
}
