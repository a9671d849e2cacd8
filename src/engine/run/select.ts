import { type ConditionFacts, strictestPolicy } from "../../handlers/index.ts";
import type { EventDescriptor, FailurePolicy } from "../../protocol/index.ts";
import type { ConfiguredHandler } from "../source/load.ts";
import { canonicalJson } from "../trust.ts";

/** A handler about to run, with the time and policy it runs under. */
export interface PlannedStep {
  readonly handler: ConfiguredHandler;
  readonly timeoutMs: number;
  readonly onFailure: FailurePolicy;
}

/** What stage 1 runs: lanes at the same time, the steps of a lane one after another, all listed in fold order. */
export interface HandlerSelection {
  readonly steps: readonly PlannedStep[];
  readonly lanes: readonly (readonly PlannedStep[])[];
  /** started in the background, never waited for */
  readonly background: readonly PlannedStep[];
  readonly duplicates: readonly { readonly kept: string; readonly dropped: string }[];
}

/** Whether what runs does not depend on the payload. */
export function isStatic(handlers: readonly ConfiguredHandler[]): boolean {
  return handlers.every(({ spec, condition }) => condition === undefined && !spec.isOnce);
}

/** The handlers that a payload sets off. `claim` is asked last: it may use up a `once`. */
export function selectFor(
  handlers: readonly ConfiguredHandler[],
  event: EventDescriptor,
  facts: () => ConditionFacts,
  claim: (handler: ConfiguredHandler) => boolean,
): HandlerSelection {
  let known: ConditionFacts | undefined;
  const runs = handlers.filter(handler => {
    if (handler.condition !== undefined) {
      known ??= facts();
      if (!handler.condition(known)) return false;
    }
    return !handler.spec.isOnce || claim(handler);
  });
  return select(runs, event);
}

export function select(handlers: readonly ConfiguredHandler[], event: EventDescriptor): HandlerSelection {
  const { steps, duplicates } = deduplicate(handlers);
  const isBackground = ({ handler }: PlannedStep): boolean =>
    handler.spec.isAsync && event.name !== "SessionEnd";
  const background = steps.filter(isBackground);
  const lanes: PlannedStep[][] = [];
  const shared = new Map<string, PlannedStep[]>();
  for (const step of steps) {
    if (isBackground(step)) continue;
    const { dialect } = step.handler.spec;
    const lane = dialect === "claude" ? undefined : shared.get(dialect);
    if (lane !== undefined) {
      lane.push(step);
      continue;
    }
    const fresh = [step];
    lanes.push(fresh);
    if (dialect !== "claude") shared.set(dialect, fresh);
  }
  return { steps, lanes, background, duplicates };
}

/** Equal handlers of the claude dialect run once: in the place of the first, as long and as strict as any. */
function deduplicate(handlers: readonly ConfiguredHandler[]): Pick<HandlerSelection, "steps" | "duplicates"> {
  const steps: PlannedStep[] = [];
  const duplicates: { kept: string; dropped: string }[] = [];
  const places = new Map<string, number>();
  for (const handler of handlers) {
    const step: PlannedStep = { handler, timeoutMs: handler.spec.timeoutMs, onFailure: handler.onFailure };
    const key = handler.spec.dialect === "claude" ? dedupeKey(handler) : undefined;
    const place = key === undefined ? undefined : places.get(key);
    const first = place === undefined ? undefined : steps[place];
    if (place === undefined || first === undefined) {
      if (key !== undefined) places.set(key, steps.length);
      steps.push(step);
      continue;
    }
    duplicates.push({ kept: first.handler.spec.id, dropped: handler.spec.id });
    steps[place] = {
      handler: first.handler,
      timeoutMs: Math.max(first.timeoutMs, step.timeoutMs),
      onFailure: strictestPolicy(first.onFailure, step.onFailure),
    };
  }
  return { steps, duplicates };
}

function dedupeKey({ spec }: ConfiguredHandler): string {
  return canonicalJson({ action: spec.action, root: spec.source.pluginRoot, isAsync: spec.isAsync });
}
