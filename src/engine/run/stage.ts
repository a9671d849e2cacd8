import type { EventDescriptor, JsonObject } from "../../protocol/index.ts";
import type { Interruption } from "../interruption.ts";
import type { Limits } from "../options.ts";
import { aborted, failed, type RawResult } from "../output/result.ts";
import type { Seams } from "../seams.ts";

/** What a runner needs to run one handler once. */
export interface Stage {
  readonly seams: Seams;
  readonly limits: Limits;
  readonly event: EventDescriptor;
  readonly payload: JsonObject;
  /** the payload as a hook reads it; made once for all handlers of a dispatch */
  readonly payloadText: () => string;
  readonly timeoutMs: number;
  readonly interruption: Interruption;
}

export type Answered<V> =
  | { readonly kind: "value"; readonly value: V }
  | { readonly kind: "ended"; readonly result: RawResult };

/** Waits for work that can be called off, but never longer than the handler's time or the host's patience. */
export function withDeadline<V>(
  stage: Stage,
  start: (signal: AbortSignal) => Promise<V>,
): Promise<Answered<V>> {
  if (stage.interruption.isRaised) return Promise.resolve({ kind: "ended", result: aborted() });
  return new Promise(resolve => {
    const controller = new AbortController();
    const settle = (answered: Answered<V>): void => {
      cancelTimer();
      unsubscribe();
      resolve(answered);
      if (answered.kind === "ended") controller.abort();
    };
    const cancelTimer = stage.seams.timers.after(stage.timeoutMs, () =>
      settle({ kind: "ended", result: timedOut(stage.timeoutMs) }),
    );
    const unsubscribe = stage.interruption.subscribe(() => settle({ kind: "ended", result: aborted() }));
    callAsync(start, controller.signal).then(
      value => settle({ kind: "value", value }),
      (error: unknown) => settle({ kind: "ended", result: failed("hook-threw", describeError(error)) }),
    );
  });
}

/** A function that throws before it returns its promise is one whose promise rejects. */
async function callAsync<V>(start: (signal: AbortSignal) => Promise<V>, signal: AbortSignal): Promise<V> {
  return start(signal);
}

export function timedOut(timeoutMs: number): RawResult {
  return failed("timeout", `no answer within ${timeoutMs} ms`);
}

export function describeError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : `threw ${typeof error}`;
}
