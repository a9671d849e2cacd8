import type { Pool } from "pg";
import { closePool, createPool } from "../../postgres/connect.ts";
import { Database } from "../../postgres/database.ts";
import { translate } from "../../postgres/postgres-error.ts";
import { type DatabaseAddress, describeAddress } from "../../postgres/url.ts";
import { migrateDbos } from "./dbos.ts";
import { migrateLog } from "./run-log.ts";

const CONNECT_MS = 10_000;
const ANSWER_MS = 30_000;

/** A database with runs of recipes: a pool for DBOS, and one for our own statements. */
export interface Connection {
  readonly database: Database;
  readonly pool: Pool;
  /** Does not wait for a server that is gone. */
  close(): Promise<void>;
}

interface ConnectionOptions {
  readonly connections?: number;
  /** how the server's list of connections calls it */
  readonly name?: string;
}

/** Connects with the first statement, not before. */
export async function openConnection(
  address: DatabaseAddress,
  { connections = 4, name = "amplihack" }: ConnectionOptions = {},
): Promise<Connection> {
  const database = await Database.open(address);
  const pool = await createPool(address, {
    application_name: name,
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    idle_in_transaction_session_timeout: ANSWER_MS,
  });
  return {
    database,
    pool,
    async close() {
      await Promise.allSettled([closePool(pool), database.close()]);
    },
  };
}

/** Makes or updates the tables. Whoever submits may be the first, whoever works too. */
export async function prepareTables(address: DatabaseAddress, { pool, database }: Connection): Promise<void> {
  await migrateLog(database);
  try {
    await migrateDbos(pool);
  } catch (error) {
    throw translate(error, describeAddress(address));
  }
}
