import { Buffer, isUtf8 } from "node:buffer";
import { quoteWord } from "../system/index.ts";
import { firstCharacters } from "../text/index.ts";
import {
  ANY_AGENT,
  CATEGORIES,
  type Category,
  contentFingerprint,
  decodeText,
  encodeText,
  type Memory,
  MemoryError,
  shortHash,
  storedNames,
  TEXT_LIMITS,
} from "./memory.ts";
import { readMemory } from "./move.ts";
import { indexText } from "./search-words.ts";
import { corruptDatabase, type SqliteConnection, type SqlRow, type SqlValue } from "./sqlite-connection.ts";

/** Columns in the order of `columnValues`; the long one last, so that the others are read without it. */
export const COLUMNS =
  "id, project, agent, session, key, type, category, created_ms, updated_ms, fingerprint, seal, value";
export const PLACEHOLDERS = "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?";
/** For `readMemoryRow`. The library ends the process when a text is not UTF-8, so it is given bytes to hand on. */
export const SELECTED = [
  "number, created_ms, updated_ms",
  ...["id", "project", "agent", "session", "key", "type", "category", "seal", "value"].map(selectAsBytes),
  "EXISTS (SELECT 1 FROM memory_pins WHERE memory_pins.number = memories.number) AS is_pinned",
].join(", ");

/** A text column as bytes. */
export function selectAsBytes(column: string): string {
  return `CAST(${column} AS BLOB) AS ${column}`;
}

export function columnValues(memory: Memory): readonly SqlValue[] {
  return [
    ...storedNames(memory),
    memory.createdMs,
    memory.updatedMs,
    contentFingerprint(memory.value),
    memoryDigest(memory),
    encodeText(memory.value),
  ];
}

/** The text of a column that was asked for with `selectAsBytes`. */
export function readTextColumn(row: SqlRow, column: string, path: string): string {
  const bytes = row[column];
  if (!(bytes instanceof ArrayBuffer) || !isUtf8(bytes)) throw damagedRow(row, path);
  return decodeText(Buffer.from(bytes).toString("utf8"));
}

/** The memory of a row; a row that does not fit its seal was damaged on disk and is reported, never returned. */
export function readMemoryRow(row: SqlRow, path: string): Memory {
  const text = (column: string): string => readTextColumn(row, column, path);
  const unreadable = (): Error => damagedRow(row, path);
  const time = (column: string): number => {
    const ms = row[column];
    if (typeof ms !== "number") throw unreadable();
    return ms;
  };
  const memory = readMemory({ text, time, unreadable }, row["is_pinned"] === 1);
  if (text("seal") !== memoryDigest(memory)) throw unreadable();
  return memory;
}

function damagedRow(row: SqlRow, path: string): Error {
  const number = Number(row["number"]);
  return corruptDatabase(
    path,
    `memory number ${number} does not match its checksum`,
    `drop that one: sqlite3 ${quoteWord(path)} '${dropStatements(number)}'`,
  );
}

/** What a team shares is not removed for everybody by this, and the next sync fetches it again. */
function dropStatements(number: number): string {
  const at = `WHERE number = ${number}`;
  return `UPDATE memories SET is_shared = 0 ${at}; DELETE FROM memories ${at}; UPDATE memory_team SET revision = 0`;
}

/** SQLite notices broken pages, not a changed letter; this does. */
function memoryDigest(memory: Memory): string {
  const { id, project, agent, session, key, value, type, category, createdMs, updatedMs } = memory;
  return shortHash(
    JSON.stringify([id, project, agent, session, key, value, type, category, createdMs, updatedMs]),
  );
}

/** What became of a memory since the team's database was told; one entry may be several of them. */
export const CHANGE = { content: 1, pin: 2, removal: 4 } as const;

/** The name of a memory in `row`; a project that means something on other machines too. */
const SAME_NAME = (row: string): string =>
  `agent = ${row}.agent AND session = ${row}.session AND key = ${row}.key`;
const IN_SHARED_PROJECT = "new.project <> '' AND new.project NOT GLOB '/*'";

/**
 * Notes that a memory changed: one entry for each name, always with a number that was never used before, so that one
 * who sent the entry sees whether it changed meanwhile. `base` is what was known of the team's database at the first
 * change. Later changes add to what is in the entry.
 */
function record(row: "new" | "old" | "memories", change: number, changedMs = "0"): string {
  return `
    INSERT OR REPLACE INTO memory_changes (agent, session, key, id, project, changes, base, changed_ms)
    SELECT ${row}.agent, ${row}.session, ${row}.key, ${row}.id, ${row}.project,
      ${change} | coalesce((SELECT changes FROM memory_changes WHERE ${SAME_NAME(row)}), 0),
      coalesce(
        (SELECT base FROM memory_changes WHERE ${SAME_NAME(row)}), (SELECT revision FROM memory_team), 0
      ),
      ${changedMs}`;
}

/** A removal follows what it removes, also on a clock that is behind. SQLite's own clock is not the one of the store. */
const REMOVED_MS = "max(old.updated_ms + 1, coalesce((SELECT now_ms FROM memory_team), 0))";

/**
 * What a team shares and what is to be told to it. Triggers record, so that no way to change a memory can forget to.
 * Nothing is recorded before a team is configured (`memory_team`): what was stored until then is not shared unasked.
 */
function makeChangeLog(connection: SqliteConnection): void {
  connection.run("ALTER TABLE memories ADD COLUMN is_shared INTEGER NOT NULL DEFAULT 0");
  connection.run(`
    CREATE TABLE memory_team (
      only INTEGER PRIMARY KEY CHECK (only = 1),
      origin TEXT NOT NULL,
      revision INTEGER NOT NULL DEFAULT 0,
      now_ms INTEGER NOT NULL DEFAULT 0,
      projects TEXT NOT NULL DEFAULT ''
    ) STRICT`);
  connection.run(`
    CREATE TABLE memory_changes (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      agent TEXT NOT NULL,
      session TEXT NOT NULL,
      key TEXT NOT NULL,
      id TEXT NOT NULL,
      project TEXT NOT NULL,
      changes INTEGER NOT NULL,
      base INTEGER NOT NULL,
      changed_ms INTEGER NOT NULL,
      UNIQUE (agent, session, key)
    ) STRICT`);
  const share = `
    UPDATE memories SET is_shared = 1 WHERE number = new.number;
    ${record("new", CHANGE.content)};`;
  connection.run(`
    CREATE TRIGGER memory_shared AFTER INSERT ON memories
    WHEN EXISTS (SELECT 1 FROM memory_team) AND ${IN_SHARED_PROJECT}
    BEGIN ${share} END`);
  connection.run(`
    CREATE TRIGGER memory_changed AFTER UPDATE OF id, project, type, category, updated_ms, value ON memories
    WHEN new.is_shared = 1 OR EXISTS (SELECT 1 FROM memory_team) AND ${IN_SHARED_PROJECT}
    BEGIN ${share} END`);
  connection.run(`
    CREATE TRIGGER memory_withdrawn BEFORE DELETE ON memories WHEN old.is_shared = 1
    BEGIN ${record("old", CHANGE.content | CHANGE.removal, REMOVED_MS)}; END`);
  for (const [name, event, row] of [
    ["memory_pinned", "INSERT", "new"],
    ["memory_unpinned", "DELETE", "old"],
  ])
    connection.run(`
      CREATE TRIGGER ${name} AFTER ${event} ON memory_pins
      BEGIN ${record("memories", CHANGE.pin)} FROM memories WHERE number = ${row}.number AND is_shared = 1; END`);
}

/** From now on changes are recorded for this team; a team that is there already stays. */
export function beginRecording(connection: SqliteConnection, origin: string): void {
  if (connection.rows("SELECT 1 FROM memory_team").length > 0) return;
  connection.write(() =>
    connection.run("INSERT OR IGNORE INTO memory_team (only, origin) VALUES (1, ?)", [origin]),
  );
}

/** Everything that is shared is told to the team again. */
export function recordAll(connection: SqliteConnection): void {
  connection.run(`${record("memories", CHANGE.content | CHANGE.pin)} FROM memories WHERE is_shared = 1`);
}

/**
 * The latest date in a project of what the team's database has, whose clock is known to be right. By it the age of
 * shared memories counts: a clock that is years ahead would else drop them, here and then for the whole team.
 */
export function newestOfTeam(connection: SqliteConnection, project: string): number | undefined {
  const [row] = connection.rows(
    `SELECT max(updated_ms) AS newest FROM memories
     WHERE project = ? AND is_shared = 1 AND NOT EXISTS (
       SELECT 1 FROM memory_changes AS waiting
       WHERE waiting.agent = memories.agent AND waiting.session = memories.session AND waiting.key = memories.key
     )`,
    [encodeText(project)],
  );
  const newest = row?.["newest"];
  return typeof newest === "number" ? newest : undefined;
}

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

function hasEarlierEntries(connection: SqliteConnection): boolean {
  const columns = connection.rows(
    `SELECT 1 FROM pragma_table_info('${TABLE}') WHERE name IN (${NEEDED.map(() => "?").join(", ")})`,
    NEEDED,
  );
  return columns.length === NEEDED.length;
}

function adoptEarlierEntries(connection: SqliteConnection, nowMs: number): void {
  const taken = new Set<string>();
  for (const row of connection.rows(
    `SELECT ${NEEDED.map(selectAsBytes).join(", ")} FROM ${TABLE} ORDER BY created_at, id`,
  )) {
    const memory = withFreeKey(toMemory(row, nowMs), taken);
    connection.run(`INSERT INTO memories (${COLUMNS}) VALUES (${PLACEHOLDERS})`, columnValues(memory));
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

/** "ampm": tells our databases from those of other programs. */
const APPLICATION_ID = 0x616d706d;

type Migration = (connection: SqliteConnection, path: string, nowMs: number) => void;

/** Each leads from the version of its index to the next; a new database goes through all of them. */
export const MIGRATIONS: readonly Migration[] = [
  makeTables,
  makeFirstIndex,
  makeUseTables,
  makeSearchIndex,
  makeChangeLog,
];

/**
 * Brings the database to our version, in one transaction. Others that try at the same time wait and find it done.
 * One that is not for us is not changed in any way.
 */
export function prepareSchema(connection: SqliteConnection, path: string, nowMs: number): void {
  const found = readVersion(connection, path);
  connection.enableWriteAheadLog();
  if (found === MIGRATIONS.length) return;
  connection.write(() => {
    const version = readVersion(connection, path);
    for (const migrate of MIGRATIONS.slice(version)) migrate(connection, path, nowMs);
    connection.rows(`PRAGMA application_id = ${APPLICATION_ID}`);
    connection.rows(`PRAGMA user_version = ${MIGRATIONS.length}`);
  });
}

/** 0 for an empty database and for one of the earlier program; throws for one that we cannot use. */
function readVersion(connection: SqliteConnection, path: string): number {
  const owner = Number(connection.rows("PRAGMA application_id")[0]?.["application_id"]);
  const version = Number(connection.rows("PRAGMA user_version")[0]?.["user_version"]);
  if (owner !== APPLICATION_ID) {
    const tables = connection.rows("SELECT 1 FROM sqlite_schema LIMIT 1");
    if (owner === 0 && version === 0 && (tables.length === 0 || hasEarlierEntries(connection))) return 0;
    throw new MemoryError(
      "foreign",
      `${path} is a database of another program; it was left as it is`,
      "name another file with --db-path",
    );
  }
  if (version > MIGRATIONS.length) {
    throw new MemoryError(
      "newer",
      `${path} was written by a newer amplihack (its version is ${version}, this one knows ${MIGRATIONS.length}); it was left as it is`,
      "amplihack update",
    );
  }
  return version;
}

function makeTables(connection: SqliteConnection, _path: string, nowMs: number): void {
  connection.run(`
    CREATE TABLE memories (
      number INTEGER PRIMARY KEY,
      id TEXT NOT NULL,
      project TEXT NOT NULL,
      agent TEXT NOT NULL,
      session TEXT NOT NULL,
      key TEXT NOT NULL,
      type TEXT NOT NULL,
      category TEXT NOT NULL,
      created_ms INTEGER NOT NULL,
      updated_ms INTEGER NOT NULL,
      fingerprint TEXT NOT NULL,
      seal TEXT NOT NULL,
      value TEXT NOT NULL,
      UNIQUE (agent, session, key),
      UNIQUE (agent, id)
    ) STRICT`);
  connection.run("CREATE INDEX memories_by_change ON memories (project, updated_ms)");
  connection.run("CREATE INDEX memories_by_content ON memories (fingerprint)");
  if (hasEarlierEntries(connection)) adoptEarlierEntries(connection, nowMs);
}

/** The index of the second version is replaced by the next step, which fills it. */
function makeFirstIndex(connection: SqliteConnection): void {
  connection.run("CREATE VIRTUAL TABLE memory_words USING fts5 (scope, key, value, content = '')");
}

/**
 * Which memories are pinned, and which were put before which session. A trigger cleans up, so that a memory that a
 * person deletes with SQLite itself leaves nothing to the next one that gets its number.
 */
function makeUseTables(connection: SqliteConnection): void {
  connection.run("CREATE TABLE memory_pins (number INTEGER PRIMARY KEY) STRICT");
  connection.run(`
    CREATE TABLE memory_uses (
      number INTEGER NOT NULL,
      project TEXT NOT NULL,
      session TEXT NOT NULL,
      occasion TEXT NOT NULL,
      used_ms INTEGER NOT NULL,
      PRIMARY KEY (number, session, project)
    ) STRICT, WITHOUT ROWID`);
  connection.run("CREATE INDEX memory_uses_by_project ON memory_uses (project, used_ms)");
  connection.run(`
    CREATE TRIGGER memory_removed AFTER DELETE ON memories BEGIN
      DELETE FROM memory_pins WHERE number = old.number;
      DELETE FROM memory_uses WHERE number = old.number;
    END`);
}

/**
 * Holds terms only; the text stays in `memories`. Scope is in it so that a search never leaves its project.
 * `memory_terms` lists what the index has, for words that are not in it as they were typed.
 */
function makeSearchIndex(connection: SqliteConnection, path: string): void {
  connection.run("DROP TABLE memory_words");
  connection.run(`
    CREATE VIRTUAL TABLE memory_words USING fts5 (
      scope, key, value,
      content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
    )`);
  connection.run("CREATE VIRTUAL TABLE memory_terms USING fts5vocab ('memory_words', 'col')");
  for (const row of connection.rows(`SELECT ${SELECTED} FROM memories`)) {
    addToIndex(connection, Number(row["number"]), readMemoryRow(row, path));
  }
}

/** Replaces what the index has under that number. */
export function addToIndex(connection: SqliteConnection, number: number, memory: Memory): void {
  connection.run("INSERT OR REPLACE INTO memory_words (rowid, scope, key, value) VALUES (?, ?, ?, ?)", [
    number,
    scopeWords(memory).join(" "),
    indexText(memory.key),
    indexText(memory.value),
  ]);
}

/** One word each for project, agent and session. */
function scopeWords(memory: Pick<Memory, "project" | "agent" | "session">): readonly string[] {
  return [
    scopeWord("project", memory.project),
    scopeWord("agent", memory.agent),
    scopeWord("session", memory.session),
  ];
}

export function scopeWord(kind: "project" | "agent" | "session", name: string): string {
  return `${kind}${shortHash(name)}`;
}
