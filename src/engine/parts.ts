import type { Contribution, EventDescriptor, JsonObject, Power } from "../protocol/index.ts";
import type { CancelSignal } from "./cancel-signal.ts";
import type { DispatchOptions, HookSource } from "./options.ts";
import type { HandlerSelection } from "./plan.ts";
import type { RegisteredHook } from "./registration.ts";
import type { Loaded } from "./source/load.ts";
import type { UseOptions } from "./types.ts";

/** One dispatch as its configured handlers see it. */
export interface HandlerDispatch {
  readonly event: EventDescriptor;
  readonly power: Power;
  readonly payload: JsonObject;
  /** the payload as a hook reads it; made once for all handlers of a dispatch */
  readonly payloadText: () => string;
  /** the declared tool of the call, whose schema a new input must fit */
  readonly tool: string | undefined;
}

/** A hook together with the system it looks at. */
export interface SystemHook {
  readonly id: string;
  register(
    describeEvent: (name: string) => EventDescriptor,
    options: UseOptions,
    sequence: number,
  ): RegisteredHook;
}

/** What an engine has besides the functions of the host's own code. The core for edge runtimes lacks most of it. */
export interface EngineParts {
  /** Throws when the sources must not be used. */
  load(sources: readonly HookSource[], before?: Loaded["understood"]): Loaded;
  /** Stage 1 of a dispatch. Never rejects. */
  runHandlers(
    dispatch: HandlerDispatch,
    selection: HandlerSelection,
    cancel: CancelSignal,
    onRun: DispatchOptions["onRun"],
  ): Promise<Contribution[]>;
  /** Throws for what cannot be used as a hook here. */
  register(hook: object, options: UseOptions, nextSequence: () => number): readonly RegisteredHook[];
  /** Waits for what runs in the background. */
  drain(): Promise<void>;
}
