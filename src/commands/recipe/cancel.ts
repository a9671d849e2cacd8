import { CommandError, defineCommand, FORMAT_OPTION } from "../../cli/index.ts";
import { loadCancelRun } from "../../recipes/index.ts";
import { DATABASE_OPTIONS, findRunId, urlWords, withRuns } from "./database.ts";
import { QUEUED_RUN } from "./options.ts";

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
