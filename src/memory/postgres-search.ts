import { Buffer } from "node:buffer";
import {
  NAME_TAKEN,
  PostgresError,
  type Row,
  type RunSql,
  SCHEMA,
  type SqlValue,
} from "../postgres/index.ts";
import {
  contentFingerprint,
  decodeText,
  encodeText,
  MAX_TIME_MS,
  type Memory,
  MemoryError,
  type MemoryFilter,
  type MemoryId,
  type MemoryName,
  type MemoryProblem,
  storedNames,
  type WordCounts,
} from "./memory.ts";
import { readMemory } from "./move.ts";
import { type CountedForm, MAX_WEIGHED, planSearch, rarity, type SearchAttempt } from "./ranking.ts";
import {
  indexText,
  MAX_SIMILAR,
  MIN_PREFIX_LENGTH,
  MIN_SIMILAR_LENGTH,
  oneLetterOff,
  type SearchQuery,
} from "./search-words.ts";

const PROBLEMS: Readonly<Record<PostgresError["problem"], MemoryProblem>> = {
  offline: "offline",
  refused: "refused",
  newer: "newer",
  failed: "unavailable",
};

/** What a database answered, as all stores tell it. */
export function toMemoryError(error: unknown): unknown {
  if (!(error instanceof PostgresError)) return error;
  // The store looks for the name first: what it does not see then belongs to a project that the user may not see.
  if (error.code === NAME_TAKEN)
    return new MemoryError(
      "occupied",
      "the team has a memory of that name in a project that you may not see",
      "choose another key",
    );
  return new MemoryError(PROBLEMS[error.problem], error.message, error.fix);
}

/** What PostgreSQL holds of one text: it refuses more bytes, and takes no notice of more positions. */
const MAX_VECTOR_BYTES = 1_000_000;
const MAX_POSITIONS = 255;
const MAX_POSITION = 16_383;
/** Between key and value, so that no phrase reaches from one into the other. */
const GAP = 8;

/** Text of a `tsvector`: words of the key have the weight A. */
interface IndexedTerms {
  readonly vector: string;
  readonly count: number;
}

export function indexedTerms({ key, value }: Pick<Memory, "key" | "value">): IndexedTerms {
  const [inKey, inValue] = [splitTerms(key), splitTerms(value)];
  const places = new Map<string, string[]>();
  let bytes = 0;
  const add = (term: string, place: number, weight: string): void => {
    const known = places.get(term);
    if (known !== undefined && known.length >= MAX_POSITIONS) return;
    // Each word has a count, and may be padded.
    bytes += 2 + (known === undefined ? 3 + Buffer.byteLength(term) : 0);
    if (bytes > MAX_VECTOR_BYTES) return;
    const position = `${Math.min(place, MAX_POSITION)}${weight}`;
    if (known === undefined) places.set(term, [position]);
    else known.push(position);
  };
  for (const [index, term] of inKey.entries()) add(term, index + 1, "A");
  for (const [index, term] of inValue.entries()) add(term, inKey.length + GAP + index, "");
  const vector = [...places].map(([term, positions]) => `'${term}':${positions.join(",")}`).join(" ");
  return { vector, count: inKey.length + inValue.length };
}

function splitTerms(text: string): readonly string[] {
  const terms = withoutAccents(indexText(text));
  return terms === "" ? [] : terms.split(" ");
}

/** On a letter; one by itself is a word. */
const ACCENTS = /(?<=[\p{L}\p{N}])[\u0300-\u036f]+/gu;

function withoutAccents(text: string): string {
  return text.normalize("NFD").replace(ACCENTS, "").normalize("NFC");
}

/** Text of a `tsquery`. Phrases hold letters, digits and marks only, so quoting them is all they need. */
function exactQuery(phrase: string): string {
  const terms = withoutAccents(phrase).split(" ");
  return terms.map(term => `'${term}'`).join(" <-> ");
}

function beginningQuery(word: string): string {
  return `${exactQuery(word)}:*`;
}

function anyQuery(queries: readonly string[], required: readonly string[]): string {
  const any = queries.map(query => `(${query})`).join(" | ");
  return [`(${any})`, ...required.map(query => `(${query})`)].join(" & ");
}

/** As tables. Bare names are those of what the user may read. */
export const MEMORIES = `${SCHEMA}.memories`;
export const USES = `${SCHEMA}.memory_uses`;

/** For `readMemoryRow`. */
export const SELECTED = [
  "number, created_ms, updated_ms, is_pinned",
  "id, project, agent, session, key, type, category, value",
].join(", ");

/** Columns that are written, with their types, in the order of `searchColumns`. */
const WRITTEN = [
  ["id", "text"],
  ["project", "text"],
  ["agent", "text"],
  ["session", "text"],
  ["key", "text"],
  ["type", "text"],
  ["category", "text"],
  ["created_ms", "bigint"],
  ["updated_ms", "bigint"],
  ["fingerprint", "text"],
  ["is_pinned", "boolean"],
  ["term_count", "integer"],
  ["terms", "tsvector"],
  ["value", "text"],
] as const;
export const WRITTEN_COLUMNS = WRITTEN.map(([name]) => name).join(", ");

/** The rows of `columnsOf` as a table; its first array is `$first`. */
export function rowsFrom(first: number): string {
  const arrays = WRITTEN.map(([, type], index) => `$${first + index}::${type}[]`);
  return `unnest(${arrays.join(", ")})`;
}

/** One array for each column. */
export function searchColumns(memories: readonly Memory[]): readonly (readonly string[])[] {
  const rows = memories.map(memory => {
    const { vector, count } = indexedTerms(memory);
    return [
      ...storedNames(memory),
      String(memory.createdMs),
      String(memory.updatedMs),
      contentFingerprint(memory.value),
      String(memory.isPinned === true),
      String(count),
      vector,
      encodeText(memory.value),
    ];
  });
  return WRITTEN.map((_, index) => rows.map(row => row[index] as string));
}

/** Somebody who writes with SQL by hand may store what no memory can be; that is reported, never returned. */
export function readMemoryRow(row: Row): Memory {
  const unreadable = (column: string): MemoryError => unreadableRow(row, column);
  const time = (column: string): number => {
    const ms = Number(row[column]);
    if (!(Math.abs(ms) <= MAX_TIME_MS)) throw unreadable(column);
    return ms;
  };
  return readMemory(
    { text: column => readTextColumn(row, column), time, unreadable },
    row["is_pinned"] === true,
  );
}

export function readTextColumn(row: Row, column: string): string {
  return decodeText(String(row[column]));
}

function unreadableRow(row: Row, column: string): MemoryError {
  const number = Number(row["number"]);
  return new MemoryError(
    "corrupt",
    `memory number ${number} has a ${column} that does not exist`,
    `update amplihack, or drop that one: SELECT ${SCHEMA}.remove_memories('{${number}}')`,
  );
}

/** Of one project; the planner uses an index on the hash, which takes long names too. */
export function ofProject(project: string, table = ""): string {
  const column = table === "" ? "project" : `${table}.project`;
  return `${column}_hash = hashtextextended(${project}, 0) AND ${column} = ${project}`;
}

/** Where a memory is found by agent and id, or by its name; the planner uses an index for these. */
export function named(columns: "name" | "id", first: number): string {
  const parts = columns === "name" ? ["agent", "session", "key"] : ["agent", "id"];
  const arrays = parts.map((_, index) => `$${first + index}::text[]`).join(", ");
  const names = parts.join(", ");
  return `${columns}_hash = ANY (ARRAY(
    SELECT ${SCHEMA}.text_hash(${names}) FROM unnest(${arrays}) AS wanted (${names})
  ))`;
}

export function nameValues(memories: readonly MemoryName[]): readonly SqlValue[] {
  return [
    memories.map(({ agent }) => encodeText(agent)),
    memories.map(({ session }) => encodeText(session)),
    memories.map(({ key }) => encodeText(key)),
  ];
}

export function idValues(memories: readonly MemoryId[]): readonly SqlValue[] {
  return [memories.map(({ agent }) => encodeText(agent)), memories.map(({ id }) => encodeText(id))];
}

/** A filter over columns of `memories`, for values that begin with `$1`. */
export function listCondition(
  team: string,
  filter: MemoryFilter,
): { readonly text: string; readonly values: readonly SqlValue[] } {
  const values: SqlValue[] = [team];
  const parts: string[] = ["team = $1"];
  const add = (value: SqlValue, condition: (place: string) => string): void => {
    values.push(value);
    parts.push(condition(`$${values.length}`));
  };
  if (filter.projects !== undefined)
    add(filter.projects.map(encodeText), place => `project = ANY (${place}::text[])`);
  for (const column of ["agent", "session", "id", "key", "category"] as const) {
    const wanted = filter[column];
    if (wanted !== undefined) add(encodeText(wanted), place => `${column} = ${place}`);
  }
  if (filter.updatedSinceMs !== undefined) add(filter.updatedSinceMs, place => `updated_ms >= ${place}`);
  if (filter.unseenBy !== undefined)
    add(encodeText(filter.unseenBy), place => unlessUsed(`session = ${place}`));
  if (filter.unrecalledBy !== undefined)
    add(encodeText(filter.unrecalledBy), place => unlessUsed(`session = ${place} AND occasion = 'prompt'`));
  return { text: parts.join(" AND "), values };
}

function unlessUsed(how: string): string {
  return `NOT EXISTS (
    SELECT FROM memory_uses AS shown WHERE shown.number = memories.number AND shown.${how}
  )`;
}

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
     JOIN memories USING (number)
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
