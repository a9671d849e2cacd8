import type { DBOSClient } from "@dbos-inc/dbos-sdk";
import type { Pool } from "pg";
import { closePool, createPool, Database, type DatabaseAddress, translate } from "../../postgres/index.ts";
import { createClient, migrateDbos } from "./dbos.ts";
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

/** What DBOS does fails as our own statements do. */
export async function withDbos<T>({ database }: Connection, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translate(error, database.place);
  }
}

/** For those who submit, look and cancel. DBOS tries for ever to reach a server that went away; they do not wait for it. */
export function withClient<T>(connection: Connection, work: (client: DBOSClient) => Promise<T>): Promise<T> {
  return withDbos(connection, async () => {
    let timer: NodeJS.Timeout | undefined;
    const expired = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("timeout")), ANSWER_MS);
    });
    try {
      return await Promise.race([createClient(connection.pool).then(work), expired]);
    } finally {
      clearTimeout(timer);
    }
  });
}

/** Makes or updates the tables. Whoever submits may be the first, whoever works too. */
export async function prepareTables(connection: Connection): Promise<void> {
  await migrateLog(connection.database);
  await withDbos(connection, () => migrateDbos(connection.pool));
}
