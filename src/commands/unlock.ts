import { CommandError, defineCommand, FORMAT_OPTION } from "../cli/index.ts";
import { unlock } from "../hooks/index.ts";

export const command = defineCommand({
  name: "unlock",
  summary: "let the agent stop again",
  group: "Work",
  options: { format: FORMAT_OPTION },
  forAgents: "asks",
  examples: { "amplihack unlock": "ends what `amplihack lock` began" },
  run({ options, system, terminal }) {
    const { wasLocked, failures } = unlock(system);
    if (failures.length > 0) {
      throw new CommandError("the lock could not be removed", { kind: "failed", causes: failures });
    }
    const text = wasLocked ? "Unlocked.\n" : "It was not locked.\n";
    terminal.printResult(options.format, { locked: false, was_locked: wasLocked }, text);
    return 0;
  },
});
