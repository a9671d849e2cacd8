import { PostgresError } from "../../postgres/index.ts";
import type { Json } from "../../protocol/index.ts";
import { Interruption } from "../run/interruption.ts";
import type { Dbos } from "./dbos.ts";
import { Journal, recordNames } from "./journal.ts";
import { giveBackRun, type RunPlace, type WorkerLock } from "./liveness.ts";
import { type RunPlaceOptions, type RunSummary, runSubmitted, summarise } from "./run-submitted.ts";

const RETRY_MS = 500;

interface ActiveRun {
  readonly interruption: Interruption;
  readonly settled: Promise<void>;
  journal: Journal | undefined;
}

/** What a worker tells of its runs. */
export interface WorkerEvents {
  started(runId: string): void;
  ended(runId: string, summary: RunSummary): void;
  /** It was cancelled, or goes on elsewhere. */
  left(runId: string, why: "cancelled" | "elsewhere"): void;
}

/** The runs of one worker while it holds its lock. */
export class WorkerSession {
  private readonly dbos: Dbos;
  private readonly options: RunPlaceOptions;
  private readonly lock: WorkerLock;
  private readonly events: WorkerEvents;
  private readonly active = new Map<string, ActiveRun>();
  /** since when other workers are gone, in monotonic milliseconds */
  private readonly goneSince = new Map<string, number>();
  private isEnding = false;

  constructor(dbos: Dbos, options: RunPlaceOptions, lock: WorkerLock, events: WorkerEvents) {
    this.dbos = dbos;
    this.options = options;
    this.lock = lock;
    this.events = events;
  }

  get isIdle(): boolean {
    return this.active.size === 0;
  }

  /** The body of the workflow: called by DBOS for every run that this worker takes. */
  async run(runId: string, input: Json | undefined): Promise<RunSummary> {
    const interruption = new Interruption();
    let settle: () => void = () => {};
    const settled = new Promise<void>(resolve => {
      settle = resolve;
    });
    const active: ActiveRun = { interruption, settled, journal: undefined };
    this.active.set(runId, active);
    try {
      const names = await this.listNames(runId);
      const journal = await Journal.open(this.dbos, names, () => interruption.interrupt("SIGTERM"));
      active.journal = journal;
      if (this.isEnding) journal.abandon();
      else this.events.started(runId);
      const result = this.isEnding
        ? undefined
        : await runSubmitted(this.options, { runId, input, interruption }, journal);
      if (result === undefined) return await this.leave(runId);
      const summary = summarise(result);
      this.events.ended(runId, summary);
      return summary;
    } finally {
      this.active.delete(runId);
      settle();
    }
  }

  /** Leaves a run without a result to whoever has it now, or to the queue. DBOS then waits for their result. */
  private async leave(runId: string): Promise<never> {
    // Where this fails, the connections are lost, and all runs go to others.
    if (!this.isEnding)
      await giveBackRun(this.options.database.run, this.lock.executorId, runId).catch(() => {});
    throw new this.dbos.DBOSWorkflowConflictError(runId);
  }

  /** Compares the runs with the database, and lets go of those that are no longer ours. */
  async beat(): Promise<void> {
    // Those of this moment: a run that is taken while the database answers is not in its answer.
    const runs = [...this.active];
    const places = await this.lock.lookAt(runs.map(([runId]) => runId));
    for (const [runId, active] of runs) {
      const place = places.get(runId);
      if (this.owns(place) || active.interruption.signal !== undefined) continue;
      this.events.left(runId, place?.status === "CANCELLED" ? "cancelled" : "elsewhere");
      stop(active);
    }
  }

  /** Takes the runs of workers that have been gone for so long. Answers how many. */
  async sweep(afterMs: number): Promise<number> {
    const now = this.options.system.clock.monotonicMs();
    const gone = await this.lock.findGone();
    for (const known of [...this.goneSince.keys()]) if (!gone.includes(known)) this.goneSince.delete(known);
    let count = 0;
    for (const executorId of gone) {
      const since = this.goneSince.get(executorId) ?? now;
      this.goneSince.set(executorId, since);
      if (now - since >= afterMs) count += (await this.lock.takeOver(executorId)).length;
    }
    return count;
  }

  /** Ends the programs of all steps. With `isLost` nothing is recorded any more: others may have begun. */
  async end({ isLost }: { readonly isLost: boolean }): Promise<void> {
    this.isEnding = true;
    const all = [...this.active.values()];
    for (const active of all) {
      if (isLost) stop(active);
      else active.interruption.interrupt("SIGTERM");
    }
    await Promise.all(all.map(({ settled }) => settled));
  }

  private owns(place: RunPlace | undefined): boolean {
    return place?.status === "PENDING" && place.executorId === this.lock.executorId;
  }

  private async listNames(runId: string): Promise<readonly string[]> {
    for (;;) {
      try {
        return await recordNames(this.options.database, runId);
      } catch (error) {
        const mayWork = error instanceof PostgresError && error.problem === "offline";
        if (!mayWork || this.isEnding) return this.leave(runId);
        await new Promise(resume => setTimeout(resume, RETRY_MS));
      }
    }
  }
}

function stop({ journal, interruption }: ActiveRun): void {
  journal?.abandon();
  interruption.interrupt("SIGTERM");
}
