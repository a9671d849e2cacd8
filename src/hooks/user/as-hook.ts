import { type FailurePolicy, findEvent, type HookInput } from "../../protocol/index.ts";
import type { System } from "../../system/index.ts";
import { type HookResult, readAnswer } from "./answer.ts";
import { openCall, openFacts } from "./call.ts";
import { HOOK_TIMEOUT_MS, isUserHook, type UserHook } from "./define.ts";
import type { BuiltHook, Wants } from "./manifest.ts";
import { toWhen } from "./wanted.ts";

export function toWants({ events, tools, hostTools, options }: UserHook): Wants {
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

const POLICIES: readonly FailurePolicy[] = ["open", "ask", "closed"];

/** The hooks that a file exports, as the manifest holds them. Throws for one that cannot be used. */
export function describeExports(exports: Readonly<Record<string, unknown>>): readonly BuiltHook[] {
  const found = Object.entries(exports).filter(([, value]) => isUserHook(value));
  const seen = new Set<unknown>();
  return found.flatMap(([exportName, hook]) => {
    // One hook under two names is one hook.
    if (!isUserHook(hook) || seen.has(hook)) return [];
    seen.add(hook);
    return [describeHook(exportName, hook)];
  });
}

function describeHook(exportName: string, hook: UserHook): BuiltHook {
  const { name, options } = hook;
  const { timeoutMs = HOOK_TIMEOUT_MS, order = 0, onFailure = "open" } = options;
  const complain = (what: string): never => {
    throw new TypeError(`hook ${name}: ${what}`);
  };
  if (hook.events.length === 0) complain(`"event" is missing`);
  for (const event of hook.events)
    if (findEvent(event)?.name !== event) complain(`there is no event "${String(event).slice(0, 60)}"`);
  if (!Number.isFinite(timeoutMs) || timeoutMs <= 0) complain(`"timeoutMs" must be a number above zero`);
  if (!Number.isFinite(order)) complain(`"order" must be a number`);
  if (!POLICIES.includes(onFailure)) complain(`"onFailure" must be one of ${POLICIES.join(", ")}`);
  const wants = toWants(hook);
  const lists = [wants.events, wants.tools, wants.hostTools, wants.hosts];
  if (!lists.every(list => list.every(item => typeof item === "string")))
    complain(`"event", "tool", "hostTool" and "hosts" hold names`);
  return { ...wants, name, exportName, order, timeoutMs, onFailure };
}
