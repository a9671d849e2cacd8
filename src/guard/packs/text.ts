import type { RuleTable } from "../rule.ts";

export const TEXT = {
  "text.deceptive": {
    title: "hides what it says",
    verdict: "ask",
    when: "The command has bidirectional controls, invisible characters or terminal escapes outside quoted text.",
    lost: "It would run text that looks different from what it is: {target}.",
    person: "Do not judge it by what you see on the screen.",
    model: "Write it without invisible characters.",
    safer: "printf '%q\\n' \"$COMMAND\"",
  },
} satisfies RuleTable;
