import { type GuardOptions, guard as guardHook } from "../guard/index.ts";
import type { Hook } from "../protocol/index.ts";
import { isAbsolute, type System } from "../system/index.ts";
import { createEdgeSystem } from "./edge-system.ts";
import type { SystemHook } from "./parts.ts";
import { registerHook } from "./system-hooks.ts";

/** Makes a hook that looks at a system usable in an engine that has none. */
export function withSystem(hook: Hook<System>, system: System): SystemHook {
  return {
    id: hook.id,
    register: (describeEvent, options, sequence) =>
      registerHook(hook, describeEvent(hook.event), system, options, sequence),
  };
}

/**
 * The guard, as `amplihack/guard` has it, for engines without a system of their own. What `system` does not know is
 * judged by its name.
 */
export function guard(options: GuardOptions = {}, system: System = createEdgeSystem()): SystemHook {
  const hook = guardHook(options);
  return withSystem(
    { ...hook, run: (input, given) => hook.run(input, startedIn(given, input.cwd ?? "")) },
    system,
  );
}

/** A system that does not know a call's directory must not take another one for it. */
function startedIn(system: System, directory: string): System {
  if (!isAbsolute(directory)) return system;
  return {
    ...system,
    files: Object.assign(Object.create(system.files), { workingDirectory: () => directory }),
  };
}
