import type { Unexamined } from "../../shell/facts.ts";
import type { Rule } from "../rule.ts";
import type { Pack } from "../rule-context.ts";

const RULES: readonly Rule[] = [
  {
    id: "guard.unexamined",
    title: "could not be examined",
    verdict: "ask",
    atLevel: { strict: "deny" },
    when: "A part of the command could not be read (too large, too deep, a syntax nobody knows, a failure of the guard) ; behind a limit it always asks, else when it names programs that can do harm.",
    lost: "A part of it could not be examined ({what}) and names {target}; nobody can tell what it would do.",
    safer: "bash -n script.sh",
  },
];

/** Code is left behind these limits, whatever it names; a word with too many forms is only a word. */
const LIMITS_OF_CODE: ReadonlySet<Unexamined["reason"]> = new Set([
  "input-size",
  "nesting",
  "words",
  "steps",
]);

/** Never a silent allow of code that nobody looked at. What the shell itself refuses to run is only noted. */
export const unexamined: Pack = {
  name: "unexamined",
  rules: RULES,
  inspectWhole(context) {
    const isStrict = context.workspace.settings.level === "strict";
    for (const { reason, message, criticalWords } of context.facts.unexamined) {
      const isRefused = reason === "incomplete";
      const isDangerous = LIMITS_OF_CODE.has(reason) || (!isRefused && criticalWords.length > 0);
      if (isStrict || isDangerous) {
        const target =
          criticalWords.length === 0 ? "nothing that is known" : criticalWords.slice(0, 5).join(", ");
        context.report("guard.unexamined", { target, what: message }, undefined);
      }
    }
  },
};
