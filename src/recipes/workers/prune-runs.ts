import { SCHEMA } from "../../postgres/index.ts";
import { type Connection, withClient } from "./connection.ts";
import { findEndedRuns } from "./run-queries.ts";

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
