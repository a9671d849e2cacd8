/**
 * Effects become allow, ask or deny, with the rule, the reason and a safer way. Never throws, starts nothing and never
 * mentions a program's name.
 */
export { collectEffects } from "./collect.ts";
export type { GuardContext } from "./context.ts";
export type { Explained } from "./explain.ts";
export type { ExplainedRule } from "./explain-rule.ts";
export { canBeAllowedForGood, type Finding } from "./finding.ts";
export {
  type Footprint,
  type FootprintRepository,
  type FootprintTarget,
  isEmptyFootprint,
} from "./footprint.ts";
export { type Grant, isCode } from "./grants.ts";
export { contextOf, guard, type JudgedTool, judgeArgv, judgeCommand, judgeTool } from "./guard.ts";
export type { InjectionFinding } from "./injection/find.ts";
export { shellContextOf } from "./judge.ts";
export { ALLOWED, isDenied, type Judgement } from "./judgement.ts";
export { judgementJson } from "./judgement-json.ts";
export { DEFAULT_GUARD_SETTINGS, type GuardOptions } from "./options.ts";
export { footprintOfHarmless, startsOwnFile } from "./prefilter.ts";
export { clipText, tellPerson } from "./reason.ts";
export type { Verdict } from "./rule.ts";
export { ruleSettingProblem, ruleSettingProblems } from "./rule-settings.ts";
export { findRule, isOfFamily, PACKS, RULE_IDS, type Rule, type RuleId } from "./rules.ts";
export { findUnkept } from "./unkept.ts";
export const loadCustomRules = () => import("./custom-rules.ts");
export const loadExplainRule = () => import("./explain-rule.ts");
export const loadFind = () => import("./injection/find.ts");
export const loadFinding = () => import("./finding.ts");
export const loadGuard = () => import("./guard.ts");
export const loadJudge = () => import("./judge.ts");
export const loadRuleSettings = () => import("./rule-settings.ts");
export const loadRules = () => import("./rules.ts");
