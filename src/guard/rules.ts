import {
  type GuardSettings,
  LEVELS,
  type Level,
  RULE_SETTINGS,
  type RuleId,
  type RuleSetting,
} from "../config/index.ts";
import type { JsonObject } from "../protocol/index.ts";
import { managedVerdict, settingFor, settleVerdict } from "./finding.ts";
import {
  type Action,
  actionAt,
  isStricterThan,
  type Rule,
  type RuleTable,
  toAction,
  unknownRule,
} from "./rule.ts";
import type { Check, RuleFamily } from "./rule-context.ts";
import { DELETION } from "./rules/deletion.ts";
import { EXECUTION } from "./rules/execution.ts";
import { GIT_BRANCHES } from "./rules/git-branches.ts";
import { GIT_SETTINGS } from "./rules/git-settings.ts";
import { GIT_WORK } from "./rules/git-work.ts";
import { INJECTION } from "./rules/injection.ts";
import { CLOUD, DATABASES, DEPLOY, GRANT, PACKAGES, PUBLISH, SPEND } from "./rules/operations.ts";
import { SECRETS } from "./rules/secrets.ts";
import { SELF_PROTECTION } from "./rules/self-protection.ts";
import { SEQUENCES } from "./rules/sequences.ts";
import { SYSTEM } from "./rules/system.ts";
import { TEXT, UNEXAMINED } from "./rules/text.ts";
import { WRITING } from "./rules/writing.ts";

/** In the order in which findings are told. */
const FAMILIES: readonly RuleFamily[] = [
  DELETION,
  WRITING,
  GIT_WORK,
  GIT_BRANCHES,
  GIT_SETTINGS,
  SECRETS,
  EXECUTION,
  SEQUENCES,
  DATABASES,
  CLOUD,
  SYSTEM,
  SELF_PROTECTION,
  PUBLISH,
  PACKAGES,
  DEPLOY,
  GRANT,
  SPEND,
  TEXT,
  INJECTION,
  UNEXAMINED,
];

export const CHECKS: readonly Check[] = FAMILIES.flatMap(({ checks = [] }) => checks);

/** Rules under one heading of the documentation. */
export interface Pack {
  readonly name: string;
  readonly rules: readonly Rule[];
}

/** Every rule there is, by pack. Documentation, `guard why` and reasons all come from here. */
export const PACKS: readonly Pack[] = [...new Set(FAMILIES.map(({ name }) => name))].map(name => ({
  name,
  get rules() {
    return FAMILIES.filter(family => family.name === name).flatMap(family => rulesIn(family.rules));
  },
}));

function rulesIn(table: RuleTable): readonly Rule[] {
  return Object.entries(table).map(([id, text]) => ({ id: id as RuleId, ...text }));
}

export const RULE_IDS: readonly RuleId[] = FAMILIES.flatMap(({ rules }) => Object.keys(rules) as RuleId[]);

const byId = new Map<string, Rule>();

export function findRule(id: RuleId): Rule;
export function findRule(id: string): Rule | undefined;
export function findRule(id: string): Rule | undefined {
  if (byId.size === 0)
    for (const { rules } of FAMILIES) for (const rule of rulesIn(rules)) byId.set(rule.id, rule);
  return byId.get(id);
}

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
  const unknown = unknownRule(id, customIds);
  if (unknown !== undefined) return { code: "unknown-rule", message: unknown };
  const rule = findRule(id);
  if (rule?.isAllowable !== false || setting === undefined) return undefined;
  if (!isStricterThan(rule.verdict, setting === "off" ? "allow" : setting)) return undefined;
  return {
    code: "fixed-rule",
    message: `the rule '${id}' always says ${rule.verdict}: no configuration can loosen it`,
  };
}

/** An entry of `guard.rules` as it counts: a managed machine may say more of the rule, by its level or a pattern as well. */
export function effectiveRuleSetting(id: string, setting: RuleSetting, settings: GuardSettings): RuleSetting {
  const { managed } = settings;
  if (managed === undefined) return setting;
  const rule = findRule(id);
  const least =
    rule === undefined
      ? settingFor(managed.rules, id as Rule["id"])
      : managedVerdict(rule, undefined, settings);
  return isStricterThan(least ?? "allow", setting === "off" ? "allow" : setting)
    ? (least ?? setting)
    : setting;
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

/** What each rule may be set to, as JSON Schema: a rule that no configuration can loosen takes nothing milder. */
export function ruleSchemas(): JsonObject {
  return Object.fromEntries(
    RULE_IDS.map(id => {
      const { title, verdict, isAllowable } = findRule(id);
      const isFixed = isAllowable === false;
      const settings = RULE_SETTINGS.filter(
        setting => !isFixed || !isStricterThan(verdict, setting === "off" ? "allow" : setting),
      );
      const description = isFixed ? `${title}; cannot be loosened` : title;
      return [id, { type: "string", description, enum: settings }];
    }),
  );
}

/** A rule in sentences that stand alone. */
export interface ExplainedRule {
  readonly id: string;
  readonly title: string;
  readonly when: string;
  /** what is at stake, and whether it can be undone */
  readonly lost: string;
  readonly instead: string;
  /** a command, with words in capitals for what depends on the case; empty when everything does */
  readonly safer: string;
  readonly levels: Readonly<Record<Level, Action>>;
  /** the level and what the configuration sets; the verdict is what follows from both */
  readonly here: {
    readonly level: Level;
    readonly configured: RuleSetting | null;
    readonly verdict: Action;
  };
  readonly allowable: boolean;
  /** it passes when a copy of what would be lost was kept first, but for level strict */
  readonly recoverable: boolean;
}

export function explainRule(rule: Rule, settings: GuardSettings): ExplainedRule {
  const { id, title, when, person, model, isAllowable, isRecoverable } = rule;
  const isBuiltIn = findRule(id) !== undefined;
  return {
    id,
    title,
    when,
    lost: `${isBuiltIn ? `It ${title}.` : sentence(title)} ${person}`,
    instead: model,
    safer: withoutBraces(rule.safer),
    levels: Object.fromEntries(
      LEVELS.map(level => [level, actionAt(rule, level)]),
    ) as ExplainedRule["levels"],
    here: {
      level: settings.level,
      configured: settingFor(settings.rules, id) ?? null,
      verdict: toAction(rule, settleVerdict(rule, undefined, settings)),
    },
    allowable: isAllowable !== false,
    recoverable: isRecoverable === true,
  };
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** `ls -la {target}` as `ls -la TARGET`. */
function withoutBraces(safer: string): string {
  return /^\{[a-z]+\}$/.test(safer)
    ? ""
    : safer.replace(/\{([a-z]+)\}/g, (_, name: string) => name.toUpperCase());
}

/** The text of `config/rule-ids.ts`: rooms below the guard name rules, and cannot import them. */
export function renderRuleIds(): string {
  const list = (ids: readonly string[]) =>
    [...ids]
      .sort()
      .map(id => `  ${JSON.stringify(id)},\n`)
      .join("");
  const operations = RULE_IDS.filter(id => findRule(id).isOperation === true);
  const others = RULE_IDS.filter(id => findRule(id).isOperation !== true);
  return `// Written by scripts/write-schemas.mjs from src/guard/rules/.

/** Rules that the record of a program may name for its operations. */
export const OPERATION_RULES = [
${list(operations)}] as const;
export type OperationRule = (typeof OPERATION_RULES)[number];

export const OTHER_RULES = [
${list(others)}] as const;

/** The id of a built-in rule. */
export type RuleId = OperationRule | (typeof OTHER_RULES)[number];
`;
}
