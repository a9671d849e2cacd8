import type { RuleTable } from "../rule.ts";

export const UNEXAMINED = {
  "guard.unexamined": {
    title: "could not be examined",
    verdict: "ask",
    atLevel: { strict: "deny" },
    when: "A part of the command could not be read: it is too large or too deep, its syntax is not known, or the guard failed. Beyond a limit it always asks; otherwise when that part names programs that can do harm.",
    lost: "A part of it could not be examined ({what}) and names {target}; it is not known what it would do.",
    person: "Read the command before you allow it.",
    model: "Split it into small plain commands.",
    safer: "bash -n script.sh",
  },
} satisfies RuleTable;
