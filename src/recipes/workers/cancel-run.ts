import type { RunState } from "../logs/run-records.ts";
import type { Connection } from "./connection.ts";
import { createClient } from "./dbos.ts";
import { findRunState } from "./run-queries.ts";

/** Answers the state of the run afterwards: one that was over before stays as it was. */
export async function cancelRun(
  { pool, database }: Connection,
  runId: string,
): Promise<RunState | undefined> {
  const client = await createClient(pool);
  await client.cancelWorkflow(runId);
  return (await findRunState(database, runId))?.state;
}
