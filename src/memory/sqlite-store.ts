import { dirname, hasErrorCode, type System, SystemError } from "../system/index.ts";
import {
  checkTexts,
  contentFingerprint,
  EMPTY_READER,
  encodeText,
  type ImportCounts,
  type Memory,
  type MemoryDraft,
  MemoryError,
  type MemoryFilter,
  type MemoryId,
  type MemoryName,
  type MemoryReader,
  type MemoryStore,
  type MemoryUse,
  newMemory,
  occupiedAgent,
  type Retention,
  type WeightedMemory,
  type WordCounts,
  withFreeId,
} from "./memory.ts";
import { type MovableStore, readMatch, type StoredUse } from "./move.ts";
import { type CountedForm, MAX_WEIGHED, planSearch, type SearchAttempt } from "./ranking.ts";
import {
  MAX_SIMILAR,
  MIN_PREFIX_LENGTH,
  MIN_SIMILAR_LENGTH,
  oneLetterOff,
  type SearchQuery,
} from "./search-words.ts";
import { corruptDatabase, SqliteConnection, type SqlRow, type SqlValue } from "./sqlite-connection.ts";
import {
  beginRecording,
  newestOfTeam,
  prepareSchema,
  readMemoryRow,
  SELECTED,
  scopeWord,
} from "./sqlite-schema.ts";
import {
  addUses,
  checkScope,
  dropRemovedWords,
  type FoundMemory,
  findRow,
  insertRow,
  latestRows,
  listUses,
  numberOfId,
  readNumber,
  removeRows,
  replaceRow,
  setPin,
  takeUse,
  UNRECALLED_BY,
  UNSEEN_BY,
  USE_COLUMNS,
} from "./sqlite-writes.ts";

/** A word in the key counts as much as two in the value; scope restricts and weighs nothing. */
const WEIGHTS = "0.0, 2.0, 1.0";

/** The rows that fit best, with their `weight`, `uses` and `used_ms`. */
function searchRows(
  connection: SqliteConnection,
  { any, all }: SearchQuery,
  filter: MemoryFilter,
  limit: number,
): readonly SqlRow[] {
  if (filter.projects?.length === 0) return [];
  const required = all.map(phrase => `${matchAny([exactly(phrase)])} AND `).join("");
  const counted = any.flatMap(phrase => searchForms(connection, phrase));
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
function searchForms(connection: SqliteConnection, phrase: string): readonly CountedForm[] {
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
function countTerms(connection: SqliteConnection, terms: readonly string[]): WordCounts {
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
function filterConditions(filter: MemoryFilter): {
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

/** The store in one SQLite file. All methods are synchronous behind their promises. */
export class SqliteStore implements MovableStore {
  private readonly connection: SqliteConnection;
  private readonly system: Pick<System, "clock" | "random">;
  private readonly path: string;

  constructor(connection: SqliteConnection, system: Pick<System, "clock" | "random">, path: string) {
    this.connection = connection;
    this.system = system;
    this.path = path;
  }

  async list(filter: MemoryFilter, order: "name" | "newest", limit?: number): Promise<readonly Memory[]> {
    const { text, values } = filterConditions(filter);
    const by = order === "name" ? "agent, session, key" : "updated_ms DESC, number DESC";
    const rows = this.connection.rows(
      `SELECT ${SELECTED} FROM memories WHERE ${text} ORDER BY ${by} LIMIT ?`,
      [...values, limit ?? -1],
    );
    return rows.map(row => readMemoryRow(row, this.path));
  }

  async search(query: SearchQuery, filter: MemoryFilter, limit: number): Promise<readonly WeightedMemory[]> {
    const rows = searchRows(this.connection, query, filter, limit);
    return rows.map(row => readMatch(row, readMemoryRow(row, this.path)));
  }

  async countWords(terms: readonly string[]): Promise<WordCounts> {
    return countTerms(this.connection, terms);
  }

  async latest(project: string, sinceMs: number, limit: number): Promise<readonly Memory[]> {
    return latestRows(this.connection, project, sinceMs, limit).map(row => readMemoryRow(row, this.path));
  }

  async put(draft: MemoryDraft): Promise<{ memory: Memory; isNew: boolean }> {
    checkTexts(draft);
    return this.connection.write(() => {
      const existing = this.findNamed(draft);
      const nowMs = this.system.clock.nowMs();
      if (existing === undefined) return { memory: this.add(draft, nowMs), isNew: true };
      const { id, createdMs } = existing.memory;
      checkScope(this.connection, existing, draft.project);
      const memory = replaceRow(this.connection, existing, { ...draft, id, createdMs, updatedMs: nowMs });
      return { memory, isNew: false };
    });
  }

  async remember(draft: MemoryDraft, retention: Retention): Promise<{ memory: Memory; isNew: boolean }> {
    checkTexts(draft);
    return this.connection.write(() => {
      const nowMs = this.system.clock.nowMs();
      const existing = this.findSame(draft) ?? this.findNamed(draft);
      const memory =
        existing === undefined
          ? this.add(draft, nowMs)
          : replaceRow(this.connection, existing, { ...existing.memory, updatedMs: nowMs });
      this.retain(draft.project, retention);
      return { memory, isNew: existing === undefined };
    });
  }

  async remove(memories: readonly MemoryId[]): Promise<number> {
    if (memories.length === 0) return 0;
    return this.connection.write(() => {
      const numbers = this.listNumbers(memories);
      removeRows(this.connection, numbers, this.system.clock.nowMs());
      dropRemovedWords(this.connection);
      return numbers.length;
    });
  }

  async pin(memories: readonly MemoryId[], isPinned: boolean): Promise<number> {
    return this.connection.write(() => {
      const numbers = this.listNumbers(memories);
      for (const number of numbers) setPin(this.connection, number, isPinned);
      return numbers.length;
    });
  }

  async recordUse(memories: readonly MemoryId[], use: MemoryUse): Promise<void> {
    if (memories.length === 0) return;
    this.connection.write(() =>
      addUses(this.connection, this.listNumbers(memories), use, this.system.clock.nowMs()),
    );
  }

  async listUses(): Promise<readonly StoredUse[]> {
    return listUses(this.connection);
  }

  async takeUses(uses: readonly StoredUse[]): Promise<void> {
    this.connection.write(() => {
      for (const use of uses)
        for (const number of this.listNumbers([use])) takeUse(this.connection, number, use);
    });
  }

  async take(
    agents: string | readonly string[],
    memories: readonly Memory[],
    isMerge: boolean,
  ): Promise<ImportCounts> {
    for (const memory of memories) checkTexts(memory);
    return this.connection.write(() => {
      if (!isMerge) for (const agent of [agents].flat()) this.checkEmpty(agent);
      const counts = { added: 0, replaced: 0, kept: 0 };
      for (const memory of memories) counts[this.takeOne(memory)]++;
      return counts;
    });
  }

  /** It is a copy of what a team has. */
  async hasShared(): Promise<boolean> {
    return this.connection.rows("SELECT 1 FROM memories WHERE is_shared = 1 LIMIT 1").length > 0;
  }

  close(): void {
    this.connection.close();
  }

  private checkEmpty(agent: string): void {
    const rows = this.connection.rows("SELECT 1 FROM memories WHERE agent = ? LIMIT 1", [encodeText(agent)]);
    if (rows.length > 0) throw occupiedAgent();
  }

  private takeOne(memory: Memory): keyof ImportCounts {
    const existing = this.findNamed(memory);
    if (existing !== undefined && existing.memory.updatedMs >= memory.updatedMs) return "kept";
    const owner = numberOfId(this.connection, memory.agent, memory.id);
    const taken = withFreeId(memory, owner, existing?.number, this.system.random);
    if (existing === undefined) {
      insertRow(this.connection, taken);
      return "added";
    }
    checkScope(this.connection, existing, taken.project);
    replaceRow(this.connection, existing, taken);
    return "replaced";
  }

  private add(draft: MemoryDraft, nowMs: number): Memory {
    return insertRow(this.connection, newMemory(draft, this.system.random, nowMs));
  }

  private findNamed({ agent, session, key }: MemoryName): FoundMemory | undefined {
    return this.findOne("agent = ? AND session = ? AND key = ?", [agent, session, key]);
  }

  /** By what it says, in the same project and of the same agent. */
  private findSame({ project, agent, value }: MemoryDraft): FoundMemory | undefined {
    return this.findOne("fingerprint = ? AND project = ? AND agent = ?", [
      contentFingerprint(value),
      project,
      agent,
    ]);
  }

  private findOne(condition: string, values: readonly string[]): FoundMemory | undefined {
    return findRow(this.connection, this.path, condition, values);
  }

  private listNumbers(memories: readonly MemoryId[]): readonly number[] {
    return memories.flatMap(({ agent, id }) => numberOfId(this.connection, agent, id) ?? []);
  }

  private retain(project: string, { keyPrefix, keepNewest, updatedSinceMs }: Retention): void {
    const nowMs = this.system.clock.nowMs();
    const teamNowMs = Math.min(nowMs, newestOfTeam(this.connection, project) ?? nowMs);
    const rows = this.connection.rows(
      `SELECT number FROM (
         SELECT number, is_shared, updated_ms, row_number() OVER (ORDER BY updated_ms DESC, number DESC) AS place
         FROM memories
         WHERE project = ? AND substr(key, 1, ?) = ? AND number NOT IN (SELECT number FROM memory_pins)
       )
       WHERE place > ? OR updated_ms < CASE is_shared WHEN 1 THEN ? ELSE ? END`,
      [
        encodeText(project),
        keyPrefix.length,
        keyPrefix,
        keepNewest,
        updatedSinceMs - (nowMs - teamNowMs),
        updatedSinceMs,
      ],
    );
    removeRows(this.connection, rows.map(readNumber), nowMs);
  }
}

interface OpenOptions {
  /** how long to wait for other programs; less where a caller's own time is short */
  readonly patienceMs?: number;
  /** the team that what is stored from now on is for; see `teamOrigin` */
  readonly origin?: string | undefined;
}

const PATIENCE_MS = 30_000;
const OWNER_ONLY = 0o600;
/** What SQLite keeps beside a database. */
const COMPANIONS = ["-wal", "-shm"];

/** Opens the store at this path; creates it when it is missing. */
export async function openStore(
  system: System,
  path: string,
  options: OpenOptions = {},
): Promise<SqliteStore> {
  return new SqliteStore(await openConnection(system, path, options), system, path);
}

/** Opens the database at this path, creates it when it is missing, and migrates its tables. */
export async function openConnection(
  system: System,
  path: string,
  { patienceMs = PATIENCE_MS, origin }: OpenOptions = {},
): Promise<SqliteConnection> {
  makeDatabaseFile(system, path);
  const connection = await SqliteConnection.open(system, path, { patienceMs });
  try {
    connection.configure();
    prepareSchema(connection, path, system.clock.nowMs());
    restrictAccess(system, path);
    if (origin !== undefined) beginRecording(connection, origin);
  } catch (error) {
    connection.close();
    throw error;
  }
  return connection;
}

/** As `openStore`, but a place without a database stays without one and the library is not even loaded. */
export async function openExistingStore(
  system: System,
  path: string,
  options: OpenOptions,
): Promise<MemoryStore | undefined> {
  return inspectPlace(system, path) === "database" ? openStore(system, path, options) : undefined;
}

/** The same for those who only read; a place without a database is empty. */
export async function openReader(
  system: System,
  path: string,
  options: OpenOptions = {},
): Promise<MemoryReader> {
  return (await openExistingStore(system, path, options)) ?? EMPTY_READER;
}

/** SQLite gives its other files the mode of this one, so it must be private before anything is in it. */
function makeDatabaseFile(system: System, path: string): void {
  if (inspectPlace(system, path) !== "nothing") return;
  try {
    system.files.makeDirectory(dirname(path), 0o700);
    system.files.createExclusive(path, new Uint8Array(0), OWNER_ONLY);
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw unusable(error, path);
  }
}

/**
 * An empty file is a database that another process is just making. A log without its database is not: SQLite would
 * throw it away. The log is looked at first, because it is never there before the database.
 */
function inspectPlace({ files }: System, path: string): "database" | "empty-file" | "nothing" {
  try {
    const hasLog = (files.follow(`${path}-wal`)?.size ?? 0) > 0;
    const facts = files.follow(path);
    if (hasLog && (facts === undefined || facts.size === 0)) {
      throw corruptDatabase(path, "its log is there and it is not");
    }
    if (facts === undefined) return "nothing";
    if (facts.kind !== "file") {
      throw new MemoryError("unavailable", `${path} is not a file`, "name another file with --db-path");
    }
    return facts.size === 0 ? "empty-file" : "database";
  } catch (error) {
    throw unusable(error, path);
  }
}

/** Also for files that another program, or a copy, left open to others. */
function restrictAccess({ files }: System, path: string): void {
  for (const file of [path, ...COMPANIONS.map(suffix => path + suffix)]) {
    try {
      const mode = files.follow(file)?.mode;
      if (mode !== undefined && (mode & 0o077) !== 0) files.changeMode(file, OWNER_ONLY);
    } catch (error) {
      // The last one to leave removes them.
      if (!hasErrorCode(error, "ENOENT")) throw unusable(error, file);
    }
  }
}

function unusable(error: unknown, path: string): unknown {
  if (!(error instanceof SystemError)) return error;
  return new MemoryError("unavailable", `the memory database ${path} cannot be used: ${error.message}`);
}
