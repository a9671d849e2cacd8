import type { SqliteConnection } from "./sqlite-connection.ts";
import { encodeText } from "./stored-text.ts";

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
export function makeChangeLog(connection: SqliteConnection): void {
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
