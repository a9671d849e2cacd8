import type { DBOSClient } from "@dbos-inc/dbos-sdk";
import type { Pool } from "pg";
import {
  closePool,
  createPool,
  Database,
  type DatabaseAddress,
  type Migration,
  migrate,
  SCHEMA,
  SERVER_ROLE,
  translate,
} from "../../postgres/index.ts";
import { createClient, DBOS_SCHEMA, migrateDbos, RUNS } from "./dbos.ts";
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
  await migrate(connection.database, "recipe owners", [SUBMITTERS]);
  await showRunsToServer(connection.database);
}

const OF_TEAM = "starts_with(queue_name, current_setting('amplihack.team', true) || ':')";
const OF_RUN = (id: string) => `EXISTS (SELECT FROM ${RUNS} r WHERE r.workflow_uuid = ${id})`;
const SHOWN_OF_RUNS = `workflow_uuid, status, executor_id, attributes, created_at, started_at_epoch_ms, completed_at,
  recovery_attempts, queue_name, application_name, name`;

/**
 * Lets a team's server read the runs of the queues of one team at a time, and nothing that was given to them. Tables and
 * role come in any order, so both who makes the one and who makes the other ask for this; it is done once.
 */
export async function showRunsToServer({ run }: Database): Promise<void> {
  const show = (table: string, shown: string, condition: string) => `
    ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
    CREATE POLICY everybody ON ${table} USING (true) WITH CHECK (true);
    CREATE POLICY server_only ON ${table} AS RESTRICTIVE TO ${SERVER_ROLE} USING (${condition});
    GRANT SELECT (${shown}) ON ${table} TO ${SERVER_ROLE};`;
  await run(`DO $show$ BEGIN
    PERFORM set_config('lock_timeout', '5s', true);
    IF to_regclass('${RUNS}') IS NULL OR to_regclass('${SCHEMA}.recipe_log') IS NULL
      OR NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${SERVER_ROLE}')
      OR EXISTS (SELECT FROM pg_policy WHERE polrelid = to_regclass('${RUNS}') AND polname = 'server_only')
      OR NOT (SELECT bool_and(pg_has_role(relowner, 'USAGE')) FROM pg_class
        WHERE oid IN (to_regclass('${RUNS}'), to_regclass('${SCHEMA}.recipe_log'))) THEN RETURN;
    END IF;
    GRANT USAGE ON SCHEMA ${DBOS_SCHEMA}, ${SCHEMA} TO ${SERVER_ROLE};
    ${show(RUNS, SHOWN_OF_RUNS, OF_TEAM)}
    ${show(`${DBOS_SCHEMA}.workflow_output`, "workflow_uuid, output, error", OF_RUN("workflow_uuid"))}
    ${show(`${SCHEMA}.recipe_log`, "run_id, seq, worker, is_output, record", OF_RUN("run_id"))}
  END $show$`);
}

/**
 * Who submitted a run is whom the server let in; of what the client says of itself only the machine counts. A queue
 * with a team in its name (`payments:nightly`) takes runs from members of the team alone.
 */
const SUBMITTERS: Migration = [
  `CREATE FUNCTION ${SCHEMA}.run_submitting() RETURNS trigger LANGUAGE plpgsql
     SET search_path = pg_catalog, ${SCHEMA}, pg_temp
     AS $$ DECLARE of_team text := split_part(NEW.queue_name, ':', 1);
     BEGIN
       IF TG_OP = 'UPDATE' THEN
         NEW.attributes := jsonb_set(coalesce(NEW.attributes, '{}'), '{by}', coalesce(OLD.attributes->'by', 'null'));
         NEW.authenticated_user := OLD.authenticated_user;
         RETURN NEW;
       END IF;
       IF strpos(NEW.queue_name, ':') > 0 THEN
         IF to_regclass('${SCHEMA}.members') IS NULL THEN
           RAISE insufficient_privilege USING MESSAGE = 'there are no teams here';
         END IF;
         IF NOT may_see(of_team, '') THEN
           RAISE insufficient_privilege USING MESSAGE = 'only members of a team may submit to its queues';
         END IF;
       END IF;
       NEW.attributes := jsonb_set(coalesce(NEW.attributes, '{}'), '{by}', to_jsonb(
         session_user || '@' || regexp_replace(coalesce(NEW.attributes->>'by', ''), '^.*@', '')));
       NEW.authenticated_user := session_user;
       RETURN NEW;
     END $$`,
  `CREATE TRIGGER amplihack_submitting BEFORE INSERT OR UPDATE OF attributes, authenticated_user
     ON ${RUNS} FOR EACH ROW EXECUTE FUNCTION ${SCHEMA}.run_submitting()`,
];
