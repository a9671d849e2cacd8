import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { BUILT_IN } from "../../../src/config/settings.ts";
import type { MemoryPlace } from "../../../src/memory/memory-place.ts";
import { teamOrigin } from "../../../src/memory/memory-place.ts";
import { openTeamDatabase } from "../../../src/memory/open-postgres-store.ts";
import { openStore } from "../../../src/memory/sqlite-store.ts";
import { runSync, type SyncRequest } from "../../../src/memory/sync/run-sync.ts";
import { readSyncState } from "../../../src/memory/sync/sync-state.ts";
import { TeamDatabase } from "../../../src/memory/sync/team-database.ts";
import { readDatabaseUrl } from "../../../src/postgres/url.ts";
import { createNodeSystem } from "../../../src/system/node.ts";
import { administer, hasPostgres } from "../../postgres-server.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";
import { draft } from "../store-scene.ts";
import { openTeam, PROJECT, TEAM, type TeamScene } from "./team-scene.ts";

const REQUEST: SyncRequest = {
  timeoutMs: 20_000,
  patienceMs: 1_000,
  sharesEarlier: false,
  changesTeam: false,
};
const system = createNodeSystem();
let users = 0;

function placeOf(url: string, team = TEAM): MemoryPlace {
  const home = temporaryDirectory();
  return {
    projectRoot: home,
    databasePath: join(home, "memory.db"),
    config: { memory: { ...BUILT_IN.memory, url, team }, reflect: BUILT_IN.reflect },
  };
}

async function store(place: MemoryPlace, ...keys: readonly string[]): Promise<void> {
  const opened = await openStore(system, place.databasePath, { origin: teamOrigin(place.config) });
  for (const key of keys) {
    const [project = "", name = ""] = key.split(" ");
    await opened.put(draft({ project, key: name, value: name }));
  }
  opened.close();
}

async function keys(place: MemoryPlace): Promise<readonly string[]> {
  const opened = await openStore(system, place.databasePath);
  const found = await opened.list({}, "name");
  opened.close();
  return found.map(({ project, key }) => `${project} ${key}`);
}

/** A login that is no administrator; of these projects, or of all. */
async function newMember(team: TeamScene, projects?: readonly string[]) {
  users += 1;
  const name = `member_${process.pid}_${users}`;
  await administer(team.server, `CREATE ROLE ${name} LOGIN`);
  onTestFinished(() => administer(team.server, `DROP ROLE ${name}`));
  const allow = (of: readonly string[] | undefined) =>
    team.database.run("SELECT amplihack.add_member($1, $2, $3)", [
      TEAM,
      name,
      of === undefined ? null : [...of],
    ]);
  await allow(projects);
  return {
    name,
    allow,
    place: placeOf(team.server.url(team.name, name)),
    remove: () => team.database.run("DELETE FROM amplihack.members WHERE member = $1", [name]),
  };
}

describe.skipIf(!hasPostgres)("a team's database that refuses", () => {
  it("a member who was removed: memories are read here, changes wait, and are sent when there is a member again", async () => {
    const team = await openTeam();
    const { place, remove, allow, name } = await newMember(team);
    await store(place, `${PROJECT} a`);
    expect(await runSync(system, place, REQUEST)).toMatchObject({ sent: 1, waiting: 0 });
    await remove();
    await store(place, `${PROJECT} b`);
    await expect(runSync(system, place, REQUEST)).rejects.toThrow(`${name} of ${team.name}`);
    expect(await keys(place)).toEqual([`${PROJECT} a`, `${PROJECT} b`]);
    expect(readSyncState(system, place.databasePath)).toMatchObject({ waiting: 1, failures: 1 });
    await allow(undefined);
    expect(await runSync(system, place, REQUEST)).toMatchObject({ sent: 1, waiting: 0 });
  });

  it("somebody who is removed in the middle of a sync", async () => {
    const team = await openTeam();
    const { place, remove } = await newMember(team);
    const address = readDatabaseUrl(place.config.memory.url ?? "", "option");
    const database = await openTeamDatabase({ address, team: TEAM });
    onTestFinished(() => database.close());
    await remove();
    const there = new TeamDatabase(database, TEAM, system.random);
    await expect(there.send([])).rejects.toMatchObject({ problem: "refused" });
    await expect(there.look()).rejects.toMatchObject({ problem: "refused" });
  });

  it("a project of others: that change waits, and all others are sent", async () => {
    const team = await openTeam();
    const { place, allow } = await newMember(team, [PROJECT]);
    await store(place, `${PROJECT} a`, "github.com/acme/other b", `${PROJECT} c`, `${PROJECT} d`);
    expect(await runSync(system, place, REQUEST)).toMatchObject({ sent: 3, waiting: 1, refused: 1 });
    expect(readSyncState(system, place.databasePath)).toMatchObject({ waiting: 1, refused: 1, failures: 0 });
    expect((await team.memories()).map(row => row["key"])).toEqual(["a", "c", "d"]);
    const ann = await team.machine();
    await ann.store.put(draft({ project: "github.com/acme/third", key: "taken", value: "ann's" }));
    await ann.sync();
    await store(place, `${PROJECT} taken`);
    expect(await runSync(system, place, REQUEST)).toMatchObject({ sent: 0, waiting: 2, refused: 2 });
    await allow([PROJECT, "github.com/acme/other", "github.com/acme/third"]);
    // What the user may see now is fetched, however old it is.
    expect(await runSync(system, place, REQUEST)).toMatchObject({ sent: 2, waiting: 0, refused: 0 });
    expect(await keys(place)).toHaveLength(5);
  });

  it("this version: newer tables are left as they are, and changes wait", async () => {
    const team = await openTeam();
    const place = placeOf(team.url);
    await store(place, `${PROJECT} a`);
    await team.database.run("UPDATE amplihack.versions SET version = 99 WHERE part = 'memory'");
    await expect(runSync(system, place, REQUEST)).rejects.toMatchObject({ problem: "newer" });
    expect(readSyncState(system, place.databasePath)).toMatchObject({ waiting: 1 });
    expect(await keys(place)).toEqual([`${PROJECT} a`]);
  });

  it("to answer: the sync ends in its time", async () => {
    const silent = createServer(socket => socket.on("error", () => {}));
    const port = await new Promise<number>(resolve =>
      silent.listen(0, "127.0.0.1", () => resolve((silent.address() as { port: number }).port)),
    );
    onTestFinished(() => {
      silent.close();
    });
    const place = placeOf(`postgres://ann@127.0.0.1:${port}/agents`);
    await store(place, `${PROJECT} a`);
    await expect(runSync(system, place, { ...REQUEST, timeoutMs: 300 })).rejects.toThrow("does not answer");
    expect(readSyncState(system, place.databasePath)).toMatchObject({ waiting: 1, failures: 1 });
  });
});

describe.skipIf(!hasPostgres)("a team's database", () => {
  it("that was restored from a backup gets everything again", async () => {
    const team = await openTeam();
    const [ann, bob] = [await team.machine(), await team.machine()];
    await ann.store.put(draft({ project: PROJECT, key: "a", value: "one" }));
    await ann.sync();
    await team.database.run("CREATE TABLE backup AS SELECT revision FROM amplihack.teams");
    await bob.sync();
    await ann.store.put(draft({ project: PROJECT, key: "b", value: "two" }));
    await ann.sync();
    await bob.sync();
    await team.database.run("DELETE FROM amplihack.memories WHERE key = 'b'");
    await team.database.run("DELETE FROM amplihack.memory_removals");
    await team.database.run("UPDATE amplihack.teams SET revision = (SELECT revision FROM backup)");
    await bob.sync();
    await ann.sync();
    expect((await team.memories()).map(row => row["key"])).toEqual(["a", "b"]);
    expect(await ann.list()).toEqual(await bob.list());
    expect(await team.earlier()).toEqual([]);
  });

  it("of another team gets nothing unless asked", async () => {
    const team = await openTeam();
    const place = placeOf(team.url);
    await store(place, `${PROJECT} a`);
    await runSync(system, place, REQUEST);
    const other = {
      ...place,
      config: { ...place.config, memory: { ...place.config.memory, team: "others" } },
    };
    await store(other, `${PROJECT} b`);
    await expect(runSync(system, other, REQUEST)).rejects.toThrow("team crew");
    const request = { ...REQUEST, changesTeam: true };
    expect(await runSync(system, other, request)).toMatchObject({ sent: 0, earlier: 2 });
    expect(await keys(other)).toEqual([`${PROJECT} a`, `${PROJECT} b`]);
    await store(other, `${PROJECT} c`);
    expect(await runSync(system, other, REQUEST)).toMatchObject({ sent: 1 });
    const rows = await team.database.run("SELECT team, key FROM amplihack.memories ORDER BY team, key");
    expect(rows).toEqual([
      { team: "crew", key: "a" },
      { team: "others", key: "c" },
    ]);
  });
});
