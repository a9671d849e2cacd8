import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  openPostgresReader,
  openPostgresStore,
  type TeamOptions,
} from "../../src/memory/open-postgres-store.ts";
import { indexedTerms } from "../../src/memory/postgres-search.ts";
import { Database } from "../../src/postgres/database.ts";
import { readDatabaseUrl } from "../../src/postgres/url.ts";
import { administer, freshDatabase, hasPostgres } from "../postgres-server.ts";
import { draft, find, NOW_MS, openTeamScene, sharedDatabase, systemAt } from "./store-scene.ts";

const TEAM = "acme";
/** More different words than the index takes, nearly as long as a text may be. */
const MANY_WORDS = Array.from({ length: 16_300 }, (_, index) => index.toString(36).padStart(60, "0")).join(
  " ",
);
const FIRST_WORD = MANY_WORDS.slice(0, 60);
const system = systemAt({ nowMs: NOW_MS });

async function openAt(url: string, options: TeamOptions = {}) {
  const place = { address: readDatabaseUrl(url, "option"), team: TEAM };
  const store = await openPostgresStore(system, place, options);
  onTestFinished(() => store.close());
  return store;
}

async function connectTo(url: string): Promise<Database> {
  const database = await Database.open(readDatabaseUrl(url, "option"));
  onTestFinished(() => database.close());
  return database;
}

describe("the terms of a memory", () => {
  it("are weighed by where they stand, with room between key and value", () => {
    expect(indexedTerms({ key: "Größe", value: "payClient größe" })).toEqual({
      vector: "'große':1A,12 'payclient':9 'pai':10 'client':11",
      count: 5,
    });
  });

  it("stay within what PostgreSQL takes", () => {
    const { vector, count } = indexedTerms({ key: "k", value: MANY_WORDS });
    expect(vector.split(" ").length).toBeLessThan(16_000);
    expect(count).toBe(16_301);
    const again = indexedTerms({ key: "k", value: "same ".repeat(1_000) }).vector;
    expect(again.split(",").length).toBeLessThanOrEqual(256);
  });
});

describe.skipIf(!hasPostgres)("the store of a team", () => {
  it("keeps a text of more words than the index takes, and forgets its words with it", async () => {
    const { store } = await openTeamScene();
    const { memory } = await store.put(draft({ value: MANY_WORDS }));
    expect((await store.list({}, "name"))[0]?.value).toBe(MANY_WORDS);
    expect(await find(store, FIRST_WORD)).toHaveLength(1);
    await store.put(draft({ key: "other", value: FIRST_WORD }));
    await store.remove([memory]);
    expect((await find(store, FIRST_WORD)).map(({ key }) => key)).toEqual(["other"]);
    expect((await find(store, MANY_WORDS.slice(61 * 9_000, 61 * 9_000 + 60))).map(({ key }) => key)).toEqual(
      [],
    );
  });

  it("keeps what a later change replaced until the memory is removed, and tells copies of the removal", async () => {
    const { url } = await freshDatabase();
    const [store, database] = [await openAt(url), await connectTo(url)];
    const revisionOf = async (table: string) =>
      (await database.run(`SELECT key, revision::int FROM amplihack.${table} ORDER BY revision`)).map(row => [
        row["key"],
        row["revision"],
      ]);
    await store.put(draft({ key: "a", value: "one" }));
    await store.put(draft({ key: "a", value: "two" }));
    const { memory } = await store.put(draft({ key: "a", value: "three" }));
    await store.put(draft({ key: "b" }));
    await store.pin([memory], true);
    const earlier = "SELECT value, author FROM amplihack.earlier_values ORDER BY number";
    expect(await database.run(earlier)).toEqual([
      { value: "one", author: "keeper" },
      { value: "two", author: "keeper" },
    ]);
    expect(await revisionOf("memories")).toEqual([
      ["b", 4],
      ["a", 5],
    ]);
    await store.remove([memory]);
    expect(await database.run(earlier)).toEqual([]);
    expect(await revisionOf("memory_removals")).toEqual([["a", 6]]);
    await store.put(draft({ key: "a" }));
    expect(await revisionOf("memory_removals")).toEqual([]);
    for (let number = 0; number < 30; number++) await store.put(draft({ key: "a", value: `${number}` }));
    expect(await database.run(earlier)).toHaveLength(20);
    await database.run("DELETE FROM amplihack.teams");
    for (const table of ["memories", "memory_removals", "memory_terms", "earlier_values"])
      expect(await database.run(`SELECT FROM amplihack.${table}`)).toEqual([]);
  });

  it("searches without pg_trgm as well, and says what is missing", async () => {
    const { url } = await freshDatabase();
    await (await openAt(url)).put(draft({ value: "the database is slow" }));
    const warnings: string[] = [];
    const warn = (message: string) => warnings.push(message);
    await openAt(url, { warn });
    expect(warnings).toEqual([]);
    await (await connectTo(url)).run("DROP EXTENSION pg_trgm CASCADE");
    const store = await openAt(url, { warn });
    expect(warnings).toEqual([expect.stringContaining("CREATE EXTENSION pg_trgm")]);
    for (const word of ["datbase", "tabas", "databas"]) expect(await find(store, word)).toHaveLength(1);
  });

  it("leaves a database of a later version alone, and one that cannot hold the characters", async () => {
    const { server, name, url } = await freshDatabase();
    await openAt(url);
    await administer(server, "UPDATE amplihack.versions SET version = 99 WHERE part = 'memory'", name);
    await expect(openAt(url)).rejects.toMatchObject({ problem: "newer", fix: "amplihack update" });
    await administer(
      server,
      "CREATE DATABASE narrow TEMPLATE template0 ENCODING LATIN1 LC_COLLATE 'C' LC_CTYPE 'C'",
    );
    onTestFinished(() => administer(server, "DROP DATABASE narrow WITH (FORCE)"));
    await expect(openAt(server.url("narrow"))).rejects.toMatchObject({
      problem: "foreign",
      message: expect.stringContaining("LATIN1"),
    });
  });

  it("takes the right to delete, and so to lock, away where an earlier version gave it", async () => {
    const { server, name, url } = await freshDatabase();
    const store = await openAt(url);
    const { memory } = await store.put(draft());
    await administer(server, "CREATE ROLE ann LOGIN", name);
    onTestFinished(() => administer(server, "DROP ROLE ann"));
    for (const statement of [
      "DROP FUNCTION amplihack.remove_memories, amplihack.remove_memory_uses",
      "GRANT DELETE ON amplihack.memories, amplihack.memory_uses TO PUBLIC",
      "UPDATE amplihack.versions SET version = 1 WHERE part = 'memory'",
      "SELECT amplihack.add_member('acme', 'ann')",
    ])
      await administer(server, statement, name);
    const ann = server.url(name, "ann");
    await expect(openAt(ann)).rejects.toMatchObject({
      problem: "refused",
      fix: expect.stringContaining("let the owner of the database run the same command"),
    });
    await openAt(url);
    const lock = "LOCK TABLE amplihack.memories IN ACCESS EXCLUSIVE MODE";
    await expect((await connectTo(ann)).transaction(run => run(lock))).rejects.toMatchObject({
      code: "42501",
    });
    expect(await (await openAt(ann)).remove([memory])).toBe(1);
  });

  it("reports a row that no memory can be, written by hand", async () => {
    const { url } = await freshDatabase();
    const store = await openAt(url);
    await store.put(draft());
    const owner = await connectTo(url);
    for (const [column, value] of [
      ["updated_ms", "8640000000000001"],
      ["category", "'unheard of'"],
    ] as const) {
      await owner.run(`ALTER TABLE amplihack.memories DROP CONSTRAINT memories_${column}_check`);
      await owner.run(`UPDATE amplihack.memories SET ${column} = ${value}`);
      await expect(store.list({}, "name")).rejects.toMatchObject({
        problem: "corrupt",
        message: `memory number 1 has a ${column} that does not exist`,
        fix: "update amplihack, or drop that one: SELECT amplihack.remove_memories('{1}')",
      });
    }
  });
});

describe.skipIf(!hasPostgres)("a server that falls silent", () => {
  const AT_ONCE = { connectTimeoutMs: 300, statementTimeoutMs: 300 };
  /** Enough for a busy machine to connect and to answer. */
  const SHORT = { connectTimeoutMs: 2_000, statementTimeoutMs: 2_000 };

  /** Forwards to a real server until it is told to fall silent. */
  async function openProxy(url: string) {
    const folder = new URL(url.replace("@/", "@socket/")).searchParams.get("host") ?? "";
    let isSilent = false;
    const sockets: Socket[] = [];
    const proxy = createServer(client => {
      const server = connect(join(folder, ".s.PGSQL.5432"));
      sockets.push(client, server);
      client.on("data", bytes => isSilent || server.write(bytes)).on("error", () => {});
      server.on("data", bytes => isSilent || client.write(bytes)).on("error", () => {});
    });
    await new Promise<void>(resolve => proxy.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    });
    const { port } = proxy.address() as { port: number };
    const database = new URL(url.replace("@/", "@socket/")).pathname;
    return {
      url: `postgres://keeper@127.0.0.1:${port}${database}`,
      fallSilent() {
        isSilent = true;
      },
    };
  }

  it("is reported before a connection, within the time that was set", async () => {
    const proxy = await openProxy(await sharedDatabase());
    proxy.fallSilent();
    const offline = { problem: "offline", message: expect.stringContaining("does not answer") };
    await expect(openAt(proxy.url, AT_ONCE)).rejects.toMatchObject(offline);
    const place = { address: readDatabaseUrl(proxy.url, "option"), team: TEAM };
    await expect(openPostgresReader(system, place, AT_ONCE)).rejects.toMatchObject(offline);
  });

  it("is reported in the midst of reading and of writing, and what was acknowledged is there afterwards", async () => {
    const { url } = await freshDatabase();
    const direct = await openAt(url);
    const proxy = await openProxy(url);
    const store = await openAt(proxy.url, SHORT);
    await store.put(draft({ key: "acknowledged" }));
    proxy.fallSilent();
    const offline = { problem: "offline" };
    await Promise.all([
      expect(store.list({}, "name")).rejects.toMatchObject(offline),
      expect(store.put(draft({ key: "lost" }))).rejects.toMatchObject(offline),
      expect(store.search({ any: ["key"], all: [] }, {}, 5)).rejects.toMatchObject(offline),
    ]);
    expect((await direct.list({}, "name")).map(({ key }) => key)).toEqual(["acknowledged"]);
  });

  it("is reported when another writer of the team does not end", async () => {
    const { url } = await freshDatabase();
    await openAt(url);
    const store = await openAt(url, SHORT);
    const other = await connectTo(url);
    await other.transaction(async run => {
      await run("SELECT amplihack.take_revision($1)", [TEAM]);
      await expect(store.put(draft())).rejects.toMatchObject({ problem: "offline" });
      expect(await store.list({}, "name")).toEqual([]);
    });
    expect((await store.put(draft())).isNew).toBe(true);
  });
});
