import { MISSING_RIGHT, NAME_TAKEN, PostgresError } from "../../postgres/index.ts";
import type { PendingChange } from "./change.ts";
import { CLOCK_TOLERANCE_MS } from "./decide.ts";
import type { LocalCopy } from "./local-copy.ts";
import type { TeamDatabase } from "./team-database.ts";

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
  team: TeamDatabase,
  isOver: () => boolean = () => false,
): Promise<SyncCounts> {
  const { nowMs } = await noticeLosses(copy, team);
  const sender = new Sender(copy, team, isOver);
  let fetched = 0;
  for (let round = 1; round <= MAX_ROUNDS && !isOver(); round++) {
    copy.limitDates(nowMs + CLOCK_TOLERANCE_MS);
    await sender.sendAll();
    for await (const { states, revision } of team.fetch(copy.state().revision)) {
      fetched += copy.take(states, revision);
      if (isOver()) break;
    }
    if (copy.countWaiting() <= sender.refused) break;
  }
  const { sent, refused } = sender;
  return { sent, fetched, waiting: copy.countWaiting(), refused, isComplete: !isOver() };
}

/** A database that was restored from a backup lacks what it had been told; other projects were not fetched before. */
async function noticeLosses(copy: LocalCopy, team: TeamDatabase): Promise<{ readonly nowMs: number }> {
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
  private readonly team: TeamDatabase;
  private readonly isOver: () => boolean;

  constructor(copy: LocalCopy, team: TeamDatabase, isOver: () => boolean) {
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
