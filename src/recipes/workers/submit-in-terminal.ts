import type { JsonObject } from "../../protocol/index.ts";
import type { RunOutcome } from "../run/result.ts";
import { refusalDocument } from "../run/result-document.ts";
import { refusedOutcome } from "../run/run-recipe.ts";
import { RunRefusal, type RunRequest } from "../run/run-request.ts";
import { type CommandOutput, explainRefusal, type RecipeFormat } from "../run-in-terminal.ts";
import { documentText } from "../views/document-text.ts";
import { resultTable } from "../views/result-view.ts";
import { type Connection, prepareTables } from "./connection.ts";
import { printLog } from "./print-log.ts";
import { readResult } from "./run-queries.ts";
import { enqueueRun, type PackedRun, packRun } from "./submit.ts";

interface SubmitTarget {
  readonly queue: string;
  /** how the database is named again in a command */
  readonly urlWords: string;
  readonly connection: Connection;
  /** for what a person may want to know next */
  readonly note: (text: string) => void;
}

interface SubmitDisplay {
  readonly format: RecipeFormat;
  readonly isQuiet: boolean;
  /** until the run is over */
  readonly waits: boolean;
}

/** Submits a recipe and prints its id, or waits for it and prints its result. Returns the exit code. */
export async function submitInTerminal(
  request: RunRequest,
  { queue, urlWords, connection, note }: SubmitTarget,
  { format, isQuiet, waits }: SubmitDisplay,
  output: CommandOutput,
): Promise<number> {
  const { print, warn } = output;
  const packed = pack(request, output);
  if ("exitCode" in packed) {
    explainRefusal(packed, output);
    if (format !== "table") print(documentText(packed.document, format));
    return packed.exitCode;
  }
  for (const warning of packed.warnings) warn(`Warning: ${warning}\n`);
  await prepareTables(connection);
  const runId = await enqueueRun(connection, queue, packed);
  if (!waits) {
    const document = { run_id: runId, recipe_name: packed.recipe, queue, state: "queued" };
    print(format === "table" ? `${runId}\n` : documentText(document, format));
    note(`Follow it: amplihack recipe logs ${runId.slice(0, 8)} ${urlWords} --follow\n`);
    return 0;
  }
  note(`Submitted ${runId}\n`);
  const { database } = connection;
  const exitCode = await printLog(database, runId, {
    isFollowing: true,
    isJson: false,
    print: text => (isQuiet ? undefined : warn(text)),
  });
  const document = (await readResult(database, runId)) ?? withoutResult(runId, packed.recipe);
  print(format === "table" ? resultTable(document, false) : documentText(document, format));
  return exitCode;
}

function pack(request: RunRequest, { system }: CommandOutput): PackedRun | RunOutcome {
  try {
    return packRun(system, request);
  } catch (error) {
    if (error instanceof RunRefusal) return refusedOutcome(request.recipe, "", error);
    throw error;
  }
}

function withoutResult(runId: string, recipe: string): JsonObject {
  const message = "The run was cancelled, or its workers ended again and again";
  return { ...refusalDocument(recipe, runId, "internal", message) } as unknown as JsonObject;
}
