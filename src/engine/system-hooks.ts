import type { EventDescriptor, Hook } from "../protocol/index.ts";
import type { System } from "../system/index.ts";
import { toHookInput } from "./hook-input.ts";
import { andThen } from "./maybe.ts";
import { onEvent, type RegisteredHook, register } from "./registration.ts";
import { readEffect, refuse } from "./reply.ts";
import type { UseOptions } from "./types.ts";

export function registerHook(
  hook: Hook<System>,
  event: EventDescriptor,
  system: System,
  given: UseOptions,
  sequence: number,
): RegisteredHook {
  const run: RegisteredHook["run"] = ({ payload, names }, scope) => {
    const checked = toHookInput(event, payload, names, scope.cwd);
    if (!checked.ok) return refuse("field-type", checked.problem);
    return andThen(hook.run(checked.input, system), readEffect);
  };
  const isJudge = hook.isJudge === true;
  return register({ ...onEvent(event, hook.matcher), run, isJudge }, { ...given, id: hook.id }, sequence);
}
