import type { EventDescriptor, FailurePolicy, Json, JsonObject } from "../protocol/index.ts";
import type { Matcher } from "./match.ts";
import type { Reply } from "./reply.ts";
import type { HookScope, MaybePromise } from "./types.ts";

/** A function of the host's own code as a hook. */
export interface Registration {
  readonly id: string;
  readonly events: readonly string[];
  /** runs after a call, in the reverse of its order: the first in is the last out */
  readonly isReversed: boolean;
  readonly order: number;
  readonly sequence: number;
  readonly matcher: Matcher;
  /** how the matcher was written, for listings */
  readonly matcherText: string | undefined;
  readonly timeoutMs: number;
  readonly onFailure: FailurePolicy | undefined;
  readonly isOnce: boolean;
  /** Calls the function with what it is to see, and reads what it returns. May throw or reject. */
  run(view: CallView, scope: HookScope): MaybePromise<Reply>;
}

/** The call as the hooks before this one left it. Everything in it is frozen. */
export interface CallView {
  readonly event: EventDescriptor;
  readonly payload: JsonObject;
  readonly id: string;
  readonly name: string;
  /** the raw name and its aliases; empty on events without a tool */
  readonly names: readonly string[];
  readonly input: Json;
  readonly result: Json;
  readonly isError: boolean;
  /** the input with the type its tool declares */
  checkedInput(): MaybePromise<CheckedArgs>;
}

/** `tool` is the declared name; undefined with a problem when the input does not fit its schema. */
export interface CheckedArgs {
  readonly tool: string | undefined;
  readonly args: unknown;
  readonly problem: string | undefined;
}

function compareRegistrations(left: Registration, right: Registration): number {
  return left.order - right.order || left.sequence - right.sequence;
}

/** Stage 0 in the order it runs in. */
export function inRunOrder(registrations: readonly Registration[]): readonly Registration[] {
  const sorted = [...registrations].sort(compareRegistrations);
  return [...sorted.filter(item => !item.isReversed), ...sorted.filter(item => item.isReversed).reverse()];
}
