import { join } from "node:path";
import { onTestFinished } from "vitest";
import type {
  Memory,
  MemoryDraft,
  MemoryFilter,
  MemoryReader,
  MemoryStore,
} from "../../src/memory/memory.ts";
import { openPostgresStore } from "../../src/memory/open-postgres-store.ts";
import { rankCandidates } from "../../src/memory/ranking.ts";
import { readQuery } from "../../src/memory/search-words.ts";
import { openStore } from "../../src/memory/sqlite-store.ts";
import { readDatabaseUrl } from "../../src/postgres/url.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import type { System } from "../../src/system/system.ts";
import { administer, hasPostgres, sharedServer } from "../postgres-server.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

export const DAY_MS = 24 * 60 * 60 * 1000;
export const NOW_MS = Date.UTC(2026, 5, 15, 12);

export interface StoreScene {
  readonly store: MemoryStore;
  readonly system: System;
  /** the clock of the store; tests move it */
  readonly time: { nowMs: number };
}

export interface Scene extends StoreScene {
  readonly path: string;
}

/** A real system whose wall clock stands where a test puts it. */
export function systemAt(time: { nowMs: number }): System {
  const system = createNodeSystem();
  return { ...system, clock: { ...system.clock, nowMs: () => time.nowMs } };
}

/** A store in a real file of its own, closed when the test ends. */
export async function openScene(path = join(temporaryDirectory(), "memory.db")): Promise<Scene> {
  const time = { nowMs: NOW_MS };
  const system = systemAt(time);
  const store = await openStore(system, path);
  onTestFinished(() => store.close());
  return { path, store, system, time };
}

let database: Promise<string> | undefined;
let teams = 0;

/** A database for all tests that need none of their own; each takes a team. */
export function sharedDatabase(): Promise<string> {
  const make = async (): Promise<string> => {
    const server = await sharedServer();
    await administer(server, "CREATE DATABASE shared_memories");
    return server.url("shared_memories");
  };
  database ??= make();
  return database;
}

/** A store of a team of its own, closed when the test ends. */
export async function openTeamScene(): Promise<StoreScene> {
  const time = { nowMs: NOW_MS };
  const system = systemAt(time);
  teams += 1;
  const address = readDatabaseUrl(await sharedDatabase(), "option");
  const store = await openPostgresStore(system, { address, team: `team-${teams}` });
  onTestFinished(() => store.close());
  return { store, system, time };
}

export type OpenScene = () => Promise<StoreScene>;

/** What holds for one store holds for the other. */
export const STORES: readonly (readonly [name: string, open: OpenScene])[] = [
  ["SQLite", () => openScene()],
  ...(hasPostgres ? [["PostgreSQL", openTeamScene] as const] : []),
];

export function draft(given: Partial<MemoryDraft> = {}): MemoryDraft {
  return {
    project: "",
    agent: "builder",
    session: "",
    key: "key",
    value: "value",
    type: "text",
    category: "context",
    ...given,
  };
}

export async function find(
  reader: MemoryReader,
  words: string,
  filter: MemoryFilter = {},
  nowMs = NOW_MS,
): Promise<readonly Memory[]> {
  const candidates = await reader.search(readQuery(words), filter, 100);
  return rankCandidates(candidates, nowMs, 10).map(({ memory }) => memory);
}
