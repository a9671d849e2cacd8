import Libsql from "libsql";
import { describe, expect, it } from "vitest";
import type { MemoryError } from "../../../src/memory/memory.ts";
import { learnedRetention, MAX_TIME_MS } from "../../../src/memory/memory.ts";
import { hasPostgres } from "../../postgres-server.ts";
import { DAY_MS, draft } from "../store-scene.ts";
import { openTeam, PROJECT } from "./team-scene.ts";

const note = (key: string, value: string) => draft({ project: PROJECT, key, value });
const texts = (memories: readonly { key: string; value: string }[]) =>
  memories.map(({ key, value }) => `${key}: ${value}`);

describe.skipIf(!hasPostgres)("two machines of a team", () => {
  it("have what both stored", async () => {
    const team = await openTeam();
    const [ann, bob] = [await team.machine(), await team.machine()];
    await ann.store.put({ ...note("tests", "need PAYMENT_SANDBOX=1"), isPinned: true });
    await bob.store.put(note("ports", "\u0000 8080 \ud800"));
    expect(await ann.sync()).toMatchObject({ sent: 1, fetched: 0, waiting: 0 });
    expect(await bob.sync()).toMatchObject({ sent: 1, fetched: 1, waiting: 0 });
    expect(await ann.sync()).toMatchObject({ sent: 0, fetched: 1, waiting: 0 });
    expect(await ann.list()).toEqual(await bob.list());
    expect(texts(await ann.list())).toEqual(["ports: \u0000 8080 \ud800", "tests: need PAYMENT_SANDBOX=1"]);
    expect((await ann.store.list({ key: "tests" }, "name"))[0]?.isPinned).toBe(true);
    expect(await bob.sync()).toMatchObject({ sent: 0, fetched: 0 });
  });

  it("keep the later of two changes of one name, and the team's database keeps the other text", async () => {
    const team = await openTeam();
    const now = Date.now();
    const [ann, bob] = [await team.machine(now - 2_000), await team.machine(now - 1_000)];
    await ann.store.put(note("tests", "earlier"));
    await bob.store.put(note("tests", "later"));
    await bob.sync();
    await ann.sync();
    await bob.sync();
    expect(texts(await ann.list())).toEqual(["tests: later"]);
    expect(await ann.list()).toEqual(await bob.list());
    expect((await team.earlier()).map(row => row["value"])).toEqual(["earlier"]);
  });

  it("let a change that knew the other one win, also on a clock that is behind", async () => {
    const team = await openTeam();
    const [ann, bob] = [await team.machine(), await team.machine(Date.now() - 3_600_000)];
    await ann.store.put(note("tests", "first"));
    await ann.sync();
    await bob.sync();
    await bob.store.put(note("tests", "second"));
    await bob.sync();
    await ann.sync();
    expect(texts(await ann.list())).toEqual(["tests: second"]);
    await bob.store.remove(await bob.list());
    await bob.sync();
    await ann.sync();
    expect(await ann.list()).toEqual([]);
    await bob.store.put(note("tests", "third"));
    await bob.sync();
    await ann.sync();
    expect(texts(await ann.list())).toEqual(["tests: third"]);
  });

  it("change and remove what somebody gave the last date there is", async () => {
    const team = await openTeam();
    const ann = await team.machine();
    const store = (value: string) => ann.store.put(note("a", value));
    await store("first");
    await ann.sync();
    await team.database.run("UPDATE amplihack.memories SET updated_ms = $1", [MAX_TIME_MS]);
    await ann.sync();
    await store("second");
    expect(await ann.sync()).toMatchObject({ sent: 1, waiting: 0 });
    await ann.store.remove(await ann.list());
    await ann.sync();
    await store("third");
    expect(await ann.sync()).toMatchObject({ sent: 1, waiting: 0 });
    expect((await team.memories()).map(row => row["value"])).toEqual(["third"]);
  });

  it("have again what was damaged on one of them and dropped there as advised", async () => {
    const team = await openTeam();
    const [ann, bob] = [await team.machine(), await team.machine()];
    for (const key of ["a", "b"]) await ann.store.put(note(key, key));
    await ann.sync();
    await bob.sync();
    const database = new Libsql(bob.path);
    database.exec("UPDATE memories SET seal = 'another' WHERE key = 'a'");
    const problem = await bob.list().catch((error: MemoryError) => error);
    database.exec(/'(.+)'$/.exec((problem as MemoryError).fix ?? "")?.[1] ?? "");
    database.close();
    await bob.sync();
    await ann.sync();
    for (const machine of [ann, bob]) expect(texts(await machine.list())).toEqual(["a: a", "b: b"]);
  });

  it("keep what sessions learnt when the clock of one is years ahead", async () => {
    const team = await openTeam();
    const now = Date.now();
    const [ann, bob] = [await team.machine(now), await team.machine(now)];
    const learn = (machine: typeof ann, key: string) =>
      machine.store.remember(note(`learned/${key}`, key), learnedRetention(machine.time.nowMs));
    for (const key of ["a", "b"]) await learn(ann, key);
    await ann.sync();
    await bob.sync();
    bob.time.nowMs = now + 3 * 365 * DAY_MS;
    await learn(bob, "c");
    await learn(bob, "d");
    await bob.sync();
    await ann.sync();
    const all = ["a", "b", "c", "d"].map(key => `learned/${key}: ${key}`);
    expect(texts(await ann.list())).toEqual(all);
    expect(texts(await bob.list())).toEqual(all);
    // A year after the last of them, what is older goes as ever.
    await team.database.run("UPDATE amplihack.memories SET updated_ms = 1 WHERE key = 'learned/a'");
    await ann.sync();
    await learn(ann, "e");
    await ann.sync();
    expect((await team.memories()).map(row => row["value"])).toEqual(["b", "c", "d", "e"]);
  });

  it("take a date of the far future for a little ahead of the server's clock", async () => {
    const team = await openTeam();
    const now = Date.now();
    const [ann, bob] = [await team.machine(now + 365 * 86_400_000), await team.machine(now + 10 * 60_000)];
    await ann.store.put(note("tests", "from the future"));
    await ann.sync();
    expect(Number((await team.memories())[0]?.["updated_ms"])).toBeLessThan(now + 30 * 60_000);
    expect((await ann.list())[0]?.updatedMs).toBe(Number((await team.memories())[0]?.["updated_ms"]));
    await bob.sync();
    bob.time.nowMs = Date.now();
    await bob.store.put(note("tests", "from now"));
    await bob.sync();
    await ann.sync();
    expect(texts(await ann.list())).toEqual(["tests: from now"]);
  });

  it("remove on both, and no text is left in the team's database", async () => {
    const team = await openTeam();
    const [ann, bob] = [await team.machine(), await team.machine()];
    await ann.store.put(note("secret", "one"));
    await ann.sync();
    ann.time.nowMs += 1_000;
    await ann.store.put(note("secret", "two"));
    await ann.sync();
    await bob.sync();
    bob.time.nowMs += 2_000;
    await bob.store.remove(await bob.list());
    await bob.sync();
    expect(await ann.sync()).toMatchObject({ fetched: 1 });
    expect(await ann.list()).toEqual([]);
    expect(await team.memories()).toEqual([]);
    expect(await team.earlier()).toEqual([]);
  });

  it("forget what was removed, also when the name is used again before it is sent", async () => {
    const team = await openTeam();
    const ann = await team.machine();
    await ann.store.put(note("secret", "one"));
    await ann.sync();
    await ann.store.remove(await ann.list());
    await ann.store.put(note("secret", "two"));
    await ann.sync();
    expect((await team.memories()).map(row => row["value"])).toEqual(["two"]);
    expect(await team.earlier()).toEqual([]);
  });

  it("let a change win over an earlier removal, and a removal over an earlier change", async () => {
    const team = await openTeam();
    const now = Date.now() - 10_000;
    const [ann, bob] = [await team.machine(now), await team.machine(now)];
    await ann.store.put(note("a", "1"));
    await ann.store.put(note("b", "1"));
    await ann.sync();
    await bob.sync();
    ann.time.nowMs = now + 1_000;
    bob.time.nowMs = now + 2_000;
    await ann.store.remove(await ann.store.list({ key: "a" }, "name"));
    await bob.store.put(note("a", "2"));
    await ann.store.put(note("b", "2"));
    await bob.store.remove(await bob.store.list({ key: "b" }, "name"));
    await ann.sync();
    await bob.sync();
    await ann.sync();
    expect(texts(await ann.list())).toEqual(["a: 2"]);
    expect(await ann.list()).toEqual(await bob.list());
  });

  it("share pins, and a pin changes no text", async () => {
    const team = await openTeam();
    const [ann, bob] = [await team.machine(), await team.machine()];
    await ann.store.put(note("tests", "one"));
    await ann.sync();
    await bob.sync();
    await bob.store.pin(await bob.list(), true);
    ann.time.nowMs += 1_000;
    await ann.store.put(note("tests", "two"));
    await ann.sync();
    await bob.sync();
    await ann.sync();
    expect(await ann.list()).toMatchObject([{ value: "two", isPinned: true }]);
    expect(await bob.list()).toEqual(await ann.list());
    await ann.store.pin(await ann.list(), false);
    await ann.sync();
    await bob.sync();
    expect((await bob.list())[0]?.isPinned).toBeUndefined();
  });

  it("keep notes of their own, and of projects that other machines do not know, to themselves", async () => {
    const team = await openTeam();
    const [ann, bob] = [await team.machine(), await team.machine()];
    await ann.store.put(draft({ key: "mine", value: "own" }));
    await ann.store.put(draft({ project: "/home/ann/pay", key: "here", value: "own" }));
    expect(await ann.sync()).toMatchObject({ sent: 0, waiting: 0 });
    await bob.store.put(note("mine", "the team's"));
    await bob.sync();
    await ann.sync();
    expect(texts(await ann.list())).toEqual(["here: own", "mine: the team's", "mine (own): own"]);
    expect(ann.copy.renamed).toEqual([{ from: "mine", to: "mine (own)" }]);
    expect((await team.memories()).map(row => row["value"])).toEqual(["the team's"]);
    await expect(ann.store.put(draft({ key: "mine", value: "own" }))).rejects.toThrow("shared with the team");
  });
});
