import { defineCommand, FORMATS, option } from "../cli/index.ts";
import { type LockStatus, lockStatus } from "../hooks/index.ts";

export const command = defineCommand({
  name: "lock-status",
  summary: "tell whether the agent is kept working",
  group: "Work",
  details: "A sentence at a terminal, JSON for programs, unless --format says which.",
  options: { format: option.choice(FORMATS, "how to print the result", { short: "f" }) },
  forAgents: { use: "passes", looks: [] },
  examples: {
    "amplihack lock-status": "tells whether a stop is held, and since when",
    "amplihack lock-status --json": "prints locked, locked_at, session_id and iterations",
  },
  run({ options, system, terminal }) {
    const status = lockStatus(system);
    const format = options.format ?? (system.stdio.isTerminal("stdout") ? "text" : "json");
    terminal.printResult(format, status, describe(status));
    return 0;
  },
});

function describe({ locked, locked_at, iterations }: LockStatus): string {
  if (!locked) return "Not locked.\n";
  const since = locked_at === null ? "" : ` since ${locked_at}`;
  return `Locked${since}; ${iterations === null ? "an unknown number of" : iterations} stops held.\n`;
}
