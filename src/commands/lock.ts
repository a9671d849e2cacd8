import { defineCommand, FORMAT_OPTION, option, usageError } from "../cli/index.ts";
import { lock } from "../hooks/index.ts";

/** Hosts that let an agent stop after this many holds, whatever a hook says. */
const CAP_NOTICE =
  "Claude Code, Copilot and Qwen Code let the agent stop after 8 holds in a row, whatever a hook says.\n";

export const command = defineCommand({
  name: "lock",
  summary: "keep the agent working until unlock",
  group: "Work",
  details:
    "At every stop the agent is told to go on. The lock belongs to the project of the working directory.",
  options: {
    message: option.string("TEXT", "what the agent is told, 1 to 1000 characters", { short: "m" }),
    format: FORMAT_OPTION,
  },
  forAgents: "asks",
  examples: {
    "amplihack lock": "holds every stop in this project",
    "amplihack lock -m 'Finish the migration, then run all tests'": "says what to go on with",
  },
  run({ options, system, terminal }) {
    const outcome = lock(system, options.message);
    if (outcome.kind === "bad-message") throw usageError(outcome.problem);
    const isNew = outcome.kind === "locked";
    terminal.printResult(
      options.format,
      { locked: true, locked_at: outcome.lockedAt, already_locked: !isNew },
      isNew ? "Locked: the agent goes on until `amplihack unlock`.\n" : "Already locked.\n",
    );
    terminal.note(CAP_NOTICE);
    return 0;
  },
});
