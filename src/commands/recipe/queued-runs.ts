import type { Invocation, OptionValues } from "../../cli/index.ts";
import { loadDocumentText, loadRunQueries, type QueuedRun, type RecipeFormat } from "../../recipes/index.ts";
import { type DATABASE_OPTIONS, findRunId, withRuns } from "./database.ts";
import { queuedRunDetails, runDocument, runsTable } from "./runs-view.ts";

interface Wanted {
  /** one run, with its steps */
  readonly wanted: string | undefined;
  readonly limit: number;
  readonly queue: string | undefined;
}

/** `recipe runs --url`: what was submitted to a database. */
export async function showQueuedRuns(
  { system, terminal }: Pick<Invocation, "system" | "terminal">,
  options: OptionValues<typeof DATABASE_OPTIONS> & { readonly format: RecipeFormat },
  { wanted, limit, queue }: Wanted,
): Promise<number> {
  const { findQueuedRun, hasTables, listQueuedRuns } = await loadRunQueries();
  const runs = await withRuns(system, options, async connection => {
    const { database } = connection;
    const nowMs = system.clock.nowMs();
    if (wanted !== undefined) {
      const found = await findQueuedRun(database, nowMs, await findRunId(connection, wanted, options.url));
      return found === undefined ? [] : [found];
    }
    return (await hasTables(database)) ? listQueuedRuns(database, nowMs, { limit, queue }) : [];
  });
  const [first] = runs;
  if (options.format !== "table") {
    const { documentText } = await loadDocumentText();
    const documents = runs.map(queuedRunDocument);
    terminal.print(documentText(wanted === undefined ? documents : documents[0], options.format));
    return 0;
  }
  const view = { terminal, columns: terminal.columns, nowMs: system.clock.nowMs() };
  if (wanted !== undefined && first !== undefined) terminal.print(queuedRunDetails(first, view));
  else terminal.print(runsTable(runs, view));
  if (runs.length === 0)
    terminal.note("Nothing was submitted there yet: amplihack recipe submit RECIPE --url …\n");
  return 0;
}

function queuedRunDocument(run: QueuedRun): object {
  return {
    ...runDocument(run),
    queue: run.queue,
    worker: run.worker,
    submitted: new Date(run.submittedMs).toISOString(),
    submitted_by: run.submittedBy,
    attempts: run.attempts,
    exit_code: run.exitCode,
    error: run.error,
  };
}
