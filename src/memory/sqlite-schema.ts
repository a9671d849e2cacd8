import { adoptEarlierEntries, hasEarlierEntries } from "./earlier-entries.ts";
import type { Memory } from "./memory.ts";
import { MemoryError } from "./memory-error.ts";
import { indexText } from "./search-words.ts";
import { shortHash } from "./short-hash.ts";
import { makeChangeLog } from "./sqlite-changes.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { memoryOf, SELECTED } from "./sqlite-rows.ts";

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
  const found = versionOf(connection, path);
  connection.enableWriteAheadLog();
  if (found === MIGRATIONS.length) return;
  connection.write(() => {
    const version = versionOf(connection, path);
    for (const migrate of MIGRATIONS.slice(version)) migrate(connection, path, nowMs);
    connection.rows(`PRAGMA application_id = ${APPLICATION_ID}`);
    connection.rows(`PRAGMA user_version = ${MIGRATIONS.length}`);
  });
}

/** 0 for an empty database and for one of the earlier program; throws for one that we cannot use. */
function versionOf(connection: SqliteConnection, path: string): number {
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
    addToIndex(connection, Number(row["number"]), memoryOf(row, path));
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
