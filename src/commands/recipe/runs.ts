import { CommandError, defineCommand, option, usageError } from "../../cli/index.ts";
import { loadDocumentText, loadRunRecords, loadRunRequest, type RecordedRun } from "../../recipes/index.ts";
import type { System } from "../../system/index.ts";
import { DATABASE_OPTIONS, queueOf } from "./database.ts";
import { checkRunWord, FORMAT, NOT_FOUND_EXIT_CODE } from "./options.ts";

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
      const { showQueuedRuns } = await import("./queued-runs.ts");
      const limit = options.limit ?? DEFAULT_LIMIT;
      const queue = options.queue === undefined ? undefined : queueOf(options.queue);
      return showQueuedRuns({ system, terminal }, options, { wanted: positionals[0], limit, queue });
    }
    if (options.queue !== undefined)
      throw usageError("--queue needs a database", "add --url postgres://USER@HOST/DATABASE");
    const { listRuns } = await loadRunRecords();
    const { stateDirectory } = await loadRunRequest();
    const stateDir = stateDirectory(system);
    if (stateDir === undefined)
      throw new CommandError("there is no home directory, hence no runs", {
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
  checkRunWord(wanted);
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
