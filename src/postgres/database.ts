import type { Pool, PoolClient } from "pg";
import { closePool, createPool } from "./connect.ts";
import { isRetryable, PostgresError, translate } from "./postgres-error.ts";
import { SET_PATH } from "./schema.ts";
import { type DatabaseAddress, describeAddress } from "./url.ts";

export interface DatabaseOptions {
  /** how many statements run at the same time */
  readonly maxConnections?: number;
  readonly connectTimeoutMs?: number;
  /** the server ends a statement that takes longer */
  readonly statementTimeoutMs?: number;
  /** the server ends a transaction that waits longer for its next statement */
  readonly maxIdleInTransactionMs?: number;
}

const DEFAULTS = {
  maxConnections: 4,
  connectTimeoutMs: 10_000,
  statementTimeoutMs: 30_000,
  maxIdleInTransactionMs: 30_000,
} as const;
const IDLE_MS = 10_000;
const MAX_ATTEMPTS = 5;
/** The longest that a timer waits. */
const LONGEST_MS = 2 ** 31 - 1;

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
  }

  /** Connects with the first statement, not before. */
  static async open(address: DatabaseAddress, options: DatabaseOptions = {}): Promise<Database> {
    const { maxConnections, statementTimeoutMs, connectTimeoutMs, maxIdleInTransactionMs } = {
      ...DEFAULTS,
      ...options,
    };
    const settings = {
      max: maxConnections,
      connectionTimeoutMillis: connectTimeoutMs,
      idleTimeoutMillis: IDLE_MS,
      statement_timeout: statementTimeoutMs,
      // A program that is stopped inside a transaction keeps its connection alive, and others from writing.
      idle_in_transaction_session_timeout: maxIdleInTransactionMs,
      // A server that is gone answers nothing, not even that.
      query_timeout: statementTimeoutMs + connectTimeoutMs,
    };
    const pool = await createPool(address, settings, client => client.query(SET_PATH));
    return new Database(pool, describeAddress(address));
  }

  /**
   * The same database, of which every statement sees one team: the server itself holds rows back by this role and name.
   * What is written is that person's.
   * Closing it closes nothing.
   */
  ofTeam(role: string, team: string, person = ""): Database {
    const scoped = new Database(this.pool, this.place);
    const enter = async (run: RunSql): Promise<void> => {
      await run(
        `SELECT set_config('role', $1, true), set_config('amplihack.team', $2, true),
           set_config('amplihack.person', $3, true)`,
        [role, team, person],
      );
    };
    scoped.transaction = work =>
      this.transaction(async run => {
        await enter(run);
        return work(run);
      });
    scoped.run = (sql, values) => scoped.transaction(run => run(sql, values));
    scoped.close = () => Promise.resolve();
    return scoped;
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
  transaction: <T>(
    work: (run: RunSql) => Promise<T>,
    options?: { readonly hasNoTimeLimit?: boolean },
  ) => Promise<T> = async (work, options) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.tryTransaction(work, options?.hasNoTimeLimit === true);
      } catch (error) {
        if (attempt < MAX_ATTEMPTS && isRetryable(error)) continue;
        throw translate(error, this.place);
      }
    }
  };

  private async tryTransaction<T>(work: (run: RunSql) => Promise<T>, hasNoTimeLimit: boolean): Promise<T> {
    const client = await this.pool.connect();
    let failure: unknown;
    try {
      await client.query("BEGIN");
      if (hasNoTimeLimit) await client.query("SET LOCAL statement_timeout = 0");
      const limit = hasNoTimeLimit ? { query_timeout: LONGEST_MS } : {};
      const result = await work(
        async (text, values = []) => (await client.query({ text, values: [...values], ...limit })).rows,
      );
      await client.query("COMMIT");
      return result;
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      // A connection whose transaction did not end as it should is not used again.
      client.release(failure === undefined || (await this.rollBack(client, failure)) ? undefined : true);
    }
  }

  private async rollBack(client: PoolClient, failure: unknown): Promise<boolean> {
    const problem = translate(failure, this.place);
    // It would wait as long as the statement before it, for the same silence. The server does it with the connection.
    if (problem instanceof PostgresError && problem.problem === "offline") return false;
    try {
      await client.query("ROLLBACK");
      return true;
    } catch {
      return false;
    }
  }

  /** Does not wait for a server that is gone. */
  close: () => Promise<void> = () => closePool(this.pool);
}
