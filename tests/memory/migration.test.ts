import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { describe, expect, it } from "vitest";
import { SqliteConnection } from "../../src/memory/sqlite-connection.ts";
import { COLUMNS, columnValues, MIGRATIONS, PLACEHOLDERS } from "../../src/memory/sqlite-schema.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { draft, find, NOW_MS, openScene, systemAt } from "./store-scene.ts";

const system = systemAt({ nowMs: NOW_MS });

describe("a database of an earlier version", () => {
  it("is brought up to date with all that is in it, and only once", async () => {
    const path = join(temporaryDirectory(), "memory.db");
    writeFileSync(path, "");
    const old = await SqliteConnection.open(system, path, { patienceMs: 1_000 });
    const memory = { ...draft({ value: "kept from version one" }), id: "x", createdMs: 1, updatedMs: 2 };
    old.write(() => {
      MIGRATIONS[0]?.(old, path, NOW_MS);
      old.run(`INSERT INTO memories (${COLUMNS}) VALUES (${PLACEHOLDERS})`, columnValues(memory));
      old.rows(`PRAGMA application_id = ${0x616d706d}`);
      old.rows("PRAGMA user_version = 1");
    });
    old.close();
    for (const _ of ["first", "second"]) {
      const { store } = await openScene(path);
      expect(await store.list({}, "name")).toEqual([memory]);
      expect(await find(store, "version")).toEqual([memory]);
    }
  });
});

/** The table as earlier programs of this name made it in the same file. */
function makeEarlierDatabase(path: string, entries: readonly (readonly string[])[]): void {
  const database = new Libsql(path);
  database.exec(`CREATE TABLE memory_entries (
    id TEXT PRIMARY KEY, session_id TEXT NOT NULL, agent_id TEXT NOT NULL, memory_type TEXT NOT NULL,
    title TEXT NOT NULL, content TEXT NOT NULL, content_hash TEXT NOT NULL DEFAULT '', metadata TEXT DEFAULT '{}',
    tags TEXT, importance INTEGER, created_at TEXT NOT NULL, accessed_at TEXT, expires_at TEXT, parent_id TEXT
  )`);
  const insert = database.prepare(
    "INSERT INTO memory_entries (id, session_id, agent_id, memory_type, title, content, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  for (const entry of entries) insert.run([...entry]);
  database.close();
}

describe("a database of the earlier program", () => {
  it("gives its memories, keeps its own table, and becomes private", async () => {
    const path = join(temporaryDirectory(), "memory.db");
    makeEarlierDatabase(path, [
      [
        "1",
        "s1",
        "architect",
        "decision",
        "Use queues",
        "Jobs go through a queue",
        "2025-03-04T05:06:07.123456",
      ],
      ["2", "s1", "architect", "semantic", "Use queues", "The same title again", "2025-03-04T05:06:08"],
      ["3", "s2", "", "constructor", "", "Nobody's, without a title", "not a date"],
    ]);
    const { store } = await openScene(path);
    const memories = await store.list({}, "name");
    expect(
      memories.map(({ id, agent, session, key, category }) => [id, agent, session, key, category]),
    ).toEqual([
      ["1", "architect", "s1", "Use queues", "decision"],
      ["2", "architect", "s1", "Use queues 2", "learning"],
      ["3", "general", "s2", "3", "context"],
    ]);
    expect(memories[0]?.createdMs).toBe(new Date(2025, 2, 4, 5, 6, 7, 123).getTime());
    expect(memories[2]?.createdMs).toBe(NOW_MS);
    expect((await find(store, "queue jobs")).map(({ id }) => id)).toEqual(["1", "2"]);
    const database = new Libsql(path);
    expect(database.prepare("SELECT count(*) AS n FROM memory_entries").all()).toMatchObject([{ n: 3 }]);
    database.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("is taken over once: what is deleted does not come back", async () => {
    const path = join(temporaryDirectory(), "memory.db");
    makeEarlierDatabase(path, [["1", "s", "a", "learning", "t", "content", "2025-01-01T00:00:00"]]);
    const { store } = await openScene(path);
    await store.remove(await store.list({}, "name"));
    const again = await openScene(path);
    expect(await again.store.list({}, "name")).toEqual([]);
  });
});
