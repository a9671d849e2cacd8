import { defineCommand } from "../../cli/command.ts";
import { option } from "../../cli/option.ts";
import { DATABASE_OPTIONS, QUEUE, queueOf, urlWords, withRuns } from "./database.ts";
import {
  CONTEXT_OPTIONS,
  FORMAT,
  outputOf,
  RECIPE,
  SEARCH_OPTIONS,
  STRICT,
  searchOf,
  tagsIn,
} from "./options.ts";

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
    ...CONTEXT_OPTIONS,
    ...SEARCH_OPTIONS,
    "step-timeout": option.number("SECONDS", "replaces all timeouts; 0 switches them off"),
    "include-tags": option.string("A,B", "of the tagged steps run only these"),
    "exclude-tags": option.string("A,B", "leave out steps with these tags"),
    "agent-binary": option.string("AGENT", "agent for agent steps"),
    "auto-stage": option.boolean("stage all changes after each agent step"),
    strict: STRICT,
    format: FORMAT,
  },
  examples: {
    "amplihack recipe submit deploy --url postgres://ann@db/agents": "prints the id of the run",
    "amplihack recipe submit deploy --url --wait -c 'target=staging'":
      "with AMPLIHACK_DATABASE_URL; shows its progress and its result",
  },
  async run(invocation) {
    const { options, positionals, system, terminal, isQuiet } = invocation;
    const queue = queueOf(options.queue);
    const { submitInTerminal } = await import("../../recipes/workers/submit-in-terminal.ts");
    const request = {
      recipe: positionals[0] ?? "",
      contextPairs: options.context,
      contextFile: options["context-file"],
      ...searchOf(options),
      stepTimeoutSeconds: options["step-timeout"],
      includeTags: tagsIn(options["include-tags"]),
      excludeTags: tagsIn(options["exclude-tags"]),
      agentBinary: options["agent-binary"],
      autoStage: options["auto-stage"],
      isStrict: options.strict,
    };
    const display = { format: options.format, isQuiet, waits: options.wait };
    return withRuns(system, options, (connection, address) =>
      submitInTerminal(
        request,
        { queue, address, urlWords: urlWords(options.url), connection, note: terminal.note },
        display,
        outputOf(invocation),
      ),
    );
  },
});
