import type * as Sdk from "@dbos-inc/dbos-sdk";
import type { Pool } from "pg";

/** Where DBOS keeps its tables; ours lie in the schema that all parts share. */
export const DBOS_SCHEMA = "amplihack_recipes";
export const RUNS = `${DBOS_SCHEMA}.workflow_status`;
/** Whose rows they are: other applications may use DBOS in the same database. */
export const APPLICATION = "amplihack";
/** The name under which every run of a recipe is recorded. */
export const WORKFLOW = "recipe";
/** What a schedule starts: it submits the run that the schedule holds. */
export const SCHEDULED = "recipe-scheduled";
/** What a submitted run and its records look like. A worker takes runs of its own version only. */
export const RUN_VERSION = "1";
/** A run that was begun more often than this is given up: it may be what ends its workers. */
export const MAX_ATTEMPTS = 20;

/** Our values are JSON, and are stored as such. */
const PLAIN_JSON: Sdk.DBOSSerializer = {
  name: () => "amplihack_json",
  parse: text => (typeof text === "string" ? JSON.parse(text) : null),
  stringify: value => JSON.stringify(value),
};

/** DBOS asks for an address although it is given a pool, and checks its form. */
const UNUSED_URL = "postgresql://unused@localhost/unused";

/** What it says of its own work is not for people who run recipes; failures come to us as errors. */
const SILENT: Sdk.DLogger = { info() {}, debug() {}, warn() {}, error() {} };

export type Dbos = (typeof Sdk)["default"];

/** Loaded when it is used: no other command needs it. */
export async function loadDbos(): Promise<Dbos> {
  const { default: dbos } = await import("@dbos-inc/dbos-sdk");
  return dbos;
}

/** What `DBOS.launch` goes by. */
export function workerConfig(pool: Pool, executorID: string, queue: string): Sdk.DBOSConfig {
  return {
    name: APPLICATION,
    systemDatabaseUrl: UNUSED_URL,
    systemDatabasePool: pool,
    systemDatabaseSchemaName: DBOS_SCHEMA,
    serializer: PLAIN_JSON,
    logger: SILENT,
    applicationVersion: RUN_VERSION,
    executorID,
    listenQueues: [queue],
    useListenNotify: false,
    runMigrations: false,
  };
}

/** For those who only submit, look and cancel. */
export async function createClient(pool: Pool): Promise<Sdk.DBOSClient> {
  const { DBOSClient } = await loadDbos();
  return DBOSClient.create({
    systemDatabaseUrl: UNUSED_URL,
    systemDatabasePool: pool,
    systemDatabaseSchemaName: DBOS_SCHEMA,
    serializer: PLAIN_JSON,
    logger: SILENT,
    applicationName: APPLICATION,
  });
}

/** Any number that no other program uses. */
const MIGRATION_LOCK = 0x616d_7072;
const MIGRATION_POLL_MS = 100;

/** Makes the tables of DBOS, or brings them to the version that this one needs; one at a time. */
export async function migrateDbos(pool: Pool): Promise<void> {
  const { default: internal } = await import("@dbos-inc/dbos-sdk/internal/system_database");
  const logger = SILENT as unknown as Parameters<typeof internal.ensureSystemDatabase>[1];
  const holder = await pool.connect();
  try {
    // Indexes are built beside running transactions and wait for their end: whoever waited for the lock inside the
    // server would be such a transaction.
    for (;;) {
      const { rows } = await holder.query("SELECT pg_try_advisory_lock($1) AS got", [MIGRATION_LOCK]);
      if (rows[0]?.got === true) break;
      await new Promise(resume => setTimeout(resume, MIGRATION_POLL_MS));
    }
    await internal.ensureSystemDatabase(UNUSED_URL, logger, pool, DBOS_SCHEMA, false);
    await holder.query("SELECT pg_advisory_unlock($1)", [MIGRATION_LOCK]);
    holder.release();
  } catch (error) {
    // The lock goes with its connection.
    holder.release(true);
    throw error;
  }
}

/** By queue: how many runs this process takes at once. */
const ownLimits = new Map<string, number>();

/**
 * DBOS has one number for all workers of a queue. Machines differ, so this worker goes by its own: wherever the queues
 * are read, it stands in place of the shared one. To be called before `DBOS.launch`.
 */
export async function limitThisWorker(queue: string, concurrency: number): Promise<void> {
  const { default: internal } = await import("@dbos-inc/dbos-sdk/internal/system_database");
  const isFirst = ownLimits.size === 0;
  ownLimits.set(queue, concurrency);
  if (!isFirst) return;
  const { prototype } = internal.SystemDatabase;
  const { listQueues } = prototype;
  prototype.listQueues = async function (...names) {
    const records = await listQueues.apply(this, names);
    return records.map(record => ({
      ...record,
      workerConcurrency: ownLimits.get(record.name) ?? record.workerConcurrency,
    }));
  };
}
