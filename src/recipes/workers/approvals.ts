import { type Database, SCHEMA } from "../../postgres/index.ts";
import type { Approve } from "../logs/events.ts";
import type { Interruption } from "../run/interruption.ts";

const APPROVALS = `${SCHEMA}.recipe_approvals`;
const POLL_MS = 1_000;

/** Asks in the database, and waits for whoever answers there. The question outlives the worker. */
export function approveInDatabase(
  { run }: Pick<Database, "run">,
  runId: string,
  interruption: Interruption,
): Approve {
  return async ({ path }, question) => {
    for (;;) {
      try {
        await run(
          `INSERT INTO ${APPROVALS} (run_id, path, question) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
          [runId, path, question],
        );
        const [row] = await run(
          `SELECT is_approved, answered_by FROM ${APPROVALS} WHERE run_id = $1 AND path = $2`,
          [runId, path],
        );
        if (typeof row?.["is_approved"] === "boolean")
          return { isApproved: row["is_approved"], by: String(row["answered_by"]) };
      } catch {
        // A database that is away for long ends the whole worker; see its lock.
      }
      if (interruption.signal !== undefined) return undefined;
      await interruption.pause(POLL_MS);
    }
  };
}

export interface OpenApproval {
  readonly path: string;
  readonly question: string;
}

/** What a run waits for. */
export async function openApprovals(
  { run }: Pick<Database, "run">,
  runId: string,
): Promise<readonly OpenApproval[]> {
  const rows = await run(
    `SELECT path, question FROM ${APPROVALS} WHERE run_id = $1 AND is_approved IS NULL ORDER BY asked, path`,
    [runId],
  );
  return rows.map(({ path, question }) => ({ path: String(path), question: String(question) }));
}

/** False where somebody was faster. */
export async function answerApproval(
  { run }: Pick<Database, "run">,
  runId: string,
  path: string,
  isApproved: boolean,
): Promise<boolean> {
  const rows = await run(
    `UPDATE ${APPROVALS} SET is_approved = $3 WHERE run_id = $1 AND path = $2 AND is_approved IS NULL
     RETURNING path`,
    [runId, path, isApproved],
  );
  return rows.length > 0;
}
