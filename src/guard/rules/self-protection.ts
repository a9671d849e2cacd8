import { AGENT_PROGRAMS } from "../../hosts/index.ts";
import {
  type FoundCall,
  findAgent,
  findOwnCall,
  loadsOwnProgram,
  type OwnUse,
  readHookEvent,
  removesOwnPackage,
  turnsPermissionsOff,
} from "../../programs/index.ts";
import { describe, type Invocation, type Value, wordSet } from "../../shell/index.ts";
import { WORKFLOW_SWITCHES } from "../../state/index.ts";
import { expandHome, isInside, resolve } from "../../system/index.ts";
import { holdsActiveLock, isOwnFile, isSwitchFile } from "../../workspace/index.ts";
import type { RuleTable } from "../rule.ts";
import {
  type Check,
  type CommandEffect,
  type RuleContext,
  type RuleFamily,
  targetsForWord,
  toActor,
} from "../rule-context.ts";
import { TREES } from "./trees.ts";
import { inspectDescriptors, inspectWiring, inspectWords } from "./wiring.ts";

const RULES = {
  "agent.bypass": {
    title: "works around the guard",
    verdict: "ask",
    when: "Starts an agent with its permissions off, edits files that register hooks, or touches the guard's configuration, grants, keys or programs, the history or people's memory. Sets a variable or writes a file that switches a check off, or runs a command of amplihack that changes more than it shows. Commands that remove protection are denied.",
    examples: {
      asks: { "claude --dangerously-skip-permissions": "--dangerously-skip-permissions" },
      passes: ["claude --help", "claude -p hello", "cat .claude/settings.json"],
    },
    lost: "It would change what protects this session, or do more than the guard can see: {target}.",
    person: "Allow it if you asked for it: what follows might run without being checked.",
    model: "Leave hooks, their settings and the guard as they are; only a person changes them.",
    safer: "amplihack doctor",
  },
  "agent.policy": {
    title: "runs without a policy of this machine",
    verdict: "ask",
    isAllowable: false,
    when: "The configuration of this machine is managed, and a policy that it extends is missing or is not what was pinned: calls that do more than read are asked about, or denied with `failure` closed, until the policy is there.",
    lost: "It cannot be checked against all rules of this machine: the policy {target}.",
    person: "If that does not help, tell the administrator of this machine.",
    model: "Say that a policy of this machine is missing, and stop; reading goes on.",
    safer: "amplihack doctor",
  },
  "agent.history": {
    title: "changes files back, or forgets what was kept",
    verdict: "ask",
    when: "An agent runs amplihack undo or redo, or amplihack history prune or clear.",
    examples: {
      asks: { "amplihack undo --turn": "amplihack undo --turn" },
      passes: [
        "amplihack history",
        "amplihack history --since 2h --format json",
        "amplihack history show k3f9 -- src/app.ts",
        "amplihack history verify",
        "amplihack undo --dry-run",
        "amplihack undo k3f9 --dry-run -- src/app.ts",
        "npx amplihack undo --dry-run",
        "amplihack undo --help",
      ],
    },
    lost: "It would change files back to another state, or drop the copies that undo needs: {target}.",
    person: "Allow it if you asked for it.",
    model: "Show what it would change; taking changes back is for a person to decide.",
    safer: "amplihack undo --dry-run",
  },
} satisfies RuleTable;

const HOOKS_OFF =
  /^--(no-hooks|disable-hooks|skip-hooks|bare)$|disableAllHooks|"hooks"\s*:\s*(false|\{\s*\})/;
const SWITCHES = wordSet(`
  AMPLIHACK_HOME AMPLIHACK_FAILURE_POLICY AMPLIHACK_GUARD_LEVEL AMPLIHACK_SHUTDOWN_IN_PROGRESS AMPLIHACK_TESTING
  ${AGENT_PROGRAMS.flatMap(({ bypassVariables }) => bypassVariables ?? []).join(" ")}
`);
/** They mean something to an agent that is started with them, and nothing to the one that sets them. */
const AGENT_SWITCHES: ReadonlySet<string> = new Set(WORKFLOW_SWITCHES);

const selfProtection: Check = {
  inspect(effect, context) {
    inspectWiring(effect, context);
    inspectSwitch(effect, context);
    if (effect.kind === "write" && effect.from !== undefined) inspectCopy(effect.from, effect, context);
  },
  inspectWhole(context) {
    for (const invocation of context.facts.invocations) {
      inspectAgent(invocation, context);
      inspectOwn(invocation, context);
      inspectWords(invocation, context);
    }
    inspectDescriptors(context);
    inspectPolicies(context);
    inspectLoading(context);
    for (const { name, value, isExported } of context.facts.assignments) {
      if (isExported && SWITCHES.has(name))
        context.report("agent.bypass", undefined, `${name}=${describe(value)}`);
    }
  },
};

/** Nobody knows what a missing policy says of a call. What a tool of the host only reads is let go on. */
function inspectPolicies(context: RuleContext): void {
  const { managed } = context.workspace.settings;
  const [first] = managed?.missing ?? [];
  const isReading =
    context.facts.invocations.length === 0 && context.effects.every(({ kind }) => kind === "read");
  if (managed === undefined || first === undefined || isReading) return;
  const verdict = managed.isClosed ? "deny" : "ask";
  context.report("agent.policy", undefined, `${first.entry} does not count: ${first.problem}`, { verdict });
}

/** A file, a directory or a link of that name is enough to switch a check off. */
function inspectSwitch(effect: CommandEffect, context: RuleContext): void {
  const isTaken = effect.kind === "delete" || effect.kind === "move";
  if (!isTaken && effect.kind !== "write" && effect.kind !== "alter") return;
  const { workspace } = context;
  const path = effect.kind === "move" ? effect.from : effect.path;
  for (const { path: place, isRemote, shown } of targetsForWord(context, path, effect.by, false)) {
    if (place === undefined || isRemote) continue;
    if (isTaken ? holdsActiveLock(workspace, place) : isSwitchFile(workspace, place))
      context.report("agent.bypass", effect.by, shown);
  }
}

/** Under another name it would be judged as a program that nobody knows. */
function inspectCopy(from: Value, effect: CommandEffect, context: RuleContext): void {
  const cwd = describe(effect.by.cwd);
  if (isOwnFile(context.workspace, describe(from), cwd))
    context.report("agent.bypass", effect.by, describe(from));
}

function inspectAgent(invocation: Invocation, context: RuleContext): void {
  const { program, argv, environment } = invocation;
  if (program === undefined) return;
  const agent = findAgent(invocation);
  if (agent === undefined && !removesOwnPackage(invocation)) return;
  const words = argv.slice(1).map(describe);
  if (words.includes("--help") || words.includes("--version")) return;
  const report = (shown: readonly string[]) =>
    context.report("agent.bypass", toActor(invocation), shown.join(" "));
  const line = argv.map(describe);
  if (agent !== undefined) {
    if (words.some(word => turnsPermissionsOff(word, agent) || HOOKS_OFF.test(word)))
      report(line.slice(0, 6));
    for (const name of switchesFor(environment)) report([name, "for", agent]);
  }
  if (removesOwnPackage(invocation)) report(line);
}

function switchesFor(environment: Invocation["environment"]): readonly string[] {
  return environment.map(({ name }) => name).filter(name => SWITCHES.has(name) || AGENT_SWITCHES.has(name));
}

/** What only a person decides: to switch the guard off, to change files back, to forget what was kept. */
function inspectOwn(invocation: Invocation, context: RuleContext): void {
  const event = readHookEvent(invocation);
  if (event !== undefined)
    context.report("agent.bypass", toActor(invocation), `amplihack-hooks ${event}, in the place of the host`);
  const cwd = describe(invocation.cwd);
  const call = findOwnCall(invocation, word => isOwnFile(context.workspace, word, cwd));
  if (call === undefined) return;
  const isAsked =
    (call.command !== "" && choosesDatabase(invocation, context)) ||
    (call.command === "hooks test" && runsNewHook(invocation, context));
  const known = usedAs(call);
  const use = known === "passes" && isAsked ? "asks" : known;
  const by = toActor(invocation);
  const shown = invocation.argv.map(describe).join(" ");
  if (use === "history") context.report("agent.history", by, shown);
  else if (use !== "passes")
    context.report("agent.bypass", by, shown, use === "loosens" ? { verdict: "deny" } : {});
  if (call.isLaunch)
    for (const name of switchesFor(invocation.environment))
      context.report("agent.bypass", by, `${name} for ${shown}`);
}

/** Code on a command line that loads this program, and may give it any words. */
function inspectLoading(context: RuleContext): void {
  const { codeRuns, invocations } = context.facts;
  for (const { code, invocation } of codeRuns) {
    const isFile = code.origins.some(({ kind }) => kind === "file");
    const starter = invocation === undefined ? undefined : invocations[invocation];
    if (!isFile && starter !== undefined && loadsOwnProgram(describe(code)))
      context.report("agent.bypass", toActor(starter), "code that starts amplihack");
  }
}

const DATABASE_VARIABLE = "AMPLIHACK_DATABASE_URL";

/** A database of the command's own choice is told passwords and notes; a variable names it where nothing else does. */
function choosesDatabase({ environment }: Invocation, { facts }: RuleContext): boolean {
  // Also where it is not exported here: `set -a` does it, and so does an environment that has the variable already.
  return [...facts.assignments, ...environment].some(({ name }) => name === DATABASE_VARIABLE);
}

/** Hooks that are tried run as code does: those of the state home were let in by a person, others may be this session's. */
function runsNewHook({ argv, cwd, place }: Invocation, context: RuleContext): boolean {
  const { disk, given, home, stateHomes } = context.workspace;
  const words = argv.map(describe);
  const file = words.slice(words.indexOf("test") + 1).find(word => !word.startsWith("-"));
  if (file === undefined || place.kind !== "local") return false;
  const path = disk.resolve(resolve(describe(cwd), expandHome(file, home)), true);
  if (stateHomes.some(state => isInside(state, path))) return false;
  const isWritten = context.effects.some(
    effect =>
      effect.kind === "write" &&
      targetsForWord(context, effect.path, effect.by, true).some(target => target.path === path),
  );
  // A name alone that is no file here is one of the user's own hooks.
  if (isWritten || disk.kind(path) === undefined) return isWritten || file.includes("/");
  return given.written?.()?.hasWritten(path) !== false;
}

function usedAs({ use, isOpen, isLaunch, passedOn, isOptionDependent }: FoundCall): OwnUse {
  if (isLaunch && passedOn.some(word => turnsPermissionsOff(word) || HOOKS_OFF.test(word))) return "loosens";
  return use === "passes" && isOpen && isOptionDependent ? "asks" : use;
}

export const SELF_PROTECTION = {
  name: "self-protection",
  rules: RULES,
  checks: [selfProtection, TREES],
} satisfies RuleFamily;
