import { type Database, PASSWORD_VARIABLES, SCHEMA } from "../../postgres/index.ts";
import { errorText, type Json, type JsonObject, numberAt, stringAt } from "../../protocol/index.ts";
import type { System } from "../../system/index.ts";
import type { Approve } from "../logs/events.ts";
import type { Interruption } from "../run/interruption.ts";
import { createPrivateDirectory, removePrivateDirectory } from "../run/private-directory.ts";
import { EXIT_CODES, type RunOutcome } from "../run/result.ts";
import { refusedOutcome, runRecipe } from "../run/run-recipe.ts";
import { RunRefusal, type RunRequest } from "../run/run-request.ts";
import type { Journal } from "./journal.ts";
import { keepInDatabase } from "./kept-files.ts";
import { RunLogWriter } from "./run-log.ts";
import { parseSubmittedRun, type SubmittedRun, unpackRecipe } from "./submit.ts";

const APPROVALS = `${SCHEMA}.recipe_approvals`;
const POLL_MS = 1_000;

/** Asks in the database, and waits for whoever answers there. The question outlives the worker. */
function approveInDatabase(
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

/** What a worker brings to every run. */
export interface RunPlaceOptions {
  readonly system: System;
  readonly database: Database;
  readonly worker: string;
  readonly workingDir: string;
  /** what steps print goes into the log in the database */
  readonly logsOutput: boolean;
  readonly launcher: RunRequest["launcher"];
}

/** How a run ended, in few words: the workflow's own result, which lists are made from. */
export interface RunSummary {
  readonly status: string;
  readonly exitCode: number;
  readonly durationMs: number;
}

/** Runs what was submitted from where its journal says. Without a result the run is not over: it goes on elsewhere. */
export async function runSubmitted(
  options: RunPlaceOptions,
  run: { readonly runId: string; readonly input: Json | undefined; readonly interruption: Interruption },
  journal: Journal,
): Promise<JsonObject | undefined> {
  if (journal.result !== undefined) return journal.result;
  const { runId, interruption } = run;
  let submitted: SubmittedRun;
  try {
    submitted = parseSubmittedRun(run.input);
  } catch (error) {
    const refusal = new RunRefusal("bad_args", errorText(error));
    return finish(journal, interruption, refusedOutcome("", runId, refusal));
  }
  return finish(journal, interruption, await execute(options, runId, submitted, interruption, journal));
}

/** The result is recorded before anybody is told: once it is, nothing of the run is done again. */
async function finish(
  journal: Journal,
  interruption: Interruption,
  { document, exitCode }: RunOutcome,
): Promise<JsonObject | undefined> {
  // A step that was interrupted has not failed: it is done again where the run goes on.
  if (interruption.signal !== undefined) return undefined;
  const result: JsonObject = { exit_code: exitCode, document: document as JsonObject };
  await journal.finish(result);
  return journal.isAbandoned ? undefined : result;
}

async function execute(
  { system, database, worker, workingDir, logsOutput, launcher }: RunPlaceOptions,
  runId: string,
  { files, context, options }: SubmittedRun,
  interruption: Interruption,
  journal: Journal,
): Promise<RunOutcome> {
  const log = new RunLogWriter(system, database, { runId, worker, hasOutput: logsOutput });
  const folder = createPrivateDirectory(system);
  try {
    return await runRecipe(
      {
        ...options,
        recipe: unpackRecipe(system, folder, files),
        currentDir: workingDir,
        workingDir,
        isSealed: true,
        hidesContext: true,
        kept: journal.keep(runId, context),
        interruption,
        approve: approveInDatabase(database, runId, interruption),
        keepFiles: keepInDatabase(system, database, runId),
        launcher,
        observer: event => {
          if (event.kind !== "step_end" || !journal.hasEndedBefore(event.step.path)) log.add(event);
        },
      },
      withoutPasswords(system),
    );
  } finally {
    removePrivateDirectory(system, folder);
    // Of a run that is no longer ours the end of the log is not waited for: the database may be out of reach.
    const flushed = log.flush();
    if (!journal.isAbandoned) await flushed;
  }
}

/** The worker's way into the database is not for the steps: what one of them prints, others read in the log. */
function withoutPasswords(system: System): System {
  const { env } = system;
  const isOwn = (name: string): boolean => PASSWORD_VARIABLES.includes(name);
  return {
    ...system,
    env: {
      get: name => (isOwn(name) ? undefined : env.get(name)),
      names: () => env.names().filter(name => !isOwn(name)),
    },
  };
}

/** Of what `runSubmitted` answered. */
export function summarise(result: JsonObject): RunSummary {
  const document = result["document"];
  return {
    status: stringAt(document, "status") ?? "ERROR",
    exitCode: numberAt(result, "exit_code") ?? EXIT_CODES.failed,
    durationMs: Math.round((numberAt(document, "duration") ?? 0) * 1000),
  };
}
