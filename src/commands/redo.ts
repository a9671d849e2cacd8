import { defineCommand } from "../cli/index.ts";
import { CARRY_OUT_OPTIONS } from "./undo/carry-out.ts";

export const command = defineCommand({
  name: "redo",
  summary: "reverse the last undo, or the one that you name",
  group: "Protect",
  details: "Exit codes: 0 done, 1 nothing to redo or not done, 2 usage, 3 files were changed since.",
  options: CARRY_OUT_OPTIONS,
  positionals: [
    {
      name: "ID",
      summary: "of an undo, as amplihack history prints it",
      isOptional: true,
      completes: "redoable",
    },
  ],
  wordsBehind: "[-- PATH…]",
  forAgents: { use: "history", passesWith: ["dry-run"], looks: [] },
  examples: {
    "amplihack redo": "shows what the last undo took back, asks, and does it again",
    "amplihack redo --dry-run": "only shows it",
    "amplihack redo -- notes.txt": "only of this file: your own save that an undo took back",
  },
  async run(invocation) {
    const { openForCommand } = await import("./history/open.ts");
    const { carryOut, planWith } = await import("./undo/carry-out.ts");
    const opened = openForCommand(invocation);
    const { rest } = invocation;
    const paths = rest.length === 0 ? undefined : rest.map(opened.resolvePath);
    const plan = await planWith(invocation, () => opened.history.planRedo(invocation.positionals[0], paths));
    const ids = plan.changes.map(({ id }) => id);
    return carryOut(invocation, opened, plan, { words: ["amplihack", "redo", ...ids], paths: rest });
  },
});
