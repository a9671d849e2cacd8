import { defineCommand, option } from "../../cli/index.ts";
import { loadSubmitInTerminal } from "../../recipes/index.ts";
import { DATABASE_OPTIONS, QUEUE, queueOf, urlWords, withRuns } from "./database.ts";
import { FORMAT, outputOf, RECIPE, RUN_OPTIONS, requestOf } from "./options.ts";

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
    wait: option.boolean("show what happens and end as the run does"),
    ...RUN_OPTIONS,
    "working-dir": option.string("DIR", "directory to find recipes from", { short: "w" }),
    format: FORMAT,
  },
  // What is submitted runs where no guard of this session sees it.
  forAgents: "asks",
  examples: {
    "amplihack recipe submit deploy --url postgres://ann@db/agents": "prints the id of the run",
    "amplihack recipe submit deploy --url --wait -c 'target=staging'":
      "with AMPLIHACK_DATABASE_URL; shows its progress and its result",
  },
  async run(invocation) {
    const { options, positionals, system, terminal, isQuiet } = invocation;
    const queue = queueOf(options.queue);
    const { submitInTerminal } = await loadSubmitInTerminal();
    const request = requestOf(positionals[0], options);
    const display = { format: options.format, isQuiet, waits: options.wait };
    return withRuns(system, options, connection =>
      submitInTerminal(
        request,
        { queue, urlWords: urlWords(options.url), connection, note: terminal.note },
        display,
        outputOf(invocation),
      ),
    );
  },
});
