import Libsql from "libsql";
import { describe, expect, it } from "vitest";
import type { Memory } from "../../src/memory/memory.ts";
import { learnedRetention } from "../../src/memory/memory.ts";
import { readQuery } from "../../src/memory/search-words.ts";
import { openReader } from "../../src/memory/sqlite-store.ts";
import {
  DAY_MS,
  draft,
  find,
  NOW_MS,
  openScene as openFileScene,
  STORES,
  type StoreScene,
} from "./store-scene.ts";

const put = async ({ store }: StoreScene, given: Parameters<typeof draft>[0]): Promise<Memory> =>
  (await store.put(draft(given))).memory;
const use = ({ store }: StoreScene, memory: Memory, project = "/p", session = "s") =>
  store.recordUse([memory], { project, session, occasion: "prompt" });
const latest = async ({ store, time }: StoreScene, project = "/p", limit = 10) =>
  (await store.latest(project, time.nowMs - 30 * DAY_MS, limit)).map(({ key }) => key);
const rowsOf = (path: string): unknown => {
  const database = new Libsql(path);
  const count = (table: string) => database.prepare(`SELECT count(*) AS n FROM ${table}`).all([])[0];
  const counts = [count("memory_uses"), count("memory_pins")];
  database.close();
  return counts.map(row => (row as { n: number }).n);
};

describe.each(STORES)("in %s,", (_name, openScene) => {
  describe("what a session of a project begins with", () => {
    it("is pinned ones, then what the project stored or used, the latest first", async () => {
      const scene = await openScene();
      await put(scene, { key: "pinned here", project: "/p", isPinned: true });
      await put(scene, { key: "pinned elsewhere", project: "/q", isPinned: true });
      const everywhere = await put(scene, { key: "everywhere" });
      await put(scene, { key: "never used" });
      scene.time.nowMs += 60 * DAY_MS;
      await put(scene, { key: "own", project: "/p" });
      const foreign = await put(scene, { key: "foreign", project: "/q" });
      scene.time.nowMs += 1;
      for (const memory of [everywhere, foreign]) await use(scene, memory);
      expect(await latest(scene)).toEqual(["pinned here", "everywhere", "own"]);
      expect(await latest(scene, "/p", 2)).toEqual(["pinned here", "everywhere"]);
      expect(await latest(scene, "/other")).toEqual([]);
      scene.time.nowMs += 31 * DAY_MS;
      expect(await latest(scene)).toEqual(["pinned here"]);
    });

    it("does not keep itself there: being shown at the start is no use", async () => {
      const scene = await openScene();
      const memory = await put(scene, { key: "own" });
      await scene.store.recordUse([memory], { project: "/p", session: "s", occasion: "start" });
      expect(await latest(scene)).toEqual([]);
      await use(scene, memory);
      await scene.store.recordUse([memory], { project: "/p", session: "s", occasion: "start" });
      expect(await latest(scene)).toEqual(["own"]);
    });
  });

  describe("use", () => {
    it("hides a memory from its session alone, in lists and searches", async () => {
      const scene = await openScene();
      await use(scene, await put(scene, { value: "zebra" }));
      for (const [unseenBy, count] of [
        ["s", 0],
        ["t", 1],
      ] as const) {
        expect(await scene.store.list({ unseenBy }, "name")).toHaveLength(count);
        expect(await find(scene.store, "zebra", { unseenBy })).toHaveLength(count);
      }
    });

    it("lifts a memory among equals, by when and how often", async () => {
      const scene = await openScene();
      const [one, other] = [
        await put(scene, { key: "a", value: "zebra" }),
        await put(scene, { key: "b", value: "zebra" }),
      ];
      scene.time.nowMs += 90 * DAY_MS;
      const first = async () =>
        (await find(scene.store, "zebra", {}, scene.time.nowMs + 90 * DAY_MS))[0]?.key;
      await use(scene, one);
      expect(await first()).toBe("a");
      for (const session of ["x", "y", "z"]) await use(scene, other, "/p", session);
      expect(await first()).toBe("b");
      expect(await scene.store.search(readQuery("zebra"), {}, 5)).toEqual(
        expect.arrayContaining([expect.objectContaining({ uses: 3, usedMs: scene.time.nowMs })]),
      );
    });
  });

  describe("a pin", () => {
    it("stays when the memory is replaced, unless that says otherwise", async () => {
      const scene = await openScene();
      expect(await put(scene, { isPinned: true })).toMatchObject({ isPinned: true });
      expect(await put(scene, { value: "new" })).toMatchObject({ value: "new", isPinned: true });
      expect(await put(scene, { value: "newer", isPinned: false })).not.toHaveProperty("isPinned");
      const [memory] = await scene.store.list({}, "name");
      expect(memory).not.toHaveProperty("isPinned");
      expect(await scene.store.pin([{ agent: "builder", id: "no such" }], true)).toBe(0);
    });

    it("keeps what sessions learnt from being dropped", async () => {
      const scene = await openScene();
      await put(scene, { key: "learned/a", value: "a", project: "/p", isPinned: true });
      await put(scene, { key: "learned/b", value: "b", project: "/p" });
      scene.time.nowMs += 400 * DAY_MS;
      const learnt = draft({ key: "learned/c", value: "c", project: "/p" });
      await scene.store.remember(learnt, learnedRetention(scene.time.nowMs));
      expect((await scene.store.list({}, "name")).map(({ key }) => key)).toEqual(["learned/a", "learned/c"]);
    });
  });
});

describe("use in a file", () => {
  it("of long ago is dropped, and so is that of removed memories, whoever removed them", async () => {
    const scene = await openFileScene();
    const [gone, kept] = [
      await put(scene, { key: "a", isPinned: true }),
      await put(scene, { key: "b", isPinned: true }),
    ];
    await use(scene, gone);
    scene.time.nowMs += 400 * DAY_MS;
    await use(scene, kept);
    expect(rowsOf(scene.path)).toEqual([1, 2]);
    await scene.store.recordUse([], { project: "/p", session: "s", occasion: "prompt" });
    await scene.store.remove([gone]);
    const database = new Libsql(scene.path);
    database.exec("DELETE FROM memories");
    database.close();
    expect(rowsOf(scene.path)).toEqual([0, 0]);
  });
});

describe("a place without a database", () => {
  it("knows no words and begins no session", async () => {
    const { system } = await openFileScene();
    const reader = await openReader(system, "/nonexistent/memory.db");
    expect(await reader.countWords(["a"])).toEqual({ memories: 0, matches: new Map() });
    expect(await reader.latest("/p", NOW_MS, 5)).toEqual([]);
    expect(await reader.search(readQuery("a"), {}, 5)).toEqual([]);
  });
});
