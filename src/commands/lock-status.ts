import { defineCommand, FORMAT_OPTION } from "../cli/command.ts";
import { type LockStatus, lockStatus } from "../hooks/stop/lock-commands.ts";

export const command = defineCommand({
  name: "lock-status",
  summary: "tell whether the agent is kept working",
  group: "Work",
  options: { format: { ...FORMAT_OPTION, initial: "json" } },
  examples: [
    { command: "amplihack lock-status", does: "prints locked, locked_at, session_id and iterations" },
    { command: "amplihack lock-status --format text", does: "says it in a sentence" },
  ],
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
