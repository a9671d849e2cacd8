import { HOOK_TIMEOUT_MS, isUserHook, isWanted, runHere, type UserHook, wantsOf } from "../hooks/index.ts";
import { defined, type EventDescriptor } from "../protocol/index.ts";
import type { System } from "../system/index.ts";
import { toHookInput } from "./hook-input.ts";
import { onEvent, type RegisteredHook, register } from "./registration.ts";
import { readEffect, refuse } from "./reply.ts";
import { registerHook } from "./system-hooks.ts";
import type { UsableHook, UseOptions } from "./types.ts";

/** Hooks that look at a system, once for each of their events. */
export function registerUsable(
  hook: UsableHook,
  system: System,
  describeEvent: (name: string) => EventDescriptor,
  options: UseOptions,
  nextSequence: () => number,
): readonly RegisteredHook[] {
  if (isUserHook(hook))
    return hook.events.map(event =>
      registerUserHook(hook, describeEvent(event), system, options, nextSequence()),
    );
  return [registerHook(hook, describeEvent(hook.event), system, options, nextSequence())];
}

/** A hook of `defineHook`, once for each of its events. Which host it is for does not count: the agent is none. */
function registerUserHook(
  hook: UserHook,
  event: EventDescriptor,
  system: System,
  given: UseOptions,
  sequence: number,
): RegisteredHook {
  const wants = { ...wantsOf(hook), hosts: [] };
  const run: RegisteredHook["run"] = ({ payload, names }, scope) => {
    const checked = toHookInput(event, payload, names, scope.cwd);
    if (!checked.ok) return refuse("field-type", checked.problem);
    if (!isWanted(wants, checked.input)) return { effect: {} };
    return runHere(hook, checked.input, system, () => scope.signal.aborted).then(result =>
      result.ok ? readEffect(result.effect) : refuse("hook-threw", result.problem),
    );
  };
  const { order, timeoutMs = HOOK_TIMEOUT_MS, onFailure } = { ...hook.options, ...given };
  const options = { id: hook.name, timeoutMs, ...defined({ order, onFailure }) };
  return register({ ...onEvent(event, undefined), run }, options, sequence);
}
