import { readFileSync } from "node:fs";
import type { ClientConfig, Pool, PoolClient } from "pg";
import { errorText } from "../protocol/error-text.ts";
import { isRetryable, PostgresError, translate } from "./postgres-error.ts";
import { type DatabaseAddress, describeAddress, isLocal } from "./url.ts";

export interface DatabaseOptions {
  /** how many statements run at the same time */
  readonly maxConnections?: number;
  readonly connectTimeoutMs?: number;
  /** the server ends a statement that takes longer */
  readonly statementTimeoutMs?: number;
}

const DEFAULTS = { maxConnections: 4, connectTimeoutMs: 10_000, statementTimeoutMs: 30_000 } as const;
const IDLE_MS = 10_000;
const MAX_ATTEMPTS = 5;

/** Values as the driver writes and reads them; `bigint` columns come as text. */
export type SqlValue = string | number | boolean | null | Date | readonly string[] | readonly number[];
export type Row = Readonly<Record<string, unknown>>;

/** Runs one statement. `$1`, `$2` … stand for the values; text never becomes part of a statement. */
export type RunSql = (sql: string, values?: readonly SqlValue[]) => Promise<readonly Row[]>;

/** A pool of connections to one database. All failures are `PostgresError`. */
export class Database {
  readonly place: string;
  private readonly pool: Pool;

  private constructor(pool: Pool, place: string) {
    this.pool = pool;
    this.place = place;
    // A connection that breaks while nobody uses it is replaced; without a listener it would end the program.
    pool.on("error", () => {});
    // One that breaks inside a transaction fails the statement at hand, and says so a second time to nobody.
    pool.on("connect", client => client.on("error", () => {}));
  }

  /** Connects with the first statement, not before. */
  static async open(address: DatabaseAddress, options: DatabaseOptions = {}): Promise<Database> {
    const { default: pg } = await import("pg");
    const { maxConnections, statementTimeoutMs, connectTimeoutMs } = { ...DEFAULTS, ...options };
    const pool = new pg.Pool({
      ...clientConfig(address),
      max: maxConnections,
      connectionTimeoutMillis: connectTimeoutMs,
      idleTimeoutMillis: IDLE_MS,
      statement_timeout: statementTimeoutMs,
      // A server that is gone answers nothing, not even that.
      query_timeout: statementTimeoutMs + connectTimeoutMs,
      allowExitOnIdle: true,
    });
    return new Database(pool, describeAddress(address));
  }

  run: RunSql = async (sql, values = []) => {
    try {
      const { rows } = await this.pool.query(sql, [...values]);
      return rows as readonly Row[];
    } catch (error) {
      throw translate(error, this.place);
    }
  };

  /** All of it or nothing. Tried again when another transaction stood in the way, so `work` may run several times. */
  async transaction<T>(work: (run: RunSql) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.tryTransaction(work);
      } catch (error) {
        if (attempt < MAX_ATTEMPTS && isRetryable(error)) continue;
        throw translate(error, this.place);
      }
    }
  }

  private async tryTransaction<T>(work: (run: RunSql) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let failure: unknown;
    try {
      await client.query("BEGIN");
      const result = await work(async (sql, values = []) => (await client.query(sql, [...values])).rows);
      await client.query("COMMIT");
      return result;
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      // A connection whose transaction did not end as it should is not used again.
      client.release(failure === undefined || (await rollBack(client)) ? undefined : true);
    }
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}

async function rollBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query("ROLLBACK");
    return true;
  } catch {
    return false;
  }
}

/** For a driver that is used by itself. */
export function clientConfig(address: DatabaseAddress): ClientConfig {
  checkEnvironment(address, process.env["PGHOST"]);
  const { host, port, database, user, password, tls } = address;
  const given = { host, port, database, user, password };
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    ssl: tls === "disable" ? false : tlsOptions(address),
    keepAlive: true,
    application_name: "amplihack",
  };
}

/** The driver goes by PGHOST where the URL names no host, and that was taken for this machine: reached without TLS. */
function checkEnvironment({ host }: DatabaseAddress, announced: string | undefined): void {
  if (host !== undefined || announced === undefined || announced === "" || isLocal(announced)) return;
  throw new PostgresError(
    "refused",
    `the URL names no host, and PGHOST names another machine, ${announced}`,
    {
      fix: "name the host in the URL: postgres://USER@HOST/DATABASE",
    },
  );
}

function tlsOptions({ tls, rootCertificate, certificate, key }: DatabaseAddress) {
  return {
    // As libpq has it: `require` encrypts and trusts anybody, unless an authority is named.
    rejectUnauthorized: tls !== "require" || rootCertificate !== undefined,
    ...(tls === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
    ...(rootCertificate === undefined ? {} : { ca: readPem(rootCertificate) }),
    ...(certificate === undefined ? {} : { cert: readPem(certificate) }),
    ...(key === undefined ? {} : { key: readPem(key) }),
  };
}

function readPem(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new PostgresError(
      "refused",
      `a file that the URL of the database names cannot be read: ${errorText(error)}`,
    );
  }
}
