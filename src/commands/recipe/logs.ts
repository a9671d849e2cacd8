import { defineCommand, option } from "../../cli/index.ts";
import { loadPrintLog } from "../../recipes/index.ts";
import { DATABASE_OPTIONS, findRunId, withRuns } from "./database.ts";
import { QUEUED_RUN } from "./options.ts";

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
