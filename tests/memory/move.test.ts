import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Memory } from "../../src/memory/memory.ts";
import { copyMemories, type MovableStore, removeMoved } from "../../src/memory/move.ts";
import { openPostgresStore } from "../../src/memory/open-postgres-store.ts";
import { openStore } from "../../src/memory/sqlite-store.ts";
import { readDatabaseUrl } from "../../src/postgres/url.ts";
import { bundleProgram } from "../bundle-program.ts";
import { hasPostgres } from "../postgres-server.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { draft, NOW_MS, sharedDatabase, systemAt } from "./store-scene.ts";

const ODD_TEXTS = [
  "\0",
  "\ud800 alone",
  "alone \udfff",
  "\u0010 0000",
  "'; DROP TABLE memories; --",
  "{a,b}",
  '{"NULL"}',
  "NULL",
  "\\x00",
  "数据库",
  "😀",
  "a\tb\r\nc",
  "\u0001\u001b[31m",
];
let teams = 0;

async function makeStores() {
  teams += 1;
  const system = systemAt({ nowMs: NOW_MS });
  const team = `mover-${teams}`;
  const path = join(temporaryDirectory(), "memory.db");
  const url = await sharedDatabase();
  const file = await openStore(system, path);
  const database = await openPostgresStore(system, { address: readDatabaseUrl(url, "option"), team });
  onTestFinished(() => {
    file.close();
    database.close();
  });
  return { file, database, path, team, url };
}

function memoryOf(number: number, value: string): Memory {
  return {
    ...draft({
      agent: number % 2 === 0 ? "builder" : value.slice(0, 20) || "tester",
      session: number % 3 === 0 ? "" : value.slice(0, 50),
      project: number % 5 === 0 ? "" : `/project ${value.slice(0, 50)}`,
      key: `${number} ${value.slice(0, 100)}`,
      value,
    }),
    id: `id ${number} ${value.slice(0, 10)}`,
    createdMs: number,
    updatedMs: NOW_MS - number,
    ...(number % 7 === 0 ? { isPinned: true } : {}),
  };
}

/** More than two batches, odd characters, long values, pins and uses. */
async function fill(store: MovableStore): Promise<void> {
  const texts = [
    ...ODD_TEXTS,
    "v".repeat(1_000_000),
    Array.from({ length: 10_000 }, (_, index) => index.toString(36).padStart(7, "0")).join(" "),
    ...Array.from({ length: 1_050 }, (_, index) => `note ${index}`),
  ];
  const memories = texts.map((value, index) => memoryOf(index, value));
  await store.take([], memories, true);
  for (const occasion of ["prompt", "start"] as const)
    for (const text of ["s", ...ODD_TEXTS])
      await store.recordUse(memories.slice(0, 5), {
        project: text,
        session: `${occasion} ${text}`,
        occasion,
      });
}

async function contentOf(store: MovableStore) {
  const byText = (one: unknown, other: unknown) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);
  return {
    memories: await store.list({}, "name"),
    uses: [...(await store.listUses())].sort(byText),
  };
}

describe.skipIf(!hasPostgres)("moving memories", () => {
  const program = bundleProgram(new URL("./programs/mover.ts", import.meta.url), ["libsql", "pg-native"]);

  it.each([
    ["postgres", "during", 2],
    ["postgres", "before", 5],
    ["sqlite", "during", 2],
  ] as const)(
    "to %s is complete though it was killed %s call %i, and begun again",
    async (to, when, calls) => {
      const { file, database, path, team, url } = await makeStores();
      const [source, target] = to === "postgres" ? [file, database] : [database, file];
      await fill(source);
      const before = await contentOf(source);
      const { signal, stderr } = spawnSync(
        process.execPath,
        [program, to, path, url, team, when, String(calls)],
        { encoding: "utf8" },
      );
      expect([signal, stderr]).toEqual(["SIGKILL", ""]);
      expect(await contentOf(source)).toEqual(before);
      const { equal, superseded, different } = await copyMemories(source, target);
      expect([equal.length, superseded, different]).toEqual([before.memories.length, [], []]);
      expect(await contentOf(target)).toEqual(before);
      expect(await contentOf(source)).toEqual(before);
      expect(await removeMoved(source, equal)).toBe(before.memories.length);
      expect(await contentOf(source)).toEqual({ memories: [], uses: [] });
      expect(await contentOf(target)).toEqual(before);
    },
  );

  it("keeps a later change at the target, and at the source what the target does not have", async () => {
    const { file, database } = await makeStores();
    const [same, later, other, moved] = [1, 2, 3, 4].map(number => memoryOf(number, `text ${number}`)) as [
      Memory,
      Memory,
      Memory,
      Memory,
    ];
    await file.take([], [same, later, other, moved], true);
    const there = [
      { ...same, isPinned: true },
      { ...later, value: "later", updatedMs: later.updatedMs + 1 },
      { ...other, value: "something else" },
    ];
    await database.take([], there, true);
    const counts = await copyMemories(file, database);
    expect(counts).toEqual({
      memories: 4,
      equal: [same, moved].sort(byKey),
      superseded: [later],
      different: [other],
    });
    expect(await removeMoved(file, counts.equal)).toBe(2);
    expect(await file.list({}, "name")).toHaveLength(2);
    expect((await database.list({}, "name")).map(({ value }) => value).sort()).toEqual([
      "later",
      "something else",
      "text 1",
      "text 4",
    ]);
  });

  it("does not delete what was changed at the source meanwhile", async () => {
    const { file, database } = await makeStores();
    const memory = memoryOf(1, "text");
    await file.take([], [memory], true);
    const { equal } = await copyMemories(file, database);
    await file.put({ ...memory, value: "changed" });
    expect(await removeMoved(file, equal)).toBe(0);
    expect(await file.list({}, "name")).toMatchObject([{ value: "changed" }]);
  });
});

function byKey(one: Memory, other: Memory): number {
  return one.agent < other.agent ? -1 : 1;
}
