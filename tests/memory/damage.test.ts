import { execSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import Libsql from "libsql";
import { describe, expect, it } from "vitest";
import type { Memory } from "../../src/memory/memory.ts";
import { MemoryError } from "../../src/memory/memory.ts";
import { openReader, openStore } from "../../src/memory/sqlite-store.ts";
import { runs } from "../generated-inputs.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { draft, find, NOW_MS, openScene, systemAt } from "./store-scene.ts";

const system = systemAt({ nowMs: NOW_MS });
const WORDS = ["pool", "timeout", "branch", "schema", "cache", "token"];

/** The library closes files when its statements are collected; hundreds of databases in one process need that soon. */
async function releaseConnections(): Promise<void> {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  await new Promise(resolve => setImmediate(resolve));
}

/** A closed database with memories in it, all in one file. */
async function makeDatabase(): Promise<{ readonly path: string; readonly memories: readonly Memory[] }> {
  const path = join(temporaryDirectory(), "memory.db");
  const store = await openStore(system, path);
  for (let number = 0; number < 40; number++) {
    const value = Array.from({ length: 30 }, (_, at) => WORDS[(number * 7 + at * at) % WORDS.length]).join(
      " ",
    );
    await store.put(draft({ agent: `agent${number % 3}`, key: `key ${number}`, value }));
  }
  const memories = await store.list({}, "name");
  store.close();
  return { path, memories };
}

/** What using a database leads to: all that can be read from it, or the problem that is reported. */
async function use(path: string): Promise<readonly Memory[] | MemoryError> {
  try {
    const reader = await openReader(system, path);
    try {
      const listed = await reader.list({}, "name");
      const found = await Promise.all(WORDS.map(word => find(reader, word)));
      return [...listed, ...found.flat()];
    } finally {
      reader.close();
    }
  } catch (error) {
    if (error instanceof MemoryError) return error;
    throw error;
  }
}

async function problemOf(path: string): Promise<MemoryError> {
  const result = await use(path);
  if (result instanceof MemoryError) return result;
  throw new Error(`${path} was read without a problem`);
}

describe("a damaged database", () => {
  it.each([
    ["cut in half", (path: string) => truncateSync(path, readFileSync(path).length / 2)],
    ["cut inside its header", (path: string) => truncateSync(path, 60)],
    ["not a database", (path: string) => writeFileSync(path, "This is a letter to my aunt. ".repeat(400))],
    ["overwritten in the middle", (path: string) => overwrite(path, 4_096, 8_192)],
  ])("that is %s is reported with what to do, and left as it is", async (_, damage) => {
    const { path } = await makeDatabase();
    damage(path);
    const before = readFileSync(path);
    const problem = await problemOf(path);
    expect(problem.problem).toBe("corrupt");
    expect(problem.message).toContain(path);
    expect(problem.fix).toContain(`mv ${path}* `);
    await expect(openStore(system, path).then(store => store.put(draft()))).rejects.toThrow(MemoryError);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it("can be put aside by the command that is given, and a new one begun", async () => {
    const { path } = await makeDatabase();
    writeFileSync(path, "no database at all ".repeat(100));
    const { fix = "" } = await problemOf(path);
    execSync(fix.slice(fix.indexOf("mv ")), { shell: "/bin/sh" });
    const folder = join(path, "..");
    const [aside = ""] = readdirSync(folder);
    expect(aside).toMatch(/^damaged-memory-/);
    expect(readFileSync(join(folder, aside, "memory.db"), "utf8")).toContain("no database at all");
    const { store } = await openScene(path);
    expect(await store.list({}, "name")).toEqual([]);
  });

  it("with one bit turned is reported or gives back only what was stored", async () => {
    const { path, memories } = await makeDatabase();
    const intact = readFileSync(path);
    const texts = new Set(memories.map(memory => JSON.stringify(memory)));
    const folder = temporaryDirectory();
    let trial = 0;
    let reported = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(intact.length * 8 - 1), async bit => {
        const copy = join(folder, `${trial++}`, "memory.db");
        mkdirSync(join(copy, ".."));
        const bytes = Buffer.from(intact);
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        writeFileSync(copy, bytes);
        const result = await use(copy);
        if (trial % 20 === 0) await releaseConnections();
        if (result instanceof MemoryError) {
          reported++;
          expect(readFileSync(copy).equals(bytes)).toBe(true);
        } else {
          for (const memory of result) expect(texts).toContain(JSON.stringify(memory));
        }
      }),
      { numRuns: runs(150, 5_000) },
    );
    expect(reported).toBeGreaterThan(0);
  });

  it("with a letter changed in one memory reports that one, though SQLite sees nothing", async () => {
    const { path } = await makeDatabase();
    const bytes = readFileSync(path);
    const at = bytes.indexOf("pool timeout");
    bytes.write("P", at);
    writeFileSync(path, bytes);
    const database = new Libsql(path);
    expect(database.prepare("PRAGMA integrity_check").all()).toMatchObject([{ integrity_check: "ok" }]);
    database.close();
    const problem = await problemOf(path);
    expect(problem.message).toMatch(/memory number \d+ does not match its checksum/);
    expect(problem.fix).toMatch(
      /^drop that one: sqlite3 \S+ 'UPDATE memories .*; DELETE FROM memories WHERE number = \d+; UPDATE .*'$/,
    );
  });
});

describe("a damaged memory that is dropped as advised", () => {
  it("leaves the others, and its number for the next", async () => {
    const { path, store } = await openScene();
    await store.put(draft({ key: "sound", value: "sound words" }));
    await store.put(draft({ key: "broken", value: "broken words" }));
    const database = new Libsql(path);
    database.exec("UPDATE memories SET value = 'changed words' WHERE key = 'broken'");
    await expect(store.list({}, "name")).rejects.toMatchObject({ problem: "corrupt" });
    database.exec("DELETE FROM memories WHERE number = 2");
    database.close();
    await store.put(draft({ key: "next", value: "next words" }));
    expect((await store.list({}, "name")).map(({ key }) => key)).toEqual(["next", "sound"]);
    expect((await find(store, "words")).map(({ key }) => key).sort()).toEqual(["next", "sound"]);
    expect(await find(store, "broken")).toEqual([]);
  });
});

function overwrite(path: string, from: number, to: number): void {
  const bytes = readFileSync(path);
  bytes.fill(0xa5, from, to);
  writeFileSync(path, bytes);
}

describe("a database that is not for us", () => {
  it("because it is newer is left alone, with a hint to update", async () => {
    const { path } = await makeDatabase();
    const database = new Libsql(path);
    database.exec("PRAGMA user_version = 99");
    database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all();
    database.close();
    const before = readFileSync(path);
    expect(await problemOf(path)).toMatchObject({ problem: "newer", fix: "amplihack update" });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it("because it is another program's is left alone", async () => {
    const path = join(temporaryDirectory(), "places.sqlite");
    const database = new Libsql(path);
    database.exec("CREATE TABLE bookmarks (url TEXT)");
    database.close();
    const before = readFileSync(path);
    expect(await problemOf(path)).toMatchObject({ problem: "foreign" });
    await expect(openStore(system, path)).rejects.toMatchObject({ problem: "foreign" });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it("because it is a directory is an error that says so", async () => {
    const path = temporaryDirectory();
    expect((await problemOf(path)).message).toBe(`${path} is not a file`);
  });

  it("because its folder cannot be made is an error that says so", async () => {
    const folder = temporaryDirectory();
    writeFileSync(join(folder, "file"), "");
    await expect(openStore(system, join(folder, "file", "memory.db"))).rejects.toMatchObject({
      problem: "unavailable",
    });
  });
});

describe("a log without its database", () => {
  it("is reported and kept, because SQLite would throw it away", async () => {
    const { path, store } = await openScene();
    await store.put(draft());
    const elsewhere = join(temporaryDirectory(), "memory.db");
    copyFileSync(`${path}-wal`, `${elsewhere}-wal`);
    const log = readFileSync(`${elsewhere}-wal`);
    for (const attempt of [() => openStore(system, elsewhere), () => openReader(system, elsewhere)]) {
      await expect(attempt()).rejects.toMatchObject({ problem: "corrupt" });
    }
    writeFileSync(elsewhere, "");
    await expect(openStore(system, elsewhere)).rejects.toMatchObject({ problem: "corrupt" });
    expect(readFileSync(`${elsewhere}-wal`).equals(log)).toBe(true);
    expect(readdirSync(join(elsewhere, "..")).sort()).toEqual(["memory.db", "memory.db-wal"]);
  });

  it("is not confused with an empty file, which is a database yet to be made", async () => {
    const path = join(temporaryDirectory(), "memory.db");
    writeFileSync(path, "", { mode: 0o644 });
    const { store } = await openScene(path);
    await store.put(draft());
    expect(await store.list({}, "name")).toHaveLength(1);
  });
});
