import { type Level, OPERATION_RULES, OTHER_RULES, type RuleId } from "../config/index.ts";
import { didYouMean } from "../text/index.ts";

export type Verdict = "allow" | "ask" | "deny";

/**
 * One rule as data. The documentation is generated from it, and so are the texts for the person and for the model:
 * `{target}` and other names in braces in `lost`, `person`, `model` and `safer` are filled in from the finding.
 */
export interface RuleText {
  readonly title: string;
  /** at level standard; `atLevel` holds what differs */
  readonly verdict: Verdict;
  readonly atLevel?: Partial<Readonly<Record<Level, Verdict>>>;
  /** false: no configuration, allow entry or one-time code lets it through */
  readonly isAllowable?: false;
  /** what it speaks of is lost on this machine only: a copy that was kept first takes the question away */
  readonly isRecoverable?: true;
  /** at level standard it passes, with a note in the audit log, unless the configuration says otherwise */
  readonly isNoted?: true;
  /** it looks at results and never stops a call: `ask` and `deny` both mean that it warns, `allow` that it is silent */
  readonly isWarning?: true;
  /** the record of a program may name it for one of its operations, also a record of the configuration */
  readonly isOperation?: true;
  /** when it speaks, for the documentation */
  readonly when: string;
  /** what it stops and what it lets pass; absent where the disk, the settings or a result decide, in tests of their own */
  readonly examples?: Examples;
  /** one sentence for both readers: what would happen to what */
  readonly lost: string;
  /** for the person, behind `lost`: what that means, and whether it can be undone */
  readonly person: string;
  /** for the model, behind `lost`: what to do instead and what not to try; never how to write it differently */
  readonly model: string;
  /** a command that can be run instead, for the model; empty when there is none */
  readonly safer: string;
}

/** Commands of a rule. Tests run each of them plain, behind every wrapper and as data, and the documentation shows one. */
export interface Examples {
  /** with what the reason must name; `{home}` and `{project}` stand for those directories */
  readonly asks?: Readonly<Record<string, string>>;
  readonly denies?: Readonly<Record<string, string>>;
  /** look alike and are free: dry runs, help, other places */
  readonly passes: readonly string[];
}

/** The rules of a family by their ids. */
export type RuleTable = Readonly<Partial<Record<RuleId, RuleText>>>;

/** The id of a rule of the configuration. */
export type CustomRuleId = string & { readonly isCustom: true };

export interface Rule extends RuleText {
  readonly id: RuleId | CustomRuleId;
}

type FamilyOf<Id> = Id extends `${infer Family}.${string}` ? Family : never;

/** `git.push` and `git.main` are of the family `git`. */
export function isOfFamily(id: Rule["id"], ...families: readonly FamilyOf<RuleId>[]): boolean {
  return families.some(family => id.startsWith(`${family}.`));
}

/** Why a rule id, or a pattern such as `git.*`, names no rule. */
export function unknownRule(id: string, customIds: readonly string[]): string | undefined {
  const ids: readonly string[] = [...OPERATION_RULES, ...OTHER_RULES, ...customIds];
  const isKnown = id.endsWith("*") ? ids.some(known => known.startsWith(id.slice(0, -1))) : ids.includes(id);
  return isKnown ? undefined : `there is no rule '${id}'${didYouMean(id, ids)}`;
}

const ORDER: readonly Verdict[] = ["allow", "ask", "deny"];

export function stricter(one: Verdict, other: Verdict): Verdict {
  return isStricterThan(other, one) ? other : one;
}

export function isStricterThan(one: Verdict, other: Verdict): boolean {
  return ORDER.indexOf(one) > ORDER.indexOf(other);
}

export function verdictAt(rule: RuleText, level: Level): Verdict {
  return rule.atLevel?.[level] ?? rule.verdict;
}

/** What a rule does, for people. */
export type Action = Verdict | "warn" | "off";

/** One that only warns neither asks nor denies. */
export function toAction(rule: RuleText, verdict: Verdict): Action {
  if (rule.isWarning !== true) return verdict;
  return verdict === "allow" ? "off" : "warn";
}

export function actionAt(rule: RuleText, level: Level): Action {
  return toAction(rule, verdictAt(rule, level));
}
