import { VARIABLES } from "../../state/index.ts";
import type { System } from "../../system/index.ts";

/** A hook that starts an agent whose hooks start agents: from here on users' hooks do not run. */
export const MAX_HOOK_DEPTH = 3;

const { AMPLIHACK_HOOK_DEPTH: DEPTH } = VARIABLES;

/** How many hooks of users stand above this process. */
export function hookDepth(system: Pick<System, "env">): number {
  return DEPTH.tryGet(system) ?? 0;
}

/** What a program that a hook starts gets besides the environment of this process. */
export function deeperEnvironment(system: Pick<System, "env">): Readonly<Record<string, string>> {
  return { [DEPTH.name]: String(hookDepth(system) + 1) };
}
