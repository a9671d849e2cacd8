import { statSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Memory } from "../../src/memory/memory.ts";
import { learnedRetention } from "../../src/memory/memory.ts";
import { MAX_WEIGHED } from "../../src/memory/ranking.ts";
import { readQuery } from "../../src/memory/search-words.ts";
import { openReader } from "../../src/memory/sqlite-store.ts";
import { anyCharacter, runs } from "../generated-inputs.ts";
import { DAY_MS, draft, find, NOW_MS, openScene as openFileScene, STORES } from "./store-scene.ts";

const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 300 }),
  fc.string({
    unit: fc.integer({ min: 0, max: 0xffff }).map(code => String.fromCharCode(code)),
    maxLength: 60,
  }),
  fc.constantFrom("'; DROP TABLE memories; --", '"', "''", "%_", "\0", "NULL", "__proto__", "{key} : x*"),
);
const anyName = anyText.filter(text => text !== "");

describe.each(STORES)("in %s,", (_name, openScene) => {
  describe("a stored memory", () => {
    it("is found by its name, exactly as it was given, whatever the text", async () => {
      const { store } = await openScene();
      await fc.assert(
        fc.asyncProperty(anyName, anyText, anyName, anyText, async (agent, session, key, value) => {
          const given = draft({ agent, session, key, value });
          const { memory } = await store.put(given);
          expect(memory).toMatchObject(given);
          expect(await store.list({ agent, session, key }, "name")).toEqual([memory]);
        }),
        { numRuns: runs(300) },
      );
    });

    it("replaces the one of the same name, and keeps its id and its date of creation", async () => {
      const { store, time } = await openScene();
      const first = await store.put(draft({ value: "one" }));
      time.nowMs += 1_000;
      const second = await store.put(draft({ value: "two", type: "json" }));
      expect([first.isNew, second.isNew]).toEqual([true, false]);
      expect(second.memory).toEqual({
        ...first.memory,
        value: "two",
        type: "json",
        updatedMs: NOW_MS + 1_000,
      });
      expect(await store.list({}, "name")).toEqual([second.memory]);
      expect(await find(store, "one")).toEqual([]);
      expect(await find(store, "two")).toHaveLength(1);
    });

    it("is another one in another session or of another agent", async () => {
      const { store } = await openScene();
      await store.put(draft({ value: "a" }));
      await store.put(draft({ session: "s", value: "b" }));
      await store.put(draft({ agent: "tester", value: "c" }));
      const values = (await store.list({ key: "key" }, "name")).map(memory => memory.value);
      expect(values).toEqual(["a", "b", "c"]);
    });

    it.each([
      [{ key: "" }, "the key of a memory must not be empty"],
      [{ agent: "" }, "the agent of a memory must not be empty"],
      [{ key: "k".repeat(501) }, "the key of a memory may have 500 characters, this one has 501"],
      [{ value: "v".repeat(1_000_001) }, "may have 1000000 characters"],
    ])("is refused when it is %#", async (given, message) => {
      const { store } = await openScene();
      await expect(store.put(draft(given))).rejects.toThrow(message);
      expect(await store.list({}, "name")).toEqual([]);
    });

    it("may be as long as the limit, counted in characters", async () => {
      const { store } = await openScene();
      const value = "😀".repeat(500_001);
      expect((await store.put(draft({ value }))).memory.value).toBe(value);
    });
  });

  describe("lists", () => {
    it("keep to the filter", async () => {
      const { store, time } = await openScene();
      await store.put(draft({ key: "a", project: "/p", category: "decision" }));
      await store.put(draft({ key: "b", session: "s" }));
      time.nowMs += DAY_MS;
      await store.put(draft({ key: "c", agent: "tester" }));
      const keys = async (filter: Parameters<typeof store.list>[0]) =>
        (await store.list(filter, "name")).map(memory => memory.key);
      expect(await keys({})).toEqual(["a", "b", "c"]);
      expect(await keys({ agent: "builder" })).toEqual(["a", "b"]);
      expect(await keys({ session: "" })).toEqual(["a", "c"]);
      expect(await keys({ category: "decision" })).toEqual(["a"]);
      expect(await keys({ projects: ["/p"] })).toEqual(["a"]);
      expect(await keys({ projects: ["/p", ""] })).toEqual(["a", "b", "c"]);
      expect(await keys({ projects: [] })).toEqual([]);
      expect(await keys({ updatedSinceMs: NOW_MS + 1 })).toEqual(["c"]);
    });

    it("begin with the latest change when asked so, and end at the limit", async () => {
      const { store, time } = await openScene();
      for (const key of ["a", "b", "c"]) {
        await store.put(draft({ key }));
        time.nowMs += 1;
      }
      await store.put(draft({ key: "a" }));
      const newest = await store.list({}, "newest", 2);
      expect(newest.map(memory => memory.key)).toEqual(["a", "c"]);
    });
  });

  describe("a search", () => {
    it("finds by any of the words, the better fit first", async () => {
      const { store } = await openScene();
      await store.put(draft({ key: "a", value: "the build is slow" }));
      await store.put(draft({ key: "b", value: "the database times out when the pool is empty" }));
      await store.put(draft({ key: "c", value: "database migrations run at start" }));
      const found = await find(store, "why does the database pool time out?");
      expect(found.map(memory => memory.key)).toEqual(["b", "c"]);
    });

    it("finds whatever the case and the accents, in the key too, and parts of Chinese words", async () => {
      const { store } = await openScene();
      await store.put(draft({ key: "release-checklist", value: "Größe prüfen" }));
      await store.put(draft({ key: "zh", value: "用数据库保存设置" }));
      expect(await find(store, "GROSSE große groesse größe")).toHaveLength(1);
      expect(await find(store, "checklist")).toHaveLength(1);
      expect((await find(store, "数据库"))[0]?.key).toBe("zh");
      expect(await find(store, "数学")).toEqual([]);
    });

    it("stays inside its project, agent and session", async () => {
      const { store } = await openScene();
      for (const project of ["", "/one", "/two"]) {
        for (const agent of ["builder", "tester"]) {
          for (const session of ["", "s"]) {
            await store.put(draft({ project, agent, session, key: `k${project}`, value: "same words" }));
          }
        }
      }
      const count = async (filter: Parameters<typeof store.list>[0]) =>
        (await store.search(readQuery("words"), filter, 100)).length;
      expect(await count({})).toBe(12);
      expect(await count({ projects: ["/one", ""] })).toBe(8);
      expect(await count({ projects: ["/one"], agent: "tester" })).toBe(2);
      expect(await count({ projects: ["/one"], agent: "tester", session: "s" })).toBe(1);
      expect(await count({ agent: "nobody" })).toBe(0);
      expect(await count({ projects: [] })).toBe(0);
      expect(await count({ key: "k/one", category: "context" })).toBe(4);
      expect(await count({ updatedSinceMs: NOW_MS + 1 })).toBe(0);
    });

    it("never fails, whatever is asked and whatever is stored", async () => {
      const { store } = await openScene();
      await fc.assert(
        fc.asyncProperty(anyText, anyName, anyText, async (value, agent, query) => {
          await store.put(draft({ agent, value }));
          const found = await store.search(readQuery(query), { agent, projects: [query] }, 10);
          expect(Array.isArray(found)).toBe(true);
        }),
        { numRuns: runs(300) },
      );
    });

    it("finds a text by each of its own words", async () => {
      const { store } = await openScene();
      const word = fc.string({ unit: fc.constantFrom(..."abcdefgé数据kлж"), minLength: 2, maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 6 }), fc.nat(5), async (words, index) => {
          const { memory } = await store.put(draft({ value: words.join(" ") }));
          const wanted = words[index % words.length] ?? "";
          expect(await find(store, wanted, { agent: "builder" })).toContainEqual(memory);
        }),
        { numRuns: runs(200) },
      );
    });
  });

  describe("a search in a store where a word is everywhere", () => {
    const COUNT = MAX_WEIGHED + 200;
    async function openCrowd() {
      const scene = await openScene();
      const crowd = Array.from({ length: COUNT }, (_, index) => ({
        ...draft({
          key: `k${index}`,
          value: `everywhere number ${index}`,
          project: index % 100 === 0 ? "/p" : "",
        }),
        id: `${index}`,
        createdMs: index,
        updatedMs: index,
      }));
      await scene.store.take("builder", crowd, false);
      await scene.store.put(draft({ agent: "other", key: "rare", value: "zebra everywhere" }));
      return scene;
    }

    it("goes by the rare words beside it, and takes the newest for the common one alone", async () => {
      const { store } = await openCrowd();
      expect((await find(store, "everywhere zebra")).map(memory => memory.key)).toEqual(["rare"]);
      const newest = await store.search(readQuery("everywhere"), {}, 3);
      expect(newest.map(({ memory }) => memory.key)).toEqual(["rare", `k${COUNT - 1}`, `k${COUNT - 2}`]);
    });

    it("falls back on the common word where the rare one does not occur", async () => {
      const { store } = await openCrowd();
      const found = await store.search(readQuery("everywhere zebra"), { projects: ["/p"] }, 1_000);
      expect(found).toHaveLength(Math.ceil(COUNT / 100));
      const late = await store.search(
        readQuery("everywhere"),
        { projects: ["/p"], updatedSinceMs: 4_000 },
        1_000,
      );
      expect(late.map(({ memory }) => memory.updatedMs)).toEqual([4_100, 4_000]);
    });
  });

  describe("what sessions leave behind", () => {
    const retention = learnedRetention(NOW_MS);
    const learnt = (key: string, value: string, project = "/p") =>
      draft({ project, key: `learned/${key}`, value, category: "learning" });

    it("is kept once, however often and in whatever spelling it is said", async () => {
      const { store, time } = await openScene();
      const first = await store.remember(learnt("1", "The pool was exhausted."), retention);
      time.nowMs += DAY_MS;
      const again = await store.remember(learnt("2", "the POOL was   exhausted"), retention);
      expect(again).toEqual({ isNew: false, memory: { ...first.memory, updatedMs: NOW_MS + DAY_MS } });
      expect(await store.list({}, "name")).toEqual([again.memory]);
    });

    it("is kept for every project and agent by itself", async () => {
      const { store } = await openScene();
      await store.remember(learnt("1", "The pool was exhausted."), retention);
      await store.remember(learnt("2", "The pool was exhausted.", "/q"), retention);
      await store.remember({ ...learnt("3", "The pool was exhausted."), agent: "tester" }, retention);
      expect(await store.list({}, "name")).toHaveLength(3);
    });

    it("gives way when there is too much of it or it is too old; what a person stored does not", async () => {
      const { store, time } = await openScene();
      time.nowMs = NOW_MS - 400 * DAY_MS;
      await store.put(draft({ project: "/p", key: "by hand", value: "ancient" }));
      await store.remember(learnt("old", "ancient"), { ...retention, updatedSinceMs: 0 });
      await store.remember(learnt("elsewhere", "ancient too", "/q"), { ...retention, updatedSinceMs: 0 });
      time.nowMs = NOW_MS;
      for (const number of [1, 2, 3, 4]) {
        await store.remember(learnt(`${number}`, `number ${number}`), { ...retention, keepNewest: 2 });
        time.nowMs += 1;
      }
      const keys = (await store.list({}, "name")).map(memory => memory.key);
      expect(keys).toEqual(["by hand", "learned/3", "learned/4", "learned/elsewhere"]);
      expect(await find(store, "number", { projects: ["/p"] })).toHaveLength(2);
    });
  });

  describe("removing", () => {
    it("takes away what was named and nothing else, from lists and searches", async () => {
      const { store } = await openScene();
      const { memory } = await store.put(draft({ key: "a", value: "secret words" }));
      await store.put(draft({ key: "b", value: "other words" }));
      expect(await store.remove([memory, { agent: "builder", id: "no such id" }])).toBe(1);
      expect((await store.list({}, "name")).map(one => one.key)).toEqual(["b"]);
      expect((await find(store, "words")).map(one => one.key)).toEqual(["b"]);
    });
  });

  describe("taking memories in", () => {
    const memory = (given: Partial<Memory>): Memory => ({
      ...draft(),
      id: "id1",
      createdMs: 1,
      updatedMs: 2,
      ...given,
    });

    it("keeps ids and dates", async () => {
      const { store } = await openScene();
      const all = [memory({ id: "x", key: "a" }), memory({ id: "y", key: "b", session: "s" })];
      expect(await store.take("builder", all, false)).toEqual({ added: 2, replaced: 0, kept: 0 });
      expect(await store.list({}, "name")).toEqual(all);
    });

    it("leaves an agent alone that has something, unless it is a merge", async () => {
      const { store } = await openScene();
      await store.put(draft({ agent: "tester" }));
      await store.take("builder", [memory({})], false);
      await expect(store.take("builder", [memory({ id: "n", key: "new" })], false)).rejects.toMatchObject({
        problem: "occupied",
      });
      expect(await store.list({ agent: "builder" }, "name")).toHaveLength(1);
    });

    it("lets the later change win in a merge, and gives a taken id a fresh one", async () => {
      const { store } = await openScene();
      await store.take(
        "builder",
        [memory({ id: "1", key: "a" }), memory({ id: "2", key: "b", updatedMs: 9 })],
        false,
      );
      const counts = await store.take(
        "builder",
        [
          memory({ id: "1", key: "a", value: "later", updatedMs: 5 }),
          memory({ id: "3", key: "b", value: "earlier", updatedMs: 8 }),
          memory({ id: "2", key: "c", value: "clash" }),
        ],
        true,
      );
      expect(counts).toEqual({ added: 1, replaced: 1, kept: 1 });
      const after = await store.list({}, "name");
      expect(after.map(({ key, value }) => [key, value])).toEqual([
        ["a", "later"],
        ["b", "value"],
        ["c", "clash"],
      ]);
      expect(new Set(after.map(({ id }) => id)).size).toBe(3);
    });

    it("takes all or nothing", async () => {
      const { store } = await openScene();
      const bad = [memory({ id: "1", key: "a" }), memory({ id: "2", key: "k".repeat(501) })];
      await expect(store.take("builder", bad, false)).rejects.toMatchObject({ problem: "invalid" });
      expect(await store.list({}, "name")).toEqual([]);
    });
  });
});

describe("the database file", () => {
  it("and its companions are for their owner alone", async () => {
    const { path, store } = await openFileScene();
    await store.put(draft());
    for (const file of [path, `${path}-wal`, `${path}-shm`]) {
      expect([file, (statSync(file).mode & 0o777).toString(8)]).toEqual([file, "600"]);
    }
  });

  it("is not made by asking", async () => {
    const { path, system } = await openFileScene();
    const elsewhere = `${path}-other`;
    const reader = await openReader(system, elsewhere);
    expect([await reader.list({}, "name"), await find(reader, "words")]).toEqual([[], []]);
    expect(system.files.inspect(elsewhere)).toBeUndefined();
  });
});
