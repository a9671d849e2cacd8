import { readDatabaseUrl } from "../../postgres/index.ts";
import { errorText } from "../../protocol/index.ts";
import { FileLock, LogFile, Problem } from "../../state/index.ts";
import { dirname, join, type System } from "../../system/index.ts";
import type { MemoryPlace } from "../memory-place.ts";
import { openTeamDatabase } from "../open-postgres-store.ts";
import { findProjectIdentity, isSharedProject } from "../project-identity.ts";
import { LocalCopy } from "./local-copy.ts";
import { type SyncCounts, synchronise } from "./sync.ts";
import { updateSyncState } from "./sync-state.ts";
import { TeamDatabase } from "./team-database.ts";
import { teamOrigin } from "./team-origin.ts";

export interface SyncRequest {
  readonly timeoutMs: number;
  /** how long to wait for one that is under way */
  readonly patienceMs: number;
  /** also shares what was stored before there was a team */
  readonly sharesEarlier: boolean;
  /** the copy may leave the team that it was of */
  readonly changesTeam: boolean;
}

export interface SyncReport extends SyncCounts {
  readonly origin: string;
  /** memories of projects that could be shared, from before there was a team */
  readonly earlier: number;
  readonly renamed: LocalCopy["renamed"];
}

const MAX_CONNECT_MS = 10_000;
const MAX_STATEMENT_MS = 20_000;

/** One sync at a time; what comes of it is noted for those who look. Undefined when another is under way. */
export async function runSync(
  system: System,
  place: MemoryPlace,
  request: SyncRequest,
): Promise<SyncReport | undefined> {
  const { databasePath, config } = place;
  if (config.memory.url === undefined)
    throw new Problem("there is no team to share memories with", {
      kind: "not-configured",
      fix: "set memory.url in ~/.amplihack/config.jsonc to postgres://USER@HOST/DATABASE",
    });
  const folder = dirname(databasePath);
  const lock = new FileLock(join(folder, "memory-sync.lock"), { system, timeoutMs: request.patienceMs });
  if (!lock.tryAcquire()) return undefined;
  const nowMs = (): number => system.clock.nowMs();
  try {
    updateSyncState(system, databasePath, () => ({ attemptMs: nowMs() }));
    const report = await syncOnce(system, place, request);
    updateSyncState(system, databasePath, () => ({
      finishedMs: nowMs(),
      successMs: nowMs(),
      failures: 0,
      problem: report.refused === 0 ? "" : "the team's database does not take all of them",
      waiting: report.waiting,
      refused: report.refused,
    }));
    return report;
  } catch (error) {
    const waiting = await countWaiting(system, place);
    updateSyncState(system, databasePath, ({ failures, waiting: known }) => ({
      finishedMs: nowMs(),
      failures: failures + 1,
      problem: errorText(error),
      waiting: waiting ?? known,
    }));
    new LogFile(join(folder, "logs", "memory-sync.log"), { system }).write("WARNING", errorText(error));
    throw error;
  } finally {
    lock.release();
  }
}

/** Undefined when the local database itself cannot be used, which the caller's error says already. */
export async function countWaiting(system: System, place: MemoryPlace): Promise<number | undefined> {
  try {
    const copy = await LocalCopy.open(system, place.databasePath, teamOrigin(place.config) ?? "");
    try {
      return copy.countWaiting();
    } finally {
      copy.close();
    }
  } catch {
    return undefined;
  }
}

async function syncOnce(system: System, place: MemoryPlace, request: SyncRequest): Promise<SyncReport> {
  const { url = "", team } = place.config.memory;
  const address = readDatabaseUrl(url, "configuration");
  const origin = teamOrigin(place.config) ?? "";
  const deadline = system.clock.monotonicMs() + request.timeoutMs;
  const copy = await LocalCopy.open(system, place.databasePath, origin);
  try {
    checkOrigin(copy, origin, request.changesTeam);
    const earlier = findEarlier(system, copy);
    if (request.sharesEarlier) for (const { from, to } of earlier) copy.share(from, to);
    const database = await openTeamDatabase(
      { address, team },
      {
        maxConnections: 1,
        connectTimeoutMs: Math.min(MAX_CONNECT_MS, request.timeoutMs),
        statementTimeoutMs: Math.min(MAX_STATEMENT_MS, request.timeoutMs),
      },
    );
    try {
      const isOver = (): boolean => system.clock.monotonicMs() > deadline;
      const counts = await synchronise(copy, new TeamDatabase(database, team, system.random), isOver);
      const left = request.sharesEarlier ? 0 : earlier.reduce((sum, each) => sum + each.count, 0);
      return { ...counts, origin, earlier: left, renamed: copy.renamed };
    } finally {
      await database.close();
    }
  } finally {
    copy.close();
  }
}

/** Memories of one team never go to another unasked. */
function checkOrigin(copy: LocalCopy, origin: string, changesTeam: boolean): void {
  const { origin: former, revision } = copy.state();
  if (former === origin) return;
  if (revision > 0 && !changesTeam)
    throw new Problem(
      `the memories here are shared with the ${former}; the configuration names the ${origin}`,
      {
        kind: "other-team",
        fix: "amplihack memory sync --change-team keeps them here and begins anew with the other",
      },
    );
  if (revision > 0) copy.leave(origin);
  else copy.belongTo(origin);
}

interface EarlierProject {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

/** Folders that were cloned from somewhere, and projects whose name means something elsewhere. */
function findEarlier(system: System, copy: LocalCopy): readonly EarlierProject[] {
  return [...copy.unsharedProjects()].flatMap(([from, count]) => {
    const to = isSharedProject(from) ? from : findProjectIdentity(system, from);
    return to === undefined ? [] : [{ from, to, count }];
  });
}
