import type { Rule } from "../rule.ts";
import type { Pack } from "../rule-context.ts";
import { reportOperation } from "./operations.ts";

const RULES: readonly Rule[] = [
  {
    id: "publish",
    title: "publishes to everybody",
    verdict: "ask",
    atLevel: { relaxed: "allow" },
    when: "publish, unpublish, deprecate, yank, upload or push of a package registry; dry runs are free.",
    lost: "It would {what}, and what is out cannot be called back: {target}.",
    safer: "{tool} --help",
  },
];

export const publish: Pack = {
  name: "publish",
  rules: RULES,
  inspect(effect, context) {
    if (effect.kind === "operation" && effect.rule === "publish") reportOperation(effect, context, false);
  },
};
