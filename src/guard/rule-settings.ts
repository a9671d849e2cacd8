import type { GuardSettings, RuleSetting } from "../config/index.ts";
import { didYouMean } from "../text/index.ts";
import { isStricterThan } from "./rule.ts";
import { findRule, RULE_IDS } from "./rules.ts";

/** Why an entry of `guard.rules` has no effect. */
export interface RuleSettingProblem {
  readonly code: "unknown-rule" | "fixed-rule";
  readonly message: string;
}

/** Checks one entry of `guard.rules`: a rule id or a pattern such as `git.*`, and what it is set to. */
export function ruleSettingProblem(
  id: string,
  setting: RuleSetting | undefined,
  customIds: readonly string[],
): RuleSettingProblem | undefined {
  const ids: readonly string[] = [...RULE_IDS, ...customIds];
  const isKnown = id.endsWith("*") ? ids.some(known => known.startsWith(id.slice(0, -1))) : ids.includes(id);
  if (!isKnown) return { code: "unknown-rule", message: `there is no rule '${id}'${didYouMean(id, ids)}` };
  const rule = findRule(id);
  if (rule?.isAllowable !== false || setting === undefined) return undefined;
  if (!isStricterThan(rule.verdict, setting === "off" ? "allow" : setting)) return undefined;
  return {
    code: "fixed-rule",
    message: `the rule '${id}' always says ${rule.verdict}: no configuration can loosen it`,
  };
}

/** The entries of `guard.rules`, of all layers, that have no effect. */
export function ruleSettingProblems({
  rules,
  floors,
  custom,
}: Pick<GuardSettings, "rules" | "floors" | "custom">): readonly RuleSettingProblem[] {
  const customIds = custom.map(({ id }) => id);
  // A project that asks for less is told of when the file is read.
  const entries = [...Object.entries(rules), ...Object.keys(floors).map(id => [id, undefined] as const)];
  return entries.flatMap(([id, setting]) => ruleSettingProblem(id, setting, customIds) ?? []);
}
