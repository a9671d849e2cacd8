import type { DBOSClient } from "@dbos-inc/dbos-sdk";
import { SCHEMA } from "../../postgres/index.ts";
import { Problem } from "../../state/index.ts";
import type { RunState } from "../logs/run-records.ts";
import { type Connection, withClient } from "./connection.ts";
import { DBOS_SCHEMA, RUN_VERSION } from "./dbos.ts";
import { RESULT } from "./journal.ts";
import { findEndedRuns, findRunState, type QueuedRun } from "./run-queries.ts";

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
    for (const table of ["recipe_log", "recipe_approvals", "recipe_files"])
      await database.run(`DELETE FROM ${SCHEMA}.${table} WHERE run_id = ANY($1)`, [ids]);
    if (ids.length > 0) await withClient(connection, client => client.deleteWorkflows([...ids]));
    if (ids.length < BATCH) return count + ids.length;
  }
}

interface StoredRecord {
  readonly id: number;
  readonly paths: readonly string[];
}

/**
 * Puts a run that is over on its queue again, under its own id: steps that have ended are not done again, or only those
 * before `from`. Throws a `Problem` where there is nothing to go on with.
 */
export async function resumeRun(
  connection: Connection,
  run: Pick<QueuedRun, "runId" | "state" | "queue">,
  from: string | undefined,
): Promise<void> {
  const { runId, state, queue } = run;
  if (state === "queued" || state === "running")
    throw new Problem(`run ${runId} is not over: it is ${state}`, {
      kind: "over",
      fix: "amplihack recipe cancel",
    });
  if (from === undefined && state === "done")
    throw new Problem(`run ${runId} has succeeded: there is no step left`, {
      kind: "over",
      fix: "name the step to begin with: --from STEP",
    });
  const records = await storedRecords(connection, runId);
  const first =
    from === undefined
      ? records.find(({ paths }) => paths.includes(RESULT))
      : records.find(({ paths }) => paths.some(path => path === from || path.startsWith(`${from}/`)));
  if (from !== undefined && first === undefined) {
    const known = records.flatMap(({ paths }) => paths).filter(path => path !== RESULT);
    throw new Problem(`no step '${from}' of run ${runId} has ended`, {
      kind: "not-found",
      fix:
        known.length === 0 ? "leave --from out: the run starts over" : `steps that have: ${known.join(", ")}`,
    });
  }
  const startStep = first?.id ?? (records.at(-1)?.id ?? -1) + 1;
  await connection.database.run(
    `DELETE FROM ${SCHEMA}.recipe_approvals WHERE run_id = $1 AND is_approved IS NOT TRUE`,
    [runId],
  );
  await withClient(connection, client =>
    client.rewindWorkflow(runId, { startStep, queueName: queue, applicationVersion: RUN_VERSION }),
  );
}

async function storedRecords(connection: Connection, runId: string): Promise<readonly StoredRecord[]> {
  const rows = await connection.database.run(
    `SELECT function_id, function_name FROM ${DBOS_SCHEMA}.operation_outputs WHERE workflow_uuid = $1
     ORDER BY function_id`,
    [runId],
  );
  return rows.map(({ function_id: id, function_name: name }) => ({
    id: Number(id),
    paths: String(name).split(", "),
  }));
}

/** Answers the state of the run afterwards: one that was over before stays as it was. */
export async function cancelRun(connection: Connection, runId: string): Promise<RunState | undefined> {
  await withClient(connection, client => client.cancelWorkflow(runId));
  return (await findRunState(connection.database, runId))?.state;
}
