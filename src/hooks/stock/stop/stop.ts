import { type Effect, errorText, type InputOf, readField } from "../../../protocol/index.ts";
import { findLocksRoot, runtimePath, VARIABLES } from "../../../state/index.ts";
import { defineHook, type HookContext } from "../../program/hook-context.ts";
import type { HookDefinition } from "../../program/hook-program.ts";
import { withOpenChanges } from "../history-steps.ts";
import { judgeLock, LockFiles } from "./lock-mode.ts";
import { checkWork } from "./power-steering/check.ts";
import { reflectOnSession } from "./reflection.ts";

/** Letting a stop through is said aloud in the form of our own that Claude Code knows. */
const APPROVAL: Effect = { extras: { claude: { decision: "approve" } } };

/** Decides whether the agent may end its turn: lock mode, then the check of its work, then reflection. */
export const stop = defineHook("stop", "stop", decideStop);

export const definition: HookDefinition = { hook: stop, usesBridge: true, silence: APPROVAL };

async function decideStop(input: InputOf<"stop">, context: HookContext): Promise<Effect> {
  const { system } = context;
  if (VARIABLES.AMPLIHACK_SHUTDOWN_IN_PROGRESS.get(system)) return APPROVAL;
  if (isOfHelper(input)) return APPROVAL;
  await withOpenChanges(context, input.cwd, ({ closeSession }, guard) => closeSession(input, system, guard));
  const lock = new LockFiles(system, runtimePath(system, findLocksRoot(system, input.cwd), "locks"));
  switch (isLocked(context, lock)) {
    case "yes": {
      const verdict = judgeLock(context, lock);
      return verdict.kind === "hold" ? hold("stop.lock", verdict.reason) : APPROVAL;
    }
    case "unknown":
      return APPROVAL;
    default: {
      if (!context.hasPart("workflow")) return APPROVAL;
      const unfinished = await steer(input, context);
      if (unfinished !== undefined) return hold("stop.unfinished", unfinished);
      const findings = await tryToReflect(input, context);
      return findings === undefined ? APPROVAL : hold("stop.reflection", findings);
    }
  }
}

/**
 * Copilot also stops the agents that an agent started, with the transcript of the one that started them. Their work
 * is a part of that one's, which is held when it stops itself.
 */
function isOfHelper({ raw }: InputOf<"stop">): boolean {
  const parent = readField(raw, ["parentAgentId", "parent_agent_id"])?.value;
  return typeof parent === "string" && parent !== "";
}

/** Why a stop was held, as the log of runs names it. */
type HoldId = "stop.lock" | "stop.unfinished" | "stop.reflection";

function hold(id: HoldId, reason: string): Effect {
  return { decision: { kind: "deny", reason }, extras: { rules: [id] } };
}

function isLocked(context: HookContext, lock: LockFiles): "yes" | "no" | "unknown" {
  try {
    return lock.active.isSet() ? "yes" : "no";
  } catch (error) {
    context.metric("lock_config_errors", 1);
    context.report(`the lock of lock mode cannot be looked at: ${errorText(error)}`);
    return "unknown";
  }
}

/** The text that holds the stop, if any. An error of the check itself never holds it. */
async function steer(input: InputOf<"stop">, context: HookContext): Promise<string | undefined> {
  try {
    const verdict = await checkWork(input, context);
    if (verdict.kind === "hold") {
      context.metric("power_steering_blocks", 1);
      context.log("INFO", "power steering holds the stop");
      return verdict.reason;
    }
    context.metric(METRICS[verdict.because] ?? "power_steering_approves", 1, { reason: verdict.because });
    context.log("INFO", `power steering lets the stop through: ${verdict.because}`);
    if (verdict.table !== undefined) context.notify(verdict.table);
  } catch (error) {
    context.metric("power_steering_errors", 1);
    context.report(`the work could not be checked, the stop is let through: ${errorText(error)}`);
  }
  return undefined;
}

const METRICS: Readonly<Record<string, string>> = {
  disabled: "power_steering_disabled_checks",
  concurrent: "power_steering_concurrent_skips",
  missing_transcript: "power_steering_missing_transcript",
  unreadable_place: "power_steering_check_errors",
  first_stop: "power_steering_first_stop_visibility",
};

async function tryToReflect(input: InputOf<"stop">, context: HookContext): Promise<string | undefined> {
  try {
    return await reflectOnSession(input, context);
  } catch (error) {
    context.metric("reflection_errors", 1);
    context.report(`reflection failed, the stop is let through: ${errorText(error)}`);
    return undefined;
  }
}
