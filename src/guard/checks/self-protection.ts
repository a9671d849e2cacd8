import { AGENT_PROGRAMS } from "../../hosts/protected-files.ts";
import { agentOf, turnsPermissionsOff } from "../../programs/agents.ts";
import { hasTrait } from "../../programs/registry.ts";
import { isOwnProgram, removesOwnPackage } from "../../programs/traits.ts";
import type { Invocation } from "../../shell/facts.ts";
import { wordSet } from "../../shell/options.ts";
import { describe, type Value } from "../../shell/value.ts";
import { actorOf } from "../actor.ts";
import type { CommandEffect } from "../effects.ts";
import { wiringPart } from "../paths/wiring.ts";
import { type Check, type RuleContext, targetsOf, touchedPath } from "../rule-context.ts";

const HOOKS_OFF =
  /^--(no-hooks|disable-hooks|skip-hooks|bare)$|disableAllHooks|"hooks"\s*:\s*(false|\{\s*\})/;
const SWITCHES = wordSet(`
  AMPLIHACK_HOME AMPLIHACK_FAILURE_POLICY AMPLIHACK_GUARD_LEVEL AMPLIHACK_SHUTDOWN_IN_PROGRESS AMPLIHACK_TESTING
  ${AGENT_PROGRAMS.flatMap(({ bypassVariables }) => bypassVariables ?? []).join(" ")}
`);

export const selfProtection: Check = {
  inspect(effect, context) {
    const path = touchedPath(effect);
    if (path !== undefined) inspectPath(effect, path, context);
  },
  inspectWhole(context) {
    for (const invocation of context.facts.invocations) inspectAgent(invocation, context);
    for (const { name, value, isExported } of context.facts.assignments) {
      if (isExported && SWITCHES.has(name))
        context.report("agent.bypass", undefined, `${name}=${describe(value)}`);
    }
  },
};

/** Reading is only a matter for grants and keys; the rest may be looked at. */
function inspectPath(effect: CommandEffect, path: Value, context: RuleContext): void {
  const isNameItself =
    effect.kind === "delete" || effect.kind === "move" || (effect.kind === "write" && effect.how === "link");
  for (const target of targetsOf(context, path, effect.by, !isNameItself)) {
    const place = target.path ?? target.base;
    if (place === undefined || target.isRemote) continue;
    const part = wiringPart(context.workspace, place);
    if (part === undefined) continue;
    if (effect.kind === "read" && !(part === "own" && /\/guard(\/|$)/.test(place))) continue;
    if (effect.kind === "delete" && target.path === undefined && part === "hooks" && target.rest.length > 0)
      continue;
    context.report("agent.bypass", effect.by, target.shown);
  }
}

function inspectAgent(invocation: Invocation, context: RuleContext): void {
  const { program, argv, environment } = invocation;
  if (program === undefined) return;
  const words = argv.slice(1).map(describe);
  const isHelp = words.includes("--help") || words.includes("--version");
  const report = (shown: readonly string[], rule: "agent.bypass" | "agent.history" = "agent.bypass") =>
    context.report(rule, actorOf(invocation), shown.join(" "));
  const line = argv.map(describe);
  const inspectOwn = (own: readonly string[]): void => {
    const rule = isHelp ? undefined : ownRule(own);
    if (rule !== undefined) report(line, rule);
  };
  const agent = isHelp ? undefined : agentOf(invocation);
  if (agent !== undefined) {
    if (words.some(word => turnsPermissionsOff(word, agent) || HOOKS_OFF.test(word)))
      report(line.slice(0, 6));
    for (const { name } of environment) if (SWITCHES.has(name)) report([name, "for", agent]);
  }
  if (!isHelp && removesOwnPackage(invocation)) report(line);
  if (isOwnProgram(program)) {
    inspectOwn(words);
    if (words.some(word => word.length > 3 && turnsPermissionsOff(word))) report(line.slice(0, 6));
  }
  if (hasTrait(program, "runsPackage") && isOwnProgram(words[0])) inspectOwn(words.slice(1));
}

/** What only a person decides: to switch the guard off, to change files back, to forget what was kept. */
function ownRule(words: readonly string[]): "agent.bypass" | "agent.history" | undefined {
  const options = words.slice(0, words.includes("--") ? words.indexOf("--") : undefined);
  const [command, action] = options.filter(word => !word.startsWith("-"));
  switch (command) {
    case "uninstall":
      return "agent.bypass";
    case "guard":
      return action === "allow-once" || action === "init" ? "agent.bypass" : undefined;
    case "undo":
    case "redo":
      return options.includes("--dry-run") ? undefined : "agent.history";
    case "history":
      return action === "prune" || action === "clear" ? "agent.history" : undefined;
    default:
      return undefined;
  }
}
