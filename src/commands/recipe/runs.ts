import {
  CommandError,
  type CommandInvocation,
  defineCommand,
  type OptionValues,
  option,
  usageError,
} from "../../cli/index.ts";
import {
  loadDocumentText,
  loadPrintLog,
  loadRunQueries,
  loadRunRecords,
  loadRunRequest,
  type QueuedRun,
  type RecipeFormat,
  type RecordedRun,
} from "../../recipes/index.ts";
import type { System } from "../../system/index.ts";
import { DATABASE_OPTIONS, findRunId, resolveQueue, withRuns } from "./database.ts";
import { FORMAT, NOT_FOUND_EXIT_CODE, QUEUED_RUN } from "./options.ts";
import { queuedRunDetails, runDocument, runsTable } from "./runs-view.ts";

interface Wanted {
  /** one run, with its steps */
  readonly wanted: string | undefined;
  readonly limit: number;
  readonly queue: string | undefined;
}

/** `recipe runs --url`: what was submitted to a database. */
async function showQueuedRuns(
  { system, terminal }: Pick<CommandInvocation, "system" | "terminal">,
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

const DEFAULT_LIMIT = 20;

export const runsCommand = defineCommand({
  name: "runs",
  summary: "list the runs of recipes: what runs, how the others ended, which can go on",
  details: `
A run that was killed is told from one that still runs. The beginning of an id
is enough, here and for recipe run --resume. The newest 200 runs are kept. With
--url the runs are those that were submitted to that database, by anybody.`,
  positionals: [
    {
      name: "RUN",
      summary: "show the steps of this run: its id, its beginning, or last",
      isOptional: true,
      completes: "run",
    },
  ],
  options: {
    limit: option.number("N", `how many at most (${DEFAULT_LIMIT} by default)`, { short: "n", minimum: 1 }),
    ...DATABASE_OPTIONS,
    queue: option.string("NAME", "with --url: only those of this queue"),
    format: FORMAT,
  },
  forAgents: { use: "passes", asksAbroad: "url" },
  examples: {
    "amplihack recipe runs": "lists the last runs, newest first",
    "amplihack recipe runs last": "shows how far the newest run came, step by step",
    "amplihack recipe runs --url postgres://ann@db/agents": "lists what was submitted there",
  },
  async run({ options, positionals, system, terminal }) {
    if (options.url !== undefined) {
      const limit = options.limit ?? DEFAULT_LIMIT;
      const queue = options.queue === undefined ? undefined : resolveQueue(options.queue);
      return showQueuedRuns({ system, terminal }, options, { wanted: positionals[0], limit, queue });
    }
    if (options.queue !== undefined)
      throw usageError("--queue needs a database", "add --url postgres://USER@HOST/DATABASE");
    const { listRuns } = await loadRunRecords();
    const { stateDirectory } = await loadRunRequest();
    const stateDir = stateDirectory(system);
    if (stateDir === undefined)
      throw new CommandError("there is no home folder, so there are no runs", {
        kind: "environment",
        fix: "set HOME",
      });
    const { runDocument, runDetails, runsTable, runsHint } = await import("./runs-view.ts");
    const [wanted] = positionals;
    const runs =
      wanted === undefined
        ? listRuns(system, stateDir, options.limit ?? DEFAULT_LIMIT)
        : [await findWanted(system, stateDir, wanted)];
    if (options.format !== "table") {
      const { documentText } = await loadDocumentText();
      const documents = runs.map(runDocument);
      terminal.print(documentText(wanted === undefined ? documents : documents[0], options.format));
      return 0;
    }
    const view = { terminal, columns: terminal.columns, nowMs: system.clock.nowMs() };
    const [first] = runs;
    if (wanted !== undefined && first !== undefined) terminal.print(runDetails(first, view));
    else terminal.print(runsTable(runs, view));
    terminal.note(runsHint(runs, wanted !== undefined, system.files.workingDirectory() ?? "/"));
    return 0;
  },
});

async function findWanted(system: System, stateDir: string, wanted: string): Promise<RecordedRun> {
  const { findRun, listRunIds } = await loadRunRecords();
  const ids = listRunIds(system, stateDir);
  const meant = wanted === "last" ? ids.slice(0, 1) : ids.filter(id => id.startsWith(wanted));
  if (meant.length > 1 && !ids.includes(wanted))
    throw usageError(
      `${meant.length} runs begin with '${wanted}': ${meant.slice(0, 5).join(", ")}`,
      "give more of the id: amplihack recipe runs",
    );
  const id = ids.includes(wanted) ? wanted : meant[0];
  const found = id === undefined ? undefined : findRun(system, stateDir, id);
  if (found !== undefined) return found;
  throw new CommandError(wanted === "last" ? "no recipe has been run yet" : `there is no run '${wanted}'`, {
    kind: "not-found",
    exitCode: NOT_FOUND_EXIT_CODE,
    fix: wanted === "last" ? "amplihack recipe list" : "amplihack recipe runs",
  });
}

export const logsCommand = defineCommand({
  name: "logs",
  summary: "print what the steps of a submitted run have printed",
  details: "What looks like a secret is taken out. At most 4 MB are kept of each attempt.",
  positionals: [QUEUED_RUN],
  options: {
    ...DATABASE_OPTIONS,
    follow: option.boolean("go on until the run is over; its exit code is ours"),
    format: option.choice(["text", "json"], "json: an object for each event", {
      short: "f",
      initial: "text",
    }),
  },
  forAgents: { use: "passes", asksAbroad: "url" },
  examples: {
    "amplihack recipe logs 3f2a --url postgres://ann@db/agents": "prints what is there",
    "amplihack recipe logs last --url --follow": "watches the newest run",
  },
  async run({ options, positionals, system, terminal }) {
    const { printLog } = await loadPrintLog();
    return withRuns(system, options, async connection => {
      const runId = await findRunId(connection, positionals[0] ?? "", options.url);
      const view = { isFollowing: options.follow, isJson: options.format === "json", print: terminal.print };
      return printLog(connection.database, runId, view);
    });
  },
});
