import type { Hook, HookInput } from "../../protocol/index.ts";
import type { System } from "../../system/index.ts";
import { type HookResult, readAnswer } from "./answer.ts";
import { openCall } from "./call.ts";
import type { UserHook } from "./define.ts";
import { openFacts } from "./open-facts.ts";
import { isWanted, toWhen, type Wants } from "./wanted.ts";

export const HOOK_TIMEOUT_MS = 5_000;

export function wantsOf({ events, tools, hostTools, options }: UserHook): Wants {
  return { events, tools, hostTools, hosts: options.hosts ?? [], when: toWhen(options.when) };
}

/** Runs a hook here, in this process and without a limit; whoever calls sees to the time. */
export async function runHere(
  hook: UserHook,
  input: HookInput,
  system: System,
  isAborted?: () => boolean,
): Promise<HookResult> {
  const facts = await openFacts(true);
  const opened = openCall(
    input,
    system,
    {
      hook: hook.name,
      deadlineMs: system.clock.monotonicMs() + (hook.options.timeoutMs ?? HOOK_TIMEOUT_MS),
      facts: () => facts(input, system),
      ...(isAborted === undefined ? {} : { isAborted }),
    },
    hook.tools.length > 0,
  );
  return opened.ok ? readAnswer(await hook.run(opened.call), input) : opened;
}

/** The same hook for places that take `Hook`: one for each of its events. */
export function asHooks(hook: UserHook): readonly Hook<System>[] {
  const wants = wantsOf(hook);
  return hook.events.map(event => ({
    id: hook.name,
    event,
    async run(input, system) {
      if (!isWanted(wants, input)) return undefined;
      const result = await runHere(hook, input, system);
      if (!result.ok) throw new Error(result.problem);
      return result.effect;
    },
  }));
}
