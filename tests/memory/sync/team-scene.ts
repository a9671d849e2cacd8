import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Memory, MemoryStore } from "../../../src/memory/memory.ts";
import { openTeamDatabase } from "../../../src/memory/open-postgres-store.ts";
import { openStore } from "../../../src/memory/sqlite-store.ts";
import { LocalCopy } from "../../../src/memory/sync/local-copy.ts";
import { type SyncCounts, synchronise } from "../../../src/memory/sync/run-sync.ts";
import { TeamDatabase, type TeamSide } from "../../../src/memory/sync/team-database.ts";
import type { Database } from "../../../src/postgres/database.ts";
import { readDatabaseUrl } from "../../../src/postgres/url.ts";
import { freshDatabase, type PostgresServer } from "../../postgres-server.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";
import { systemAt } from "../store-scene.ts";

export const ORIGIN = "crew in agents on db.example";
export const TEAM = "crew";
export const PROJECT = "github.com/acme/pay";

/** One machine: its own file, its own clock. */
export interface Machine {
  readonly path: string;
  readonly time: { nowMs: number };
  readonly store: MemoryStore;
  readonly copy: LocalCopy;
  /** tests put one that fails in its place */
  team: TeamSide;
  sync(): Promise<SyncCounts>;
  list(): Promise<readonly Memory[]>;
  close(): void;
}

export interface TeamScene {
  readonly url: string;
  readonly server: PostgresServer;
  readonly name: string;
  readonly database: Database;
  machine(nowMs?: number, team?: string): Promise<Machine>;
  /** what the team's database holds, by name */
  memories(): Promise<readonly Record<string, unknown>[]>;
  earlier(): Promise<readonly Record<string, unknown>[]>;
}

/** A team's database of its own, and machines of one user. */
export async function openTeam(): Promise<TeamScene> {
  const { url, server, name } = await freshDatabase();
  const database = await openTeamDatabase({ address: readDatabaseUrl(url, "option"), team: TEAM });
  onTestFinished(() => database.close());
  return {
    url,
    server,
    name,
    database,
    machine: (nowMs, team) => openMachine(database, nowMs, team),
    memories: () => database.run("SELECT * FROM amplihack.memories ORDER BY agent, session, key"),
    earlier: () => database.run("SELECT * FROM amplihack.earlier_values ORDER BY number"),
  };
}

async function openMachine(database: Database, nowMs = Date.now(), team = TEAM): Promise<Machine> {
  const path = join(temporaryDirectory(), "memory.db");
  const time = { nowMs };
  const system = systemAt(time);
  const store = await openStore(system, path, { origin: ORIGIN });
  const copy = await LocalCopy.open(system, path, ORIGIN);
  const machine: Machine = {
    path,
    time,
    store,
    copy,
    team: new TeamDatabase(database, team, system.random),
    sync: () => synchronise(copy, machine.team),
    list: () => store.list({}, "name"),
    close() {
      store.close();
      copy.close();
    },
  };
  onTestFinished(() => machine.close());
  return machine;
}
