import { AGENT_PROGRAMS } from "../../hosts/protected-files.ts";
import type { Invocation } from "../../shell/facts.ts";
import { describe, knownText, type Value } from "../../shell/value.ts";
import type { Actor, CommandEffect } from "../effects.ts";
import { lookUp } from "../look-up.ts";
import { wiringPart } from "../paths/wiring.ts";
import type { Rule } from "../rule.ts";
import { type Pack, type RuleContext, targetsOf } from "../rule-context.ts";
import { words } from "../words.ts";

const RULES: readonly Rule[] = [
  {
    id: "agent.bypass",
    title: "works around the guard",
    verdict: "ask",
    when: "Starts an agent with its permissions off, edits the wiring of hooks, touches this guard's configuration, grants, keys or programs, or sets a variable that switches it off.",
    lost: "It would weaken what protects this session: {target}.",
    safer: "amplihack doctor",
  },
];

/** Options that switch an agent's own questions off, by its program. Those that are no hosts stand here. */
const FREE_HAND: Readonly<Record<string, RegExp>> = {
  aider: /^--(yes-always|yes)$/,
  q: /^--trust-all-tools$/,
  crush: /^(--yolo|-y)$/,
  ...Object.fromEntries(AGENT_PROGRAMS.flatMap(({ names, bypass }) => names.map(name => [name, bypass]))),
};

const HOOKS_OFF =
  /^--(no-hooks|disable-hooks|skip-hooks|bare)$|disableAllHooks|"hooks"\s*:\s*(false|\{\s*\})/;
const SWITCHES: ReadonlySet<string> = new Set([
  ...words(
    "AMPLIHACK_HOME AMPLIHACK_FAILURE_POLICY AMPLIHACK_GUARD_LEVEL AMPLIHACK_SHUTDOWN_IN_PROGRESS AMPLIHACK_TESTING",
  ),
  ...AGENT_PROGRAMS.flatMap(({ bypassVariables }) => bypassVariables ?? []),
]);

export const selfProtection: Pack = {
  name: "self-protection",
  rules: RULES,
  inspect(effect, context) {
    const path = touchedPath(effect);
    if (path !== undefined) inspectPath(effect, path, context);
  },
  inspectWhole(context) {
    for (const invocation of context.facts.invocations) inspectAgent(invocation, context);
    for (const { name, value, isExported } of context.facts.assignments) {
      if (isExported && SWITCHES.has(name))
        context.report("agent.bypass", { target: `${name}=${describe(value)}` }, undefined);
    }
  },
};

function touchedPath(effect: CommandEffect): Value | undefined {
  switch (effect.kind) {
    case "write":
    case "delete":
    case "attributes":
    case "read":
      return effect.path;
    case "move":
      return effect.from;
    default:
      return undefined;
  }
}

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
    context.report("agent.bypass", { target: target.shown }, effect.by);
  }
}

/** Agents by the package that runners start. */
const AGENT_PACKAGES: Readonly<Record<string, string>> = Object.fromEntries(
  AGENT_PROGRAMS.flatMap(({ package: name, names: [program] }) =>
    name === undefined || program === undefined ? [] : [[name, program]],
  ),
);

/** The agent a program is, or starts as a package. */
function agentOf(program: string, words: readonly string[]): string {
  if (!/^(npx|bunx|pnpx|pnpm|yarn|npm|bun)$/.test(program)) return program;
  for (const word of words) {
    const name = word.replace(/(?<=.)@[^/@]*$/, "");
    const agent = lookUp(AGENT_PACKAGES, name);
    if (agent !== undefined) return agent;
  }
  return program;
}

function inspectAgent(invocation: Invocation, context: RuleContext): void {
  if (invocation.program === undefined) return;
  const program = agentOf(invocation.program, invocation.argv.map(describe));
  const by: Actor = {
    cwd: invocation.cwd,
    place: invocation.place,
    span: invocation.span,
    program,
    invocation,
  };
  const shown = invocation.argv.map(describe);
  const free = lookUp(FREE_HAND, program);
  const isHelp = shown.includes("--help") || shown.includes("--version");
  if (free !== undefined && !isHelp) {
    if (shown.slice(1).some(word => free.test(word) || HOOKS_OFF.test(word)))
      context.report("agent.bypass", { target: shown.slice(0, 6).join(" ") }, by);
    for (const { name } of invocation.environment)
      if (SWITCHES.has(name)) context.report("agent.bypass", { target: `${name} for ${program}` }, by);
  }
  if (removesOwnPackage(shown) && !isHelp) context.report("agent.bypass", { target: shown.join(" ") }, by);
  if (program === "amplihack" && isOwnSwitch(shown) && !isHelp)
    context.report("agent.bypass", { target: shown.join(" ") }, by);
  if (
    program === "amplihack" &&
    shown
      .slice(1)
      .some(word => Object.values(FREE_HAND).some(pattern => pattern.test(word)) && word.length > 3)
  ) {
    context.report("agent.bypass", { target: shown.slice(0, 6).join(" ") }, by);
  }
  if (
    /^(npx|bunx|pnpx)$/.test(program) &&
    knownText(invocation.argv[1] ?? { pieces: [], origins: [] }) === "amplihack" &&
    isOwnSwitch(shown.slice(1))
  ) {
    context.report("agent.bypass", { target: shown.join(" ") }, by);
  }
}

/** Taking the program itself away: `npm uninstall -g amplihack`. */
function removesOwnPackage(words: readonly string[]): boolean {
  const [program = "", ...others] = words;
  return (
    /^(npm|pnpm|yarn|bun|brew|volta)$/.test(program) &&
    others.some(word => /^(uninstall|un|unlink|remove|rm|r)$/.test(word)) &&
    others.includes("amplihack")
  );
}

function isOwnSwitch(words: readonly string[]): boolean {
  const [, command, action] = words;
  return command === "uninstall" || (command === "guard" && (action === "allow-once" || action === "init"));
}
