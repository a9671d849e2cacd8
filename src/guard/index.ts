/**
 * Effects become allow, ask or deny, with the rule, the reason and a safer way. Never throws, starts nothing and never
 * mentions a program's name.
 */

export type { RuleId } from "../config/index.ts";
export { collectEffects } from "./collect.ts";
export { canBeAllowedForGood, type Finding, questionKey } from "./finding.ts";
export {
  type Footprint,
  type FootprintRepository,
  type FootprintTarget,
  isEmptyFootprint,
} from "./footprint.ts";
export { GAP_KINDS, type Gap, type GapKind } from "./gap.ts";
export { type Grant, isCode } from "./grants.ts";
export { judgeArgv, judgeCommand, judgeTool } from "./guard.ts";
export {
  contextOf,
  DEFAULT_GUARD_SETTINGS,
  type GuardedCall,
  type GuardHook,
  type GuardOptions,
  guard,
  type KnownOfSession,
} from "./hook.ts";
export type { InjectionFinding } from "./injection/find.ts";
export { createShellContext } from "./judge.ts";
export type { Explained, GuardContext } from "./judgement.ts";
export { ALLOWED, isDenied, isUnderstood, type Judgement, judgementJson } from "./judgement.ts";
export { judgeObserved } from "./observed.ts";
export { footprintOfHarmlessCall, isHarmlessIn, type JudgedTool, startsOwnFile } from "./prefilter.ts";
export { tellPerson } from "./reason.ts";
export { isOfFamily, type Rule, type Verdict } from "./rule.ts";
export { findOthers, findUnkept } from "./rules/unkept.ts";
export type { ExplainedRule } from "./rules.ts";
export {
  effectiveRuleSetting,
  findRule,
  PACKS,
  RULE_IDS,
  ruleSettingProblem,
  ruleSettingProblems,
} from "./rules.ts";
export const loadCustomRules = () => import("./custom-rules.ts");
export const loadFind = () => import("./injection/find.ts");
export const loadFinding = () => import("./finding.ts");
export const loadGuard = () => import("./guard.ts");
export const loadRules = () => import("./rules.ts");
