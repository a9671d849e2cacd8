import { type Database, MISSING_RIGHT, PostgresError } from "../../postgres/index.ts";
import { findQueuedRun, hasTables, listQueuedRuns } from "../../recipes/index.ts";
import type { System } from "../../system/index.ts";
import { type RecipeRuns, SHOWN_RUNS } from "../recipe-runs.ts";
import type { Scope } from "../views/site.ts";

const FRESH_MS = 60_000;

/** Runs of recipes in a database, where there are some that this user may read. */
export class QueuedRuns {
  private readonly database: Database;
  private readonly clock: System["clock"];
  private areThere = false;
  private askedMs = Number.NEGATIVE_INFINITY;
  private shownMs = Number.NEGATIVE_INFINITY;
  private shown = "";
  /** how often they were found different while somebody looked at them */
  changes = 0;

  constructor(database: Database, clock: System["clock"]) {
    this.database = database;
    this.clock = clock;
  }

  /** Whether there are any. It is asked once a minute. */
  async canBeRead(): Promise<boolean> {
    if (this.clock.monotonicMs() - this.askedMs < FRESH_MS) return this.areThere;
    this.askedMs = this.clock.monotonicMs();
    try {
      this.areThere = await this.areReadable();
    } catch {
      // That the database does not answer is told where records are read.
    }
    return this.areThere;
  }

  private async areReadable(): Promise<boolean> {
    try {
      if (!(await hasTables(this.database))) return false;
      await listQueuedRuns(this.database, 0, { limit: 1 });
      return true;
    } catch (error) {
      // Members of a team need not be among those who may submit.
      if (error instanceof PostgresError && error.code === MISSING_RIGHT) return false;
      throw error;
    }
  }

  /** Looks for news as long as a page with runs was asked for lately; true when there are some. */
  async catchUp(): Promise<boolean> {
    if (!this.areThere || this.clock.monotonicMs() - this.shownMs > FRESH_MS) return false;
    const runs = await listQueuedRuns(this.database, 0, { limit: SHOWN_RUNS });
    const now = JSON.stringify(runs.map(({ runId, state, steps, worker }) => [runId, state, steps, worker]));
    const isNews = this.shown !== now;
    if (isNews) this.changes++;
    this.shown = now;
    return isNews;
  }

  /** Runs have a submitter and a machine; they belong to no team, project or host. */
  of({ person, machine }: Scope): RecipeRuns {
    const { database, clock } = this;
    const canBeShown = async (): Promise<boolean> => {
      this.shownMs = clock.monotonicMs();
      return this.canBeRead();
    };
    return {
      list: async () =>
        (await canBeShown())
          ? listQueuedRuns(database, clock.nowMs(), { limit: SHOWN_RUNS, person, machine })
          : [],
      find: async id => ((await canBeShown()) ? findQueuedRun(database, clock.nowMs(), id) : undefined),
      detail: () => ({ blocks: undefined, outputs: new Map() }),
    };
  }
}
