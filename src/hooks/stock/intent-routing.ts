import { hostOrDefault } from "../../hosts/index.ts";
import {
  AtomicFlag,
  appendJsonLine,
  findHome,
  findLocksRoot,
  findStateHome,
  runtimePath,
  VARIABLES,
} from "../../state/index.ts";
import { join } from "../../system/index.ts";
import { countCharacters } from "../../text/index.ts";
import { attempt, type HookContext } from "../program/hook-context.ts";
import { findImpostors } from "../user/own-names.ts";
import { isWorkflowActive } from "./workflow-tracking.ts";

export type RoutingReason =
  | "inject"
  | "skip:disabled"
  | "skip:workflow_active"
  | "skip:not_string"
  | "skip:empty"
  | "skip:slash_command"
  | "skip:too_short";

export interface Routing {
  readonly inject: boolean;
  /** for the model; empty when nothing is injected */
  readonly text: string;
  readonly reason: RoutingReason;
}

const MIN_PROMPT_LENGTH = 10;

/**
 * Tells whether a prompt should be led to the development workflow. No stock hook asks: the classification reminder
 * does its work at new topics. This is for hooks of one's own that want it at every prompt.
 */
export function routeIntent(prompt: unknown, context: HookContext, cwd?: string): Routing {
  const marker = new AtomicFlag(
    runtimePath(context.system, findLocksRoot(context.system, cwd), "locks", ".auto_dev_active"),
    context,
  );
  const reason = judge(prompt, context, marker, cwd);
  const inject = reason === "inject";
  attempt(context, "the routing was not marked", () => {
    if (inject) marker.set();
  });
  attempt(context, "the routing decision was not kept", () => keepDecision(context, reason, prompt));
  return { inject, text: inject ? routingText(context) : "", reason };
}

function routingText(context: HookContext): string {
  return (
    `If this prompt asks for development or an investigation, ${developmentGuide(context)}; ` +
    "answer questions and carry out simple operations directly."
  );
}

function judge(
  prompt: unknown,
  context: HookContext,
  marker: AtomicFlag,
  cwd: string | undefined,
): RoutingReason {
  // A folder for locks that others made says nothing; only the marker and the variable do.
  if (!marker.isSet() && !VARIABLES.AMPLIHACK_AUTO_DEV.get(context.system)) return "skip:disabled";
  if (isWorkflowActive(context, cwd)) return "skip:workflow_active";
  if (typeof prompt !== "string") return "skip:not_string";
  const text = prompt.trim();
  if (text === "") return "skip:empty";
  if (text.startsWith("/")) return "skip:slash_command";
  return countCharacters(text) < MIN_PROMPT_LENGTH ? "skip:too_short" : "inject";
}

/** How long the prompt was, never what it said: no prompt is kept in a log. */
function keepDecision(context: HookContext, reason: RoutingReason, prompt: unknown): void {
  context.prepare();
  appendJsonLine(context.system, context.path("logs", "dev_intent_router", "routing_decisions.jsonl"), {
    event: "routing_decision",
    should_inject: reason === "inject",
    reason,
    prompt_length: typeof prompt === "string" ? countCharacters(prompt) : 0,
    timestamp: context.nowText(),
  });
}

const SKILL = "dev-orchestrator";

/**
 * How a model gets into the development workflow here: by a skill that this host has, else by our own recipe. A model
 * is never sent to a skill that is not there.
 */
export function developmentGuide(context: HookContext): string {
  const recipe = `amplihack recipe run default-workflow -c task_description="…" -c repo_path=.`;
  if (isForeign(context))
    return `start with the recipe (the ${SKILL} skill of this project is not amplihack's): ${recipe}`;
  if (hasSkill(context)) return `invoke the ${SKILL} skill first, before any other tool`;
  return `start with the recipe (no ${SKILL} skill is installed here): ${recipe}`;
}

/** A skill of the project that has the name of ours, and that the person did not trust. */
function isForeign({ system, projectRoot, host }: HookContext): boolean {
  const stateHome = findStateHome(system);
  const names = (hostOrDefault(host).skillFolders ?? []).map(folder => join(folder, SKILL, "SKILL.md"));
  return stateHome !== undefined && findImpostors(system, projectRoot, stateHome, names).length > 0;
}

function hasSkill({ system, projectRoot, host }: HookContext): boolean {
  const plugin = VARIABLES.CLAUDE_PLUGIN_ROOT.tryGet(system);
  const roots = [projectRoot, findHome(system)].filter(root => root !== undefined);
  const folders = (hostOrDefault(host).skillFolders ?? []).flatMap(folder =>
    roots.map(root => join(root, folder)),
  );
  return [...folders, ...(plugin === undefined ? [] : [join(plugin, "skills")])].some(
    folder => system.files.follow(join(folder, SKILL, "SKILL.md"))?.kind === "file",
  );
}
