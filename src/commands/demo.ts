import { dirname, join } from "node:path";
import { commandInstead, defineCommand, ownProgram } from "../cli/index.ts";
import { loadTour } from "../demo/index.ts";

export const command = defineCommand({
  name: "demo",
  summary: "see it all at work in a temporary folder; touches nothing of yours",
  group: "Look",
  options: {},
  forAgents: "passes",
  examples: { "amplihack demo": "guard, hosts, undo, a recipe and a memory in a few seconds" },
  async run({ system, terminal }) {
    const { giveTour } = await loadTour();
    const bin = dirname(ownProgram());
    const programs = {
      amplihack: [process.execPath, join(bin, "amplihack.cjs")],
      hooks: [process.execPath, join(bin, "amplihack-hooks.cjs")],
    };
    const viewer = { columns: process.stdout.columns, commandInstead: commandInstead(system) };
    const isRight = await giveTour(system, terminal, programs, viewer);
    return isRight ? 0 : 1;
  },
});
