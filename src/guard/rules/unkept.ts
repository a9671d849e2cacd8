// A file of its own: the history says it at every call that loses something, and needs no other rule for that.
import type { GuardSettings } from "../../config/index.ts";
import { type Finding, makeFinding, settleVerdict } from "../finding.ts";
import type { Rule, RuleTable } from "../rule.ts";

export const UNKEPT = {
  "fs.unkept": {
    title: "loses what could not be kept",
    verdict: "ask",
    when: "Deletes or overwrites files of which the history could keep no copy first: too large, excluded, or no room.",
    lost: "It would delete or overwrite {target}, and no copy of it was kept, because {why}.",
    person: "It cannot be undone.",
    model: "Move it to another name instead.",
    safer: "ls -ld {target}",
  },
} satisfies RuleTable;

/**
 * What there is to say when something would be lost of which no copy could be kept: the path, and in words that follow
 * "because" the reason (`it is larger than 50 MB`). Undefined when the configuration allows it.
 */
export function findUnkept(settings: GuardSettings, path: string, why: string): Finding | undefined {
  const rule: Rule = { id: "fs.unkept", ...UNKEPT["fs.unkept"] };
  const verdict = settleVerdict(rule, undefined, settings);
  return verdict === "allow" ? undefined : makeFinding(rule, verdict, undefined, path, { why });
}
