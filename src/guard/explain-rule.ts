import { type GuardSettings, LEVELS, type Level, type RuleSetting } from "../config/index.ts";
import { settingFor, settleVerdict } from "./finding.ts";
import { type Action, actionAt, toAction } from "./rule.ts";
import { findRule, type Rule } from "./rules.ts";

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
