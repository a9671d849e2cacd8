import type { Client } from "pg";
import {
  clientConfig,
  closeClient,
  type DatabaseAddress,
  describeAddress,
  noticeLoss,
  type Row,
  type RunSql,
  translate,
} from "../../postgres/index.ts";
import { APPLICATION, RUNS } from "./dbos.ts";

/** Any number that no other program uses; goes into the hash of every worker's name. */
const LOCK_SEED = 0x616d_7077;
/**
 * The worker gives up after 6 s and has ended its programs 3 s later: before the server ends its session (25 s, see
 * `noticeLoss`) and anybody else can begin with its runs.
 */
const ANSWER_WITHIN_MS = 5_000;

/** As DBOS itself returns the runs of an executor to their queue. */
const REQUEUE = `UPDATE ${RUNS}
  SET status = 'ENQUEUED', owner_xid = NULL, started_at_epoch_ms = NULL,
      updated_at = (EXTRACT(EPOCH FROM now()) * 1000)::bigint
  WHERE status = 'PENDING' AND executor_id = $1 AND application_name = $2 AND ($3::text IS NULL OR workflow_uuid = $3)
  RETURNING workflow_uuid`;

/** Returns one run to its queue if this worker has it. */
export async function giveBackRun(run: RunSql, executorId: string, runId: string): Promise<void> {
  await run(REQUEUE, [executorId, APPLICATION, runId]);
}

/** A worker's name, and what tells its sessions apart. */
export function makeExecutorId(name: string, session: string): string {
  return `${name}#${session}`;
}

export function workerName(executorId: string): string {
  return executorId.replace(/#[^#]*$/, "");
}

/** How the server's list of connections calls those of a worker. */
export function connectionName(worker: string): string {
  return `amplihack worker ${worker}`;
}

/** Where a run stands, as the database has it. */
export interface RunPlace {
  readonly status: string;
  readonly executorId: string | null;
}

/**
 * Says that a worker lives: a lock of the server that its own connection holds. When the worker is killed, or cut off,
 * its connection ends and the lock is free; nothing else has to be noticed, and no clocks are compared.
 */
export class WorkerLock {
  readonly executorId: string;
  /** resolves when the connection is gone, and the lock with it */
  readonly lost: Promise<void>;
  private readonly client: Client;
  private readonly place: string;

  private constructor(client: Client, executorId: string, lost: Promise<void>, place: string) {
    this.client = client;
    this.executorId = executorId;
    this.lost = lost;
    this.place = place;
  }

  static async take(address: DatabaseAddress, executorId: string): Promise<WorkerLock> {
    const { default: pg } = await import("pg");
    const client = new pg.Client({
      ...clientConfig(address),
      application_name: connectionName(workerName(executorId)),
      connectionTimeoutMillis: ANSWER_WITHIN_MS,
      query_timeout: ANSWER_WITHIN_MS,
      keepAliveInitialDelayMillis: ANSWER_WITHIN_MS,
    });
    const lost = new Promise<void>(resolve => {
      client.on("error", () => resolve());
      client.on("end", () => resolve());
    });
    const place = describeAddress(address);
    try {
      await client.connect();
      await noticeLoss(client);
      await client.query("SELECT pg_advisory_lock(hashtextextended($1, $2))", [executorId, LOCK_SEED]);
    } catch (error) {
      await closeClient(client).catch(() => {});
      throw translate(error, place);
    }
    return new WorkerLock(client, executorId, lost, place);
  }

  /** Also asks whether the server still answers; a failure means that the lock must be taken for lost. */
  async lookAt(runIds: readonly string[]): Promise<ReadonlyMap<string, RunPlace>> {
    const rows = await this.query(
      `SELECT workflow_uuid, status, executor_id FROM ${RUNS} WHERE workflow_uuid = ANY($1)`,
      [runIds],
    );
    return new Map(
      rows.map(({ workflow_uuid: id, status, executor_id: executorId }) => [
        String(id),
        { status: String(status), executorId: executorId === null ? null : String(executorId) },
      ]),
    );
  }

  /** Workers that have runs and no longer hold their lock. */
  async findGone(): Promise<readonly string[]> {
    const rows = await this.query(
      `SELECT executor_id, pg_try_advisory_xact_lock(hashtextextended(executor_id, $3)) AS is_free
       FROM (SELECT DISTINCT executor_id FROM ${RUNS}
             WHERE status = 'PENDING' AND application_name = $1 AND executor_id <> $2) AS busy`,
      [APPLICATION, this.executorId, LOCK_SEED],
    );
    return rows.filter(({ is_free }) => is_free === true).map(({ executor_id }) => String(executor_id));
  }

  /** Returns the runs of a worker that is gone to their queue, where any worker may take them. */
  async takeOver(executorId: string): Promise<readonly string[]> {
    await this.query("BEGIN");
    try {
      const [answer] = await this.query(
        "SELECT pg_try_advisory_xact_lock(hashtextextended($1, $2)) AS is_free",
        [executorId, LOCK_SEED],
      );
      const rows =
        answer?.["is_free"] === true ? await this.query(REQUEUE, [executorId, APPLICATION, null]) : [];
      await this.query("COMMIT");
      return rows.map(({ workflow_uuid: id }) => String(id));
    } catch (error) {
      await this.query("ROLLBACK").catch(() => {});
      throw error;
    }
  }

  /** Returns all runs of this worker to their queue. */
  async giveBack(): Promise<void> {
    await this.query(REQUEUE, [this.executorId, APPLICATION, null]);
  }

  async release(): Promise<void> {
    await closeClient(this.client).catch(() => {});
  }

  private async query(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    try {
      return (await this.client.query(sql, [...values])).rows;
    } catch (error) {
      throw translate(error, this.place);
    }
  }
}
