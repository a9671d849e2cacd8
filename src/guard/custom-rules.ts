import type { CustomRule } from "../config/index.ts";
import { type Budget, createBudget, describe, parseOptions, type Value } from "../shell/index.ts";
import { globMatches } from "../system/index.ts";
import { secretAt, type Zone, zoneOf } from "../workspace/index.ts";
import { actorOf, commandLine } from "./actor.ts";
import type { Actor } from "./effects.ts";
import { compileLinear, type LinearPattern } from "./linear-pattern.ts";
import { type RuleContext, targetsOf } from "./rule-context.ts";
import type { CustomRuleId, Rule } from "./rules.ts";

type Add = (rule: Rule, by: Actor, target: string) => void;

const MAX_STEPS = 1_000_000;
const STEPS_OF_A_RULE = 50;

/**
 * Rules of the configuration: structural, over the resolved words of one program. A project brings rules of its own,
 * so they are counted in steps: what is not compared by the time these are used up is asked about.
 */
export function inspectCustomRules(context: RuleContext, add: Add): void {
  const rules = context.workspace.settings.custom;
  if (rules.length === 0) return;
  const budget = createBudget(MAX_STEPS, context.workspace.given.isLate);
  for (const invocation of context.facts.invocations) {
    const own = rules.filter(({ when }) => when.command === invocation.program);
    if (own.length === 0) continue;
    const call = readCall(actorOf(invocation), context, budget);
    for (const custom of own)
      if (fits(custom.when, call)) add(ruleOf(custom), call.by, commandLine(invocation));
    if (!budget.isSpent) continue;
    const what = "more rules of the configuration than there is time for";
    context.report("guard.unexamined", call.by, commandLine(invocation), { what });
    return;
  }
}

/** The words of one program, read once for all rules. */
interface ReadCall {
  readonly by: Actor;
  readonly context: RuleContext;
  readonly budget: Budget;
  readonly operands: readonly Value[];
  readonly shown: readonly string[];
  readonly given: readonly string[];
}

function readCall(by: Actor, context: RuleContext, budget: Budget): ReadCall {
  const argv = by.invocation?.argv ?? [];
  const operands = parseOptions(argv, { abbreviates: false }).operands.map(({ value }) => value);
  return { by, context, budget, operands, shown: operands.map(describe), given: argv.map(describe) };
}

const patterns = new Map<string, LinearPattern | undefined>();

function patternOf(source: string): LinearPattern | undefined {
  if (!patterns.has(source)) patterns.set(source, compileLinear(source));
  return patterns.get(source);
}

export function ruleOf(custom: CustomRule): Rule {
  const { command, args = [], flags = [] } = custom.when;
  return {
    id: custom.id as CustomRuleId,
    title: custom.reason,
    verdict: custom.verdict,
    when: `A rule of the configuration: ${[command, ...args, ...flags].join(" ")}.`,
    // Most people end a reason with a full stop.
    lost: `{target}: ${custom.reason.replace(/\.$/, "")}.`,
    person: "A rule of the configuration says so.",
    model: "",
    safer: custom.safer ?? "",
  };
}

function fits({ args, flags, operand, path }: CustomRule["when"], call: ReadCall): boolean {
  const { by, context, budget, operands, shown, given } = call;
  const words = (flags?.length ?? 0) + (path === undefined ? 0 : operands.length);
  if (!budget.take(STEPS_OF_A_RULE + words * given.length)) return false;
  const hasFlag = (flag: string) => given.some(word => word === flag || word.startsWith(`${flag}=`));
  const pattern = operand === undefined ? undefined : patternOf(operand);
  return (
    (args ?? []).every((wanted, index) => globMatches(wanted, shown[index] ?? "")) &&
    (flags ?? []).every(hasFlag) &&
    (operand === undefined || shown.some(word => pattern?.matches(word, budget) === true)) &&
    (path === undefined || operands.some(word => namesClass(context, word, by, path)))
  );
}

function namesClass(context: RuleContext, word: Value, by: Actor, name: string): boolean {
  return targetsOf(context, word, by, true).some(target => {
    if (target.path === undefined) return false;
    if (name === "secret") return secretAt(context.workspace, target.path) !== undefined;
    return CLASSES[name]?.includes(zoneOf(context.workspace, target.path)) === true;
  });
}

const CLASSES: Readonly<Record<string, readonly Zone[]>> = {
  root: ["root", "system"],
  home: ["home"],
  project: ["project", "history", "source"],
  outside: ["outside", "local-software"],
  temp: ["temp", "temp-root"],
  regenerable: ["regenerable"],
};
