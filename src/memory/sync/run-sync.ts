import {
  isServerUrl,
  MISSING_RIGHT,
  NAME_TAKEN,
  PostgresError,
  readDatabaseUrl,
} from "../../postgres/index.ts";
import { errorText } from "../../protocol/index.ts";
import { FileLock, LogFile, Problem } from "../../state/index.ts";
import { dirname, join, type System } from "../../system/index.ts";
import { findProjectIdentity, isSharedProject, type MemoryPlace, teamOrigin } from "../memory-place.ts";
import { openTeamDatabase } from "../open-postgres-store.ts";
import { CLOCK_TOLERANCE_MS, type PendingChange } from "./decide.ts";
import { LocalCopy } from "./local-copy.ts";
import { updateSyncState } from "./sync-state.ts";
import { fetchAll, TeamDatabase, type TeamSide } from "./team-database.ts";

/** A transaction of the team's database carries at most so many changes, and about so many characters. */
const MAX_BATCH = 500;
const MAX_BATCH_CHARACTERS = 4_000_000;
/** What changes while it is sent goes with the next round; somebody who never stops changing has the next sync. */
const MAX_ROUNDS = 3;
/** The user may not write that project, or another project that the user may not see has the name. */
const REFUSED_CODES: readonly (string | undefined)[] = [MISSING_RIGHT, NAME_TAKEN];

export interface SyncCounts {
  readonly sent: number;
  readonly fetched: number;
  /** still in the log: what was refused, what changed meanwhile, what there was no time for */
  readonly waiting: number;
  readonly refused: number;
  readonly isComplete: boolean;
}

/**
 * Sends what is in the log and fetches what others changed. It may end at any moment: what was sent and not
 * acknowledged is sent again, and changes nothing then.
 */
export async function synchronise(
  copy: LocalCopy,
  team: TeamSide,
  isOver: () => boolean = () => false,
): Promise<SyncCounts> {
  const { nowMs } = await noticeLosses(copy, team);
  const sender = new Sender(copy, team, isOver);
  let fetched = 0;
  for (let round = 1; round <= MAX_ROUNDS && !isOver(); round++) {
    copy.limitDates(nowMs + CLOCK_TOLERANCE_MS);
    await sender.sendAll();
    for await (const { states, revision } of fetchAll(team, copy.state().revision)) {
      fetched += copy.take(states, revision);
      if (isOver()) break;
    }
    if (copy.countWaiting() <= sender.refused) break;
  }
  const { sent, refused } = sender;
  return { sent, fetched, waiting: copy.countWaiting(), refused, isComplete: !isOver() };
}

/** A database that was restored from a backup lacks what it had been told; other projects were not fetched before. */
async function noticeLosses(copy: LocalCopy, team: TeamSide): Promise<{ readonly nowMs: number }> {
  const { revision, projects, nowMs } = await team.look();
  const known = copy.state();
  if (revision < known.revision) copy.restart();
  if (projects !== known.projects) copy.fetchAnew(projects);
  return { nowMs };
}

class Sender {
  sent = 0;
  refused = 0;
  private readonly copy: LocalCopy;
  private readonly team: TeamSide;
  private readonly isOver: () => boolean;

  constructor(copy: LocalCopy, team: TeamSide, isOver: () => boolean) {
    this.copy = copy;
    this.team = team;
    this.isOver = isOver;
  }

  async sendAll(): Promise<void> {
    this.refused = 0;
    for (let last = 0; !this.isOver(); ) {
      const batch = this.copy.pending(last, MAX_BATCH, MAX_BATCH_CHARACTERS);
      const end = batch.at(-1);
      if (end === undefined) return;
      await this.send(batch);
      last = end.number;
    }
  }

  /** What is refused keeps nothing else from being sent. */
  private async send(batch: readonly PendingChange[]): Promise<void> {
    try {
      const { sent, revision } = await this.team.send(batch);
      this.copy.acknowledge(sent, revision);
      this.sent += batch.length;
    } catch (error) {
      if (!(error instanceof PostgresError) || !REFUSED_CODES.includes(error.code)) throw error;
      if (batch.length === 1) {
        this.refused += 1;
        return;
      }
      const half = Math.ceil(batch.length / 2);
      await this.send(batch.slice(0, half));
      await this.send(batch.slice(half));
    }
  }
}

export interface SyncRequest {
  readonly timeoutMs: number;
  /** how long to wait for one that is under way */
  readonly patienceMs: number;
  /** also shares what was stored before there was a team */
  readonly sharesEarlier: boolean;
  /** the copy may leave the team that it was of */
  readonly changesTeam: boolean;
  /** for a team with a server, which is reached by the key of this machine */
  readonly connect?: (timeoutMs: number) => Promise<TeamSide>;
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
      fix: "set memory.url in ~/.amplihack/config.jsonc to postgres://USER@HOST/DATABASE, or to the address of your team's server",
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
  const origin = teamOrigin(place.config) ?? "";
  const deadline = system.clock.monotonicMs() + request.timeoutMs;
  const copy = await LocalCopy.open(system, place.databasePath, origin);
  try {
    checkOrigin(copy, origin, request.changesTeam);
    const earlier = findEarlier(system, copy);
    if (request.sharesEarlier) for (const { from, to } of earlier) copy.share(from, to);
    const { side, close } = await openSide(system, place, request);
    try {
      const isOver = (): boolean => system.clock.monotonicMs() > deadline;
      const counts = await synchronise(copy, side, isOver);
      const left = request.sharesEarlier ? 0 : earlier.reduce((sum, each) => sum + each.count, 0);
      return { ...counts, origin, earlier: left, renamed: copy.renamed };
    } finally {
      await close();
    }
  } finally {
    copy.close();
  }
}

async function openSide(
  system: System,
  { config }: MemoryPlace,
  { connect, timeoutMs }: SyncRequest,
): Promise<{ readonly side: TeamSide; close(): Promise<void> }> {
  const { url = "", team } = config.memory;
  const statementTimeoutMs = Math.min(MAX_STATEMENT_MS, timeoutMs);
  if (connect !== undefined && isServerUrl(url))
    return { side: await connect(statementTimeoutMs), close: () => Promise.resolve() };
  const database = await openTeamDatabase(
    { address: readDatabaseUrl(url, "configuration"), team },
    { maxConnections: 1, connectTimeoutMs: Math.min(MAX_CONNECT_MS, timeoutMs), statementTimeoutMs },
  );
  return { side: new TeamDatabase(database, team, system.random), close: () => database.close() };
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
        fix: "amplihack memory sync --change-team keeps them here and starts over with the other",
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
