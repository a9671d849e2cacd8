import type { RunState } from "../logs/run-records.ts";
import { type Connection, withClient } from "./connection.ts";
import { findRunState } from "./run-queries.ts";

/** Answers the state of the run afterwards: one that was over before stays as it was. */
export async function cancelRun(connection: Connection, runId: string): Promise<RunState | undefined> {
  await withClient(connection, client => client.cancelWorkflow(runId));
  return (await findRunState(connection.database, runId))?.state;
}
