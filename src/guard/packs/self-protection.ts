import type { RuleTable } from "../rule.ts";

export const SELF_PROTECTION = {
  "agent.bypass": {
    title: "works around the guard",
    verdict: "ask",
    when: "Starts an agent with its permissions off, edits the wiring of hooks, touches this guard's configuration, grants, keys or programs, or sets a variable that switches it off.",
    lost: "It would weaken what protects this session: {target}.",
    safer: "amplihack doctor",
  },
} satisfies RuleTable;
