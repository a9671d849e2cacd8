import { type Database, hasRelation, type Row } from "../../postgres/index.ts";
import {
  isJsonObject,
  type Json,
  type JsonObject,
  memberAt,
  numberAt,
  parseJsonObject,
  stringAt,
} from "../../protocol/index.ts";
import { type RecordedRun, type RunState, runFromRecords } from "../logs/run-records.ts";
import { APPLICATION, DBOS_SCHEMA, RUNS, WORKFLOW } from "./dbos.ts";
import { RESULT } from "./journal.ts";
import { workerName } from "./liveness.ts";
import { readLog } from "./run-log.ts";

/** A run in a database, with what only such a run has. */
export interface QueuedRun extends RecordedRun {
  readonly queue: string;
  /** who has it, or had it last; null as long as nobody took it */
  readonly worker: string | null;
  readonly submittedMs: number;
  readonly submittedBy: string | null;
  /** how often a worker began or went on with it */
  readonly attempts: number;
  readonly exitCode: number | null;
  /** why it could not be run at all */
  readonly error: string | null;
}

const MAX_DEPTH = 200;
const OPEN = "('ENQUEUED', 'DELAYED', 'PENDING')";
const OURS = `application_name = '${APPLICATION}' AND name = '${WORKFLOW}'`;
const COLUMNS = `runs.workflow_uuid, runs.status, runs.executor_id, runs.attributes, runs.created_at,
  runs.started_at_epoch_ms, runs.completed_at, runs.recovery_attempts, ends.output, ends.error`;
const ENDS = `LEFT JOIN ${DBOS_SCHEMA}.workflow_output AS ends USING (workflow_uuid)`;

/** Runs of the queue that are not over. */
export async function countOpen({ run }: Database, queue: string): Promise<number> {
  const [row] = await run(
    `SELECT count(*) AS open FROM ${RUNS} WHERE ${OURS} AND queue_name = $1 AND status IN ${OPEN}`,
    [queue],
  );
  return Number(row?.["open"] ?? 0);
}

/** Ids of runs that have been over for so many days. */
export async function findEndedRuns(
  { run }: Database,
  days: number,
  limit: number,
): Promise<readonly string[]> {
  const rows = await run(
    `SELECT workflow_uuid FROM ${RUNS}
     WHERE ${OURS} AND completed_at < (EXTRACT(EPOCH FROM now()) - $1 * 86400.0) * 1000 LIMIT $2`,
    [days, limit],
  );
  return rows.map(({ workflow_uuid: id }) => String(id));
}

/** Has any run been submitted to this database, or any worker been there? */
export function hasTables({ run }: Database): Promise<boolean> {
  return hasRelation(run, RUNS);
}

interface RunsWanted {
  readonly limit: number;
  readonly queue?: string | undefined;
  /** of whoever submitted, as that machine said */
  readonly person?: string | undefined;
  readonly machine?: string | undefined;
}

/** The newest first. */
export async function listQueuedRuns(
  database: Database,
  nowMs: number,
  { limit, queue, person, machine }: RunsWanted,
): Promise<readonly QueuedRun[]> {
  const rows = await database.run(
    `SELECT ${COLUMNS} FROM ${RUNS} AS runs ${ENDS}
     WHERE ${OURS} AND ($2::text IS NULL OR runs.attributes->>'queue' = $2)
       AND ($3::text IS NULL OR starts_with(runs.attributes->>'by', $3 || '@'))
       AND ($4::text IS NULL OR right(runs.attributes->>'by', length($4) + 1) = '@' || $4)
     ORDER BY runs.created_at DESC, runs.workflow_uuid LIMIT $1`,
    [limit, queue ?? null, person ?? null, machine ?? null],
  );
  return readRuns(database, rows, nowMs);
}

/** Ids that begin so, the newest first; `last` for the newest of all. */
export async function findRunIds({ run }: Database, beginning: string): Promise<readonly string[]> {
  const isLast = beginning === "last";
  const rows = await run(
    `SELECT workflow_uuid FROM ${RUNS} WHERE ${OURS} AND ($1 OR starts_with(workflow_uuid, $2))
     ORDER BY created_at DESC LIMIT $3`,
    [isLast, beginning, isLast ? 1 : 6],
  );
  const ids = rows.map(({ workflow_uuid: id }) => String(id));
  return ids.includes(beginning) ? [beginning] : ids;
}

export async function findQueuedRun(
  database: Database,
  nowMs: number,
  runId: string,
): Promise<QueuedRun | undefined> {
  // PostgreSQL has no U+0000 in texts, so that nothing is called so.
  if (runId.includes("\0")) return undefined;
  const rows = await database.run(
    `SELECT ${COLUMNS} FROM ${RUNS} AS runs ${ENDS}
     WHERE ${OURS} AND runs.workflow_uuid = $1`,
    [runId],
  );
  return (await readRuns(database, rows, nowMs))[0];
}

type StateAndExitCode = Pick<QueuedRun, "state" | "exitCode">;

/** Without the log, of which there may be much. */
export async function findRunState({ run }: Database, runId: string): Promise<StateAndExitCode | undefined> {
  const [row] = await run(
    `SELECT runs.status, ends.output FROM ${RUNS} AS runs ${ENDS} WHERE ${OURS} AND runs.workflow_uuid = $1`,
    [runId],
  );
  return row === undefined ? undefined : readState(row);
}

/** The result document of a run that is over; undefined for one that was cancelled or given up. */
export async function readResult({ run }: Database, runId: string): Promise<JsonObject | undefined> {
  const [row] = await run(
    `SELECT output FROM ${DBOS_SCHEMA}.operation_outputs WHERE workflow_uuid = $1 AND function_name = $2
     ORDER BY function_id DESC LIMIT 1`,
    [runId, RESULT],
  );
  const record = parseJsonObject(String(row?.["output"] ?? ""), MAX_DEPTH);
  const document = memberAt(record, RESULT, "document");
  return isJsonObject(document) ? document : undefined;
}

async function readRuns(
  database: Database,
  rows: readonly Row[],
  nowMs: number,
): Promise<readonly QueuedRun[]> {
  const ids = rows.map(({ workflow_uuid: id }) => String(id));
  const records = new Map(ids.map(id => [id, [] as JsonObject[]]));
  for (const { runId, record } of await readLog(database, ids)) records.get(runId)?.push(record);
  return rows.map(row => readRun(row, records.get(String(row["workflow_uuid"])) ?? [], nowMs));
}

function readState({ status, output }: Row): StateAndExitCode {
  const summary = parseJsonObject(String(output ?? ""), MAX_DEPTH);
  return {
    state: toRunState(String(status), stringAt(summary, "status")),
    exitCode: numberAt(summary, "exitCode") ?? null,
  };
}

function readRun(row: Row, records: readonly JsonObject[], nowMs: number): QueuedRun {
  const attributes = row["attributes"] as Json;
  const { state, exitCode } = readState(row);
  const submittedMs = Number(row["created_at"]);
  const startedMs = row["started_at_epoch_ms"] === null ? submittedMs : Number(row["started_at_epoch_ms"]);
  const endedMs = row["completed_at"] === null ? undefined : Number(row["completed_at"]);
  const told = runFromRecords(records);
  const executor = row["executor_id"];
  return {
    runId: String(row["workflow_uuid"]),
    recipe: stringAt(attributes, "recipe") ?? "",
    file: null,
    workingDir: null,
    state,
    startedMs,
    durationMs: state === "queued" ? null : (endedMs ?? nowMs) - startedMs,
    stepCount: numberAt(attributes, "steps") ?? 0,
    steps: told.steps,
    signal: state === "cancelled" ? null : told.signal,
    canResume: false,
    queue: stringAt(attributes, "queue") ?? "",
    worker: typeof executor === "string" && executor !== "" ? workerName(executor) : null,
    submittedMs,
    submittedBy: stringAt(attributes, "by") ?? null,
    attempts: Number(row["recovery_attempts"] ?? 0),
    exitCode,
    error: typeof row["error"] === "string" ? describeError(row["error"]) : null,
  };
}

function toRunState(status: string, ended: string | undefined): RunState {
  switch (status) {
    case "ENQUEUED":
    case "DELAYED":
      return "queued";
    case "PENDING":
      return "running";
    case "CANCELLED":
      return "cancelled";
    case "MAX_RECOVERY_ATTEMPTS_EXCEEDED":
      return "given-up";
    case "SUCCESS":
      return ended === "SUCCESS" ? "done" : ended === "PARTIAL" ? "partial" : "failed";
    default:
      return "failed";
  }
}

function describeError(text: string): string {
  return stringAt(parseJsonObject(text, MAX_DEPTH), "message") ?? "an error inside the worker";
}
