import { defineCommand } from "../cli/command.ts";
import { FORMAT_OPTION } from "../cli/option.ts";
import { type LockStatus, lockStatus } from "../hooks/stop/lock-commands.ts";

export const command = defineCommand({
  name: "lock-status",
  summary: "tell whether the agent is kept working",
  group: "Work",
  options: { format: FORMAT_OPTION },
  examples: {
    "amplihack lock-status": "says it in a sentence",
    "amplihack lock-status --json": "prints locked, locked_at, session_id and iterations",
  },
  run({ options, system, terminal }) {
    const status = lockStatus(system);
    terminal.printResult(options.format, status, describe(status));
    return 0;
  },
});

function describe({ locked, locked_at, iterations }: LockStatus): string {
  if (!locked) return "Not locked.\n";
  const since = locked_at === null ? "" : ` since ${locked_at}`;
  return `Locked${since}; ${iterations === null ? "an unknown number of" : iterations} stops held.\n`;
}
