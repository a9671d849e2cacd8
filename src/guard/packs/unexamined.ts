import type { RuleTable } from "../rule.ts";

export const UNEXAMINED = {
  "guard.unexamined": {
    title: "could not be examined",
    verdict: "ask",
    atLevel: { strict: "deny" },
    when: "A part of the command could not be read (too large, too deep, unknown syntax, a failure of the guard); behind a limit it always asks, else when it names programs that can do harm.",
    lost: "A part of it could not be examined ({what}) and names {target}; it is not known what it would do.",
    safer: "bash -n script.sh",
  },
} satisfies RuleTable;
