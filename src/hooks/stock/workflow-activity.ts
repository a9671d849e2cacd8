import { numberAt, parseJsonObject } from "../../protocol/index.ts";
import { AtomicFlag, findLocksRoot, runtimePath, VARIABLES } from "../../state/index.ts";
import { attempt, type HookContext } from "../program/context.ts";

const STALE_AFTER_MS = 7_200_000;

/** Another agent started this one: what concerns the person's own session is left out. */
export function isNested(context: HookContext): boolean {
  return VARIABLES.AMPLIHACK_SESSION_DEPTH.get(context.system, text => context.log("WARNING", text)) > 0;
}

/**
 * A workflow is running in this project. Its marker counts while the process it names lives and the marker is
 * not too old; one that no longer counts is removed.
 */
export function isWorkflowActive(context: HookContext, cwd: string | undefined): boolean {
  const { system } = context;
  const path = runtimePath(findLocksRoot(system, cwd), "locks", ".workflow_active");
  const marker = new AtomicFlag(path, { system });
  let isActive = false;
  attempt(context, "the workflow marker cannot be used", () => {
    const facts = system.files.inspect(path);
    if (facts === undefined) return;
    const isFresh = system.clock.nowMs() - facts.modifiedMs <= STALE_AFTER_MS;
    isActive = isFresh && namesLivingProcess(context, marker.content() ?? "");
    if (isActive) return;
    context.log("INFO", "the marker of a workflow that no longer runs is removed");
    marker.clear();
  });
  return isActive;
}

/** A marker without a process is believed; one that is not JSON is not. */
function namesLivingProcess({ system }: HookContext, content: string): boolean {
  const marker = parseJsonObject(content, 16);
  if (marker === undefined) return false;
  const pid = numberAt(marker, "pid") ?? 0;
  if (pid <= 0) return true;
  return Number.isSafeInteger(pid) && system.processes.look(pid) !== undefined;
}

const DEV_COMMAND = /^(?:\/dev(?=\s|$)|\/amplihack:dev|\/\.claude:amplihack:dev)/i;

/** An explicit call of the development workflow. */
export function isDevCommand(prompt: string): boolean {
  return DEV_COMMAND.test(prompt.trim());
}
