import type { CustomRule } from "../config/sections.ts";
import { parseOptions } from "../shell/options.ts";
import { describe } from "../shell/value.ts";
import type { Actor } from "./effects.ts";
import { compileLinear } from "./linear-pattern.ts";
import { globMatches } from "./paths/match.ts";
import { secretAt, type Zone, zoneOf } from "./paths/zones.ts";
import type { Rule } from "./rule.ts";
import { type Details, type RuleContext, targetsOf } from "./rule-context.ts";

type Add = (rule: Rule, details: Details, by: Actor | undefined) => void;

/** Rules of the configuration: structural, over the resolved words of one program. */
export function inspectCustomRules(context: RuleContext, add: Add): void {
  const rules = context.workspace.settings.custom;
  if (rules.length === 0) return;
  for (const invocation of context.facts.invocations) {
    for (const custom of rules) {
      const { cwd, place, span, program } = invocation;
      if (program === undefined || program !== custom.when.command) continue;
      const by: Actor = { cwd, place, span, program, invocation };
      if (fits(custom.when, by, context))
        add(ruleOf(custom), { target: invocation.argv.map(describe).join(" ") }, by);
    }
  }
}

export function ruleOf(custom: CustomRule): Rule {
  return {
    id: custom.id,
    title: custom.reason,
    verdict: custom.verdict,
    when: `A rule of the configuration: ${[custom.when.command, ...(custom.when.args ?? []), ...(custom.when.flags ?? [])].join(" ")}.`,
    lost: `{target}: ${custom.reason}.`,
    safer: custom.safer ?? "ask your user",
  };
}

function fits(when: CustomRule["when"], by: Actor, context: RuleContext): boolean {
  const argv = by.invocation?.argv ?? [];
  const options = parseOptions(argv, { abbreviates: false });
  const operands = options.operands.map(operand => describe(operand.value));
  if (!(when.args ?? []).every((wanted, index) => globMatches(wanted, operands[index] ?? ""))) return false;
  const given = argv.map(describe);
  if (!(when.flags ?? []).every(flag => given.some(word => word === flag || word.startsWith(`${flag}=`))))
    return false;
  if (when.operand !== undefined) {
    const pattern = compileLinear(when.operand);
    if (pattern === undefined || !operands.some(operand => pattern.matches(operand))) return false;
  }
  return (
    when.path === undefined ||
    options.operands.some(({ value }) =>
      targetsOf(context, value, by, true).some(
        target => target.path !== undefined && isOfClass(context, target.path, when.path ?? ""),
      ),
    )
  );
}

const CLASSES: Readonly<Record<string, readonly Zone[]>> = {
  root: ["root", "system"],
  home: ["home"],
  project: ["project", "history", "source"],
  outside: ["outside", "local-software"],
  temp: ["temp", "temp-root"],
  regenerable: ["regenerable"],
};

function isOfClass({ workspace }: RuleContext, path: string, name: string): boolean {
  if (name === "secret") return secretAt(workspace, path) !== undefined;
  return CLASSES[name]?.includes(zoneOf(workspace, path)) === true;
}
