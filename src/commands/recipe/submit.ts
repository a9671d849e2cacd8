import { CommandError, defineCommand, FORMAT_OPTION, option } from "../../cli/index.ts";
import { loadCancelRun, loadSubmitInTerminal } from "../../recipes/index.ts";
import { DATABASE_OPTIONS, findRunId, QUEUE, resolveQueue, TEAM, urlWords, withRuns } from "./database.ts";
import { FORMAT, QUEUED_RUN, RECIPE, RUN_OPTIONS, toCommandOutput, toRunRequest } from "./options.ts";

export const submitCommand = defineCommand({
  name: "submit",
  summary: "put a run on a queue, for a worker on any machine",
  details: `
The recipe goes into the database with its sub-recipes and parents, variables
and these options. Files, programs, agents and credentials are the worker's.
What AMPLIHACK_CONTEXT_… and the like set is taken from here.`,
  positionals: [RECIPE],
  options: {
    ...DATABASE_OPTIONS,
    queue: QUEUE,
    team: TEAM,
    wait: option.boolean("show what happens and end as the run does"),
    key: option.string("KEY", "the same key is the same run, however often it is submitted"),
    priority: option.number("N", "1 is taken first; runs without one before all others", {
      minimum: 1,
      maximum: 1_000_000,
    }),
    ...RUN_OPTIONS,
    "working-dir": option.string("DIR", "directory to find recipes from", { short: "w" }),
    format: FORMAT,
  },
  // What is submitted runs where no guard of this session sees it.
  forAgents: { use: "asks", runs: "recipe", runsFile: ["context-file"] },
  examples: {
    "amplihack recipe submit deploy --url postgres://ann@db/agents": "prints the id of the run",
    "amplihack recipe submit deploy --url --wait -c 'target=staging'":
      "with AMPLIHACK_DATABASE_URL; shows its progress and its result",
  },
  async run(invocation) {
    const { options, positionals, system, terminal, isQuiet } = invocation;
    const queue = resolveQueue(options.queue, options.team);
    const { submitInTerminal } = await loadSubmitInTerminal();
    const request = toRunRequest(positionals[0], options);
    const display = { format: options.format, isQuiet, waits: options.wait };
    return withRuns(system, options, connection =>
      submitInTerminal(
        request,
        {
          queue,
          urlWords: urlWords(options.url),
          connection,
          note: terminal.note,
          options: { key: options.key, priority: options.priority },
        },
        display,
        toCommandOutput(invocation),
      ),
    );
  },
});

export const cancelCommand = defineCommand({
  name: "cancel",
  summary: "cancel a submitted run, wherever it is",
  details: `
The worker that has it ends the running step within seconds. Steps that have
ended stay as they are.`,
  positionals: [QUEUED_RUN],
  options: { ...DATABASE_OPTIONS, format: FORMAT_OPTION },
  forAgents: "asks",
  examples: {
    "amplihack recipe cancel 3f2a --url postgres://ann@db/agents": "ends one run",
  },
  async run({ options, positionals, system, terminal }) {
    const { cancelRun } = await loadCancelRun();
    return withRuns(system, options, async connection => {
      const runId = await findRunId(connection, positionals[0] ?? "", options.url);
      const state = await cancelRun(connection, runId);
      if (state !== "cancelled")
        throw new CommandError(`run ${runId} is over: ${state ?? "it is gone"}`, {
          kind: "over",
          fix: `amplihack recipe runs ${runId} ${urlWords(options.url)}`,
        });
      terminal.printResult(options.format, { success: true, run_id: runId }, `Cancelled ${runId}\n`);
      return 0;
    });
  },
});
