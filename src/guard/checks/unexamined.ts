import type { Unexamined } from "../../shell/index.ts";
import type { RuleContext } from "../rule-context.ts";

/** Code is left behind these limits, whatever it names; a word with too many forms is only a word. */
const LIMITS_OF_CODE: ReadonlySet<Unexamined["reason"]> = new Set([
  "input-size",
  "nesting",
  "words",
  "steps",
]);

/** Code that was not examined is never silently allowed; what names nothing dangerous is only noted. */
export function inspectUnexamined(context: RuleContext): void {
  const isStrict = context.workspace.settings.level === "strict";
  for (const { reason, message, criticalWords } of context.facts.unexamined) {
    const isNamed = criticalWords.length > 0;
    if (!isStrict && !isNamed && !LIMITS_OF_CODE.has(reason)) continue;
    const target = criticalWords.slice(0, 5).join(", ") || "nothing that is known";
    context.report("guard.unexamined", undefined, target, { what: message });
  }
}
