import { describe, expect, it } from "vitest";
import type { MemoryDraft, MemoryStore } from "../../../src/memory/memory.ts";
import { CHANGE } from "../../../src/memory/sqlite-schema.ts";
import { openStore } from "../../../src/memory/sqlite-store.ts";
import { LocalCopy } from "../../../src/memory/sync/local-copy.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";
import { draft, NOW_MS, systemAt } from "../store-scene.ts";
import { ORIGIN, PROJECT } from "./team-scene.ts";

const note = (given: Partial<MemoryDraft> = {}) => draft({ project: PROJECT, ...given });

/** A store with one shared memory that the team has already. */
async function openShared() {
  const path = `${temporaryDirectory()}/memory.db`;
  const system = systemAt({ nowMs: NOW_MS });
  const store = await openStore(system, path, { origin: ORIGIN });
  const copy = await LocalCopy.open(system, path, ORIGIN);
  const { memory } = await store.put(note({ key: "shared", value: "one" }));
  const changes = copy.pending(0, 10, 1_000);
  copy.acknowledge(
    changes.map(change => ({ change, state: { kind: "memory", memory, revision: 1 }, isTaken: true })),
    1,
  );
  return { path, system, store, copy, memory };
}

const RETENTION = { keyPrefix: "shared", keepNewest: 0, updatedSinceMs: 0 };

describe("the log of changes", () => {
  it.each<[string, (store: MemoryStore) => Promise<unknown>, number]>([
    ["a replaced text", store => store.put(note({ key: "shared", value: "two" })), CHANGE.content],
    [
      "something learnt again",
      store => store.remember(note({ key: "other", value: "One!" }), { ...RETENTION, keepNewest: 9 }),
      CHANGE.content,
    ],
    [
      "what retention drops",
      async store => store.remember(note({ key: "x", project: "/here" }), RETENTION),
      0,
    ],
    ["a pin", async store => store.pin(await store.list({}, "name"), true), CHANGE.pin],
    ["a removal", async store => store.remove(await store.list({}, "name")), CHANGE.content | CHANGE.removal],
    [
      "an import",
      async store => {
        const [memory] = await store.list({}, "name");
        if (memory !== undefined)
          await store.take(memory.agent, [{ ...memory, value: "new", updatedMs: NOW_MS + 1 }], true);
      },
      CHANGE.content,
    ],
    ["a use", async store => store.recordUse(await store.list({}, "name"), USE), 0],
    ["a note of one's own", store => store.put(draft({ key: "own" })), 0],
    ["a note of a folder", store => store.put(draft({ key: "own", project: "/home/ann/pay" })), 0],
  ])("of %s", async (_, change, bits) => {
    const { store, copy } = await openShared();
    expect(copy.countWaiting()).toBe(0);
    await change(store);
    expect(copy.pending(0, 10, 1_000).map(({ key, changes, base }) => ({ key, changes, base }))).toEqual(
      bits === 0 ? [] : [{ key: "shared", changes: bits, base: 1 }],
    );
  });

  it("has what retention drops of a shared project", async () => {
    const { store, copy } = await openShared();
    await store.remember(note({ key: "shared 2", value: "another" }), { ...RETENTION, keepNewest: 1 });
    const pending = copy.pending(0, 10, 1_000).map(({ key, memory }) => [key, memory?.value]);
    expect(pending).toEqual([
      ["shared 2", "another"],
      ["shared", undefined],
    ]);
  });

  it("adds what happens to one name, and always under a new number", async () => {
    const { store, copy, memory } = await openShared();
    await store.pin([memory], true);
    const [first] = copy.pending(0, 10, 1_000);
    await store.remove([memory]);
    await store.put(note({ key: "shared", value: "anew" }));
    const pending = copy.pending(0, 10, 1_000);
    expect(pending).toMatchObject([{ changes: CHANGE.content | CHANGE.pin | CHANGE.removal, base: 1 }]);
    expect(pending[0]?.number).toBeGreaterThan(first?.number ?? 0);
    // The acknowledgement of the first change does not drop the second.
    copy.acknowledge(
      [{ change: first as never, state: { kind: "memory", memory, revision: 2 }, isTaken: true }],
      2,
    );
    expect(copy.pending(0, 10, 1_000)).toMatchObject([{ number: pending[0]?.number, base: 2 }]);
    expect(await store.list({}, "name")).toMatchObject([{ value: "anew" }]);
  });

  it("is empty without a team, and what was stored until then is not in it", async () => {
    const path = `${temporaryDirectory()}/memory.db`;
    const system = systemAt({ nowMs: NOW_MS });
    const store = await openStore(system, path);
    await store.put(note({ key: "before" }));
    const copy = await LocalCopy.open(system, path, ORIGIN);
    expect(copy.countWaiting()).toBe(0);
    expect([...copy.unsharedProjects()]).toEqual([[PROJECT, 1]]);
    await store.put(note({ key: "after" }));
    expect(copy.pending(0, 10, 1_000)).toMatchObject([{ key: "after" }]);
    copy.share(PROJECT, PROJECT);
    expect(copy.pending(0, 10, 1_000)).toMatchObject([{ key: "after" }, { key: "before" }]);
  });

  it("is given in parts of about a size", async () => {
    const { store, copy } = await openShared();
    for (const key of ["a", "b", "c"]) await store.put(note({ key, value: "x".repeat(60) }));
    const first = copy.pending(0, 10, 100);
    expect(first.map(({ key }) => key)).toEqual(["a"]);
    expect(copy.pending(first[0]?.number ?? 0, 1, 1_000).map(({ key }) => key)).toEqual(["b"]);
    expect(copy.pending(0, 10, 1)).toHaveLength(1);
  });
});

const USE = { project: PROJECT, session: "s", occasion: "prompt" } as const;
