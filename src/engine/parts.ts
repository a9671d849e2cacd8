import type { Contribution, EventDescriptor, JsonObject, Power } from "../protocol/index.ts";
import type { CancelSignal } from "./cancel-signal.ts";
import type { DispatchOptions, Listing } from "./options.ts";
import type { RegisteredHook } from "./registration.ts";
import type { UseOptions } from "./types.ts";

/** One dispatch as its configured handlers see it. */
export interface HandlerDispatch {
  readonly event: EventDescriptor;
  readonly power: Power;
  /** with the changes of the functions */
  readonly payload: JsonObject;
  /** the raw name of the tool and its aliases; empty on events without a tool */
  readonly names: readonly string[];
  readonly cancel: CancelSignal;
  readonly onRun: DispatchOptions["onRun"];
}

/** The configured handlers that an event and a subject set off: stage 1 of a dispatch. */
export interface HandlerPlan {
  /** of all that match; whether one really runs may depend on the payload */
  readonly ids: readonly string[];
  /** Never rejects. */
  run(dispatch: HandlerDispatch): Promise<readonly Contribution[]>;
  /** what would run for a payload; no `once` is consumed */
  preview(payload: JsonObject, names: readonly string[]): readonly Listing[];
}

/** The configured handlers of one event. */
export interface EventHandlers {
  readonly isEmpty: boolean;
  /** how many are not trusted */
  readonly refused: number;
  /** what their matchers are compared with, where that is not the subject of the event */
  readonly subjectOf: ((payload: JsonObject) => string | undefined) | undefined;
  /** undefined when none matches */
  find(names: readonly string[]): HandlerPlan | undefined;
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
  handlersOf(event: EventDescriptor): EventHandlers | undefined;
  listHandlers(): readonly Listing[];
  /** Throws for what cannot be used as a hook here. */
  register(hook: object, options: UseOptions, nextSequence: () => number): readonly RegisteredHook[];
  /** Waits for what runs in the background. */
  drain(): Promise<void>;
}
