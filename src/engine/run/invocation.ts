import { aborted, failed, type RawResult } from "../../handlers/index.ts";
import type { EventDescriptor, JsonObject, Power } from "../../protocol/index.ts";
import type { CancelSignal } from "../cancel-signal.ts";
import type { HandlerContext } from "../context.ts";

/** What the configured handlers of one dispatch share. */
export interface DispatchContext {
  readonly core: HandlerContext;
  readonly event: EventDescriptor;
  readonly power: Power;
  readonly payload: JsonObject;
  /** the payload as a hook reads it; made once for all handlers of a dispatch */
  readonly payloadText: () => string;
  /** the declared tool of the call, whose schema a new input must fit */
  readonly tool: string | undefined;
}

/** One run of one handler. */
export interface Invocation extends DispatchContext {
  readonly timeoutMs: number;
  readonly cancel: CancelSignal;
}

type DeadlineResult<V> =
  | { readonly kind: "value"; readonly value: V }
  | { readonly kind: "ended"; readonly result: RawResult };

/** Waits for work that can be cancelled, but never longer than the handler's timeout. */
export function withDeadline<V>(
  { core, timeoutMs, cancel }: Invocation,
  start: (signal: AbortSignal) => Promise<V>,
): Promise<DeadlineResult<V>> {
  if (cancel.isRaised) return Promise.resolve({ kind: "ended", result: aborted() });
  return new Promise(resolve => {
    const controller = new AbortController();
    const settle = (result: DeadlineResult<V>): void => {
      cancelTimer();
      unsubscribe();
      resolve(result);
      if (result.kind === "ended") controller.abort();
    };
    const cancelTimer = core.timers.after(timeoutMs, () =>
      settle({ kind: "ended", result: timedOut(timeoutMs) }),
    );
    const unsubscribe = cancel.subscribe(() => settle({ kind: "ended", result: aborted() }));
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
