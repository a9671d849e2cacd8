import type { CustomRule } from "../config/sections.ts";
import { parseOptions } from "../shell/options.ts";
import { describe, type Value } from "../shell/value.ts";
import { globMatches } from "../system/glob.ts";
import { actorOf, commandLine } from "./actor.ts";
import type { Actor } from "./effects.ts";
import { compileLinear } from "./linear-pattern.ts";
import { secretAt, type Zone, zoneOf } from "./paths/zones.ts";
import { type RuleContext, targetsOf } from "./rule-context.ts";
import type { CustomRuleId, Rule } from "./rules.ts";

type Add = (rule: Rule, by: Actor, target: string) => void;

/** Rules of the configuration: structural, over the resolved words of one program. */
export function inspectCustomRules(context: RuleContext, add: Add): void {
  const rules = context.workspace.settings.custom;
  if (rules.length === 0) return;
  for (const invocation of context.facts.invocations) {
    const by = actorOf(invocation);
    for (const custom of rules)
      if (invocation.program === custom.when.command && fits(custom.when, by, context))
        add(ruleOf(custom), by, commandLine(invocation));
  }
}

export function ruleOf(custom: CustomRule): Rule {
  const { command, args = [], flags = [] } = custom.when;
  return {
    id: custom.id as CustomRuleId,
    title: custom.reason,
    verdict: custom.verdict,
    when: `A rule of the configuration: ${[command, ...args, ...flags].join(" ")}.`,
    lost: `{target}: ${custom.reason}.`,
    safer: custom.safer ?? "ask your user",
  };
}

function fits({ args, flags, operand, path }: CustomRule["when"], by: Actor, context: RuleContext): boolean {
  const argv = by.invocation?.argv ?? [];
  const operands = parseOptions(argv, { abbreviates: false }).operands.map(({ value }) => value);
  const shown = operands.map(describe);
  const given = argv.map(describe);
  const hasFlag = (flag: string) => given.some(word => word === flag || word.startsWith(`${flag}=`));
  const pattern = operand === undefined ? undefined : compileLinear(operand);
  return (
    (args ?? []).every((wanted, index) => globMatches(wanted, shown[index] ?? "")) &&
    (flags ?? []).every(hasFlag) &&
    (operand === undefined || shown.some(word => pattern?.matches(word) === true)) &&
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
