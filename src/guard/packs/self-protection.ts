import type { RuleTable } from "../rule.ts";

export const SELF_PROTECTION = {
  "agent.bypass": {
    title: "works around the guard",
    verdict: "ask",
    when: "Starts an agent with its permissions off, edits the wiring of hooks, touches this guard's configuration, grants, keys or programs, sets a variable or writes a file that switches a check off, or runs a command of amplihack that changes more than it tells; those that take protection away are denied.",
    lost: "It would weaken what protects this session: {target}.",
    safer: "amplihack doctor",
  },
  "agent.history": {
    title: "changes files back, or forgets what was kept",
    verdict: "ask",
    when: "An agent runs amplihack undo or redo, or amplihack history prune or clear.",
    lost: "It would change files back to another state, or drop what is kept to undo with: {target}.",
    safer: "amplihack undo --dry-run",
  },
} satisfies RuleTable;
