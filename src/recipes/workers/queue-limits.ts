import type { DBOSClient } from "@dbos-inc/dbos-sdk";
import { SCHEMA } from "../../postgres/index.ts";
import type { RunState } from "../logs/run-records.ts";
import { type Connection, withClient } from "./connection.ts";
import { findEndedRuns, findRunState } from "./run-queries.ts";

/** What holds for all workers of a queue together. What is undefined stays as it is. */
export interface QueueLimits {
  /** runs at once; 0 for no limit */
  readonly concurrency?: number | undefined;
  /** runs begun in so many seconds; 0 runs for no limit */
  readonly rate?: { readonly runs: number; readonly seconds: number } | undefined;
}

/** How often a worker with a free place looks for a run. */
const POLL_MS = 200;

/** Makes the queue if it is new. */
export async function setQueueLimits(
  client: DBOSClient,
  name: string,
  { concurrency, rate }: QueueLimits,
): Promise<void> {
  const queue =
    (await client.retrieveQueue(name)) ??
    (await client.registerQueue(name, { minPollingIntervalMs: POLL_MS, onConflict: "never_update" }));
  if (concurrency !== undefined)
    await queue.setGlobalConcurrency(concurrency === 0 ? undefined : concurrency);
  if (rate !== undefined)
    await queue.setRateLimit(
      rate.runs === 0 ? undefined : { limitPerPeriod: rate.runs, periodSec: rate.seconds },
    );
}

const BATCH = 500;

/** Deletes runs that have been over for so long, with everything that belongs to them. Answers how many. */
export async function pruneRuns(connection: Connection, days: number): Promise<number> {
  const { database } = connection;
  for (let count = 0; ; count += BATCH) {
    const ids = await findEndedRuns(database, days, BATCH);
    // The log first: without its run nobody would find it again.
    await database.run(`DELETE FROM ${SCHEMA}.recipe_log WHERE run_id = ANY($1)`, [ids]);
    if (ids.length > 0) await withClient(connection, client => client.deleteWorkflows([...ids]));
    if (ids.length < BATCH) return count + ids.length;
  }
}

/** Answers the state of the run afterwards: one that was over before stays as it was. */
export async function cancelRun(connection: Connection, runId: string): Promise<RunState | undefined> {
  await withClient(connection, client => client.cancelWorkflow(runId));
  return (await findRunState(connection.database, runId))?.state;
}
