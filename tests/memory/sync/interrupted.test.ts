import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BUILT_IN } from "../../../src/config/settings.ts";
import type { MemoryPlace } from "../../../src/memory/memory-place.ts";
import { teamOrigin } from "../../../src/memory/memory-place.ts";
import { openStore } from "../../../src/memory/sqlite-store.ts";
import { runSync, type SyncRequest } from "../../../src/memory/sync/run-sync.ts";
import { readSyncState } from "../../../src/memory/sync/sync-state.ts";
import { createNodeSystem } from "../../../src/system/node.ts";
import { AMPLIHACK } from "../../commands/run-command.ts";
import { hasPostgres } from "../../postgres-server.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";
import { draft } from "../store-scene.ts";
import { startProxy } from "./postgres-proxy.ts";
import { openTeam, PROJECT, TEAM, type TeamScene } from "./team-scene.ts";

const REQUEST: SyncRequest = {
  timeoutMs: 20_000,
  patienceMs: 5_000,
  sharesEarlier: false,
  changesTeam: false,
};
const system = createNodeSystem();

/** A home whose configuration names the team's database, behind a socket in `folder`. */
function newHome({ name }: TeamScene, folder: string) {
  const home = temporaryDirectory();
  const url = `postgres://keeper@/${name}?host=${encodeURIComponent(folder)}`;
  const memory = { ...BUILT_IN.memory, url, team: TEAM };
  const place: MemoryPlace = {
    projectRoot: home,
    databasePath: join(home, ".amplihack", "memory.db"),
    config: { memory, reflect: BUILT_IN.reflect },
  };
  mkdirSync(join(home, ".amplihack"));
  writeFileSync(join(home, ".amplihack", "config.jsonc"), JSON.stringify({ memory: { url, team: TEAM } }));
  let count = 0;
  return {
    home,
    place,
    sync: () => runSync(system, place, REQUEST),
    /** one new memory and one that changes, each text once */
    async change(): Promise<void> {
      const store = await openStore(system, place.databasePath, { origin: teamOrigin(place.config) });
      count += 1;
      await store.put(draft({ project: PROJECT, key: `new ${count}`, value: `new ${count}` }));
      await store.put(draft({ project: PROJECT, key: "changing", value: `text ${count}` }));
      if (count % 3 === 0) await store.remove(await store.list({ key: `new ${count - 1}` }, "name"));
      store.close();
    },
    async list() {
      const store = await openStore(system, place.databasePath);
      const memories = await store.list({}, "name");
      store.close();
      return memories;
    },
  };
}

async function expectComplete(team: TeamScene, home: ReturnType<typeof newHome>): Promise<void> {
  expect(await home.sync()).toMatchObject({ waiting: 0, isComplete: true });
  const here = await home.list();
  const there = await team.memories();
  expect(there.map(row => [row["key"], row["value"], row["id"], Number(row["updated_ms"])])).toEqual(
    here.map(({ key, value, id, updatedMs }) => [key, value, id, updatedMs]),
  );
  const earlier = (await team.earlier()).map(row => row["value"]);
  expect(new Set(earlier).size).toBe(earlier.length);
  const other = await team.machine();
  await other.sync();
  expect(await other.list()).toEqual(here);
}

const LONG = process.env["AMPLIHACK_TEST_LONG"] === "1";

describe.skipIf(!hasPostgres)("a sync that is interrupted", () => {
  it("by a connection that breaks at any answer loses nothing and doubles nothing", async () => {
    const team = await openTeam();
    const proxy = await startProxy(team.server.folder);
    const ann = newHome(team, proxy.folder);
    let isCut = true;
    for (let answer = 1; isCut; answer++) {
      await ann.change();
      proxy.cutAt(answer);
      isCut = await ann.sync().then(
        () => false,
        () => true,
      );
    }
    expect(proxy.answers).toBeGreaterThan(10);
    proxy.cutAt(Number.POSITIVE_INFINITY);
    await expectComplete(team, ann);
  });

  it("by SIGKILL at any answer loses nothing and doubles nothing, and leaves no lock that holds", async () => {
    const team = await openTeam();
    const proxy = await startProxy(team.server.folder);
    const ann = newHome(team, proxy.folder);
    let isKilled = true;
    for (let answer = 1; isKilled; answer += LONG ? 1 : 4) {
      await ann.change();
      const child = spawn(AMPLIHACK[0] ?? "", [...AMPLIHACK.slice(1), "memory", "sync"], {
        env: { HOME: ann.home, PATH: process.env["PATH"] },
        cwd: ann.home,
        stdio: "ignore",
      });
      proxy.cutAt(answer, () => child.kill("SIGKILL"));
      isKilled = await new Promise(resolve =>
        child.once("exit", (_, signal) => resolve(signal === "SIGKILL")),
      );
    }
    expect(proxy.answers).toBeGreaterThan(10);
    proxy.cutAt(Number.POSITIVE_INFINITY);
    await expectComplete(team, ann);
  });

  it("by the end of the server keeps everything until it is back", async () => {
    const team = await openTeam();
    const ann = newHome(team, team.server.folder);
    await ann.change();
    await ann.sync();
    await team.server.kill();
    for (let hour = 0; hour < 3; hour++) {
      for (let change = 0; change < 5; change++) await ann.change();
      await expect(ann.sync()).rejects.toThrow("does not answer");
    }
    expect(readSyncState(system, ann.place.databasePath)).toMatchObject({ failures: 3, waiting: 16 });
    await team.server.start();
    await expectComplete(team, ann);
    expect(readSyncState(system, ann.place.databasePath)).toMatchObject({
      failures: 0,
      waiting: 0,
      problem: "",
    });
  });
});
