import type { UserHook } from "../hooks/user/define.ts";
import type { FailurePolicy, Hook, Json, JsonObject, Outcome } from "../protocol/index.ts";
import type { System } from "../system/system.ts";
import type { DispatchOptions, HookSource, Listing, LoadReport } from "./options.ts";
import type { ArgsOf, DeepReadonly, ResultOf, ToolMap, ToolName } from "./schema/infer.ts";

interface CallBase {
  readonly id: string;
  readonly name: string;
}

/**
 * A tool call. `name` is always the raw name; `tool` is the declared key, or undefined for an undeclared tool.
 * Only unit types discriminate, so `if (call.tool === "bash")` narrows `call.args`.
 */
export type ToolCall<T extends ToolMap> =
  | {
      [K in ToolName<T>]: CallBase & { readonly tool: K; readonly args: DeepReadonly<ArgsOf<T, K>> };
    }[ToolName<T>]
  | (CallBase & { readonly tool: undefined; readonly args: JsonObject });
export type CallOf<T extends ToolMap, K extends ToolName<T>> = Extract<ToolCall<T>, { readonly tool: K }>;

/** A finished call: a failed one is seen too, with `isError` and whatever the tool reported as its result. */
export type DoneCall<T extends ToolMap, K extends ToolName<T>> = CallOf<T, K> & {
  readonly result: DeepReadonly<ResultOf<T, K>>;
  readonly isError: boolean;
};

/** A finished call of any tool. */
export type AnyDoneCall<T extends ToolMap> = ToolCall<T> & {
  readonly result: Json;
  readonly isError: boolean;
};

/**
 * What an in-process hook gets besides the call. `signal` aborts when the host gives up or the hook's own time
 * is over; `original` is the input as the model wrote it, before any rewrite.
 */
export interface HookScope {
  readonly sessionId: string;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly agentId?: string;
  readonly original: unknown;
}

/** What a hook says before an action. Nothing returned means no opinion; `args` replaces the whole input. */
export type Before<A> =
  | { readonly block: true; readonly reason: string }
  | { readonly decision: "deny"; readonly reason: string }
  | {
      readonly block?: false;
      readonly decision?: "allow" | "ask" | "defer";
      readonly reason?: string;
      readonly args?: A;
      readonly context?: string;
    };

/** What a hook says after a call. Each field replaces its counterpart; nothing is merged deeply. */
export interface After<R> {
  readonly result?: R;
  readonly isError?: boolean;
  readonly context?: string;
  readonly feedback?: string;
}
/** `void` lets a hook that returns nothing stand as it is. */
export type Settled<V> = V | ReturnType<() => void> | undefined | null;
export type MaybePromise<V> = V | Promise<V>;

export interface RegisterOptions {
  readonly id?: string;
  /** lower runs first before a call and last after it; default 0, equal ones in order of registration */
  readonly order?: number;
  readonly timeoutMs?: number;
  /** default: `closed` on events a hook can veto, `open` elsewhere */
  readonly onFailure?: FailurePolicy;
  readonly once?: boolean;
}

export type UsableHook = Hook<System> | UserHook;

/**
 * Loads hooks, selects those of an event, runs them and folds what they say into one outcome. `dispatch` never
 * rejects because of a hook; what a failed hook means is decided by its failure policy.
 */
export interface HookEngine<T extends ToolMap> {
  readonly report: LoadReport;
  /** whether anything could run; without a subject: whether the event has any hook at all */
  has(event: string, subject?: string): boolean;
  /** `payload` may be a function, which is not called when nothing can match. */
  dispatch(
    event: string,
    payload: JsonObject | (() => JsonObject),
    options?: DispatchOptions,
  ): Promise<Outcome>;
  /** what a dispatch would start now; nothing is run and no `once` is consumed */
  preview(event: string, payload: JsonObject): readonly Listing[];
  list(): readonly Listing[];
  /**
   * Swaps all configured handlers at once; registered functions and running dispatches are not touched. A source that
   * can no longer be understood keeps what it said before, and the report's error says so. Sources are known by kind
   * and path, those without a path by kind and order. Throws where `createHookEngine` would, and changes nothing then.
   */
  reload(sources: readonly HookSource[]): LoadReport;
  /** ends every running hook and waits for it; a later dispatch counts as aborted */
  close(): Promise<void>;

  beforeToolCall<const K extends ToolName<T>>(
    tool: K | readonly K[],
    hook: (
      call: { [P in K]: CallOf<T, P> }[K],
      scope: HookScope,
    ) => MaybePromise<Settled<Before<{ [P in K]: ArgsOf<T, P> }[K]>>>,
    options?: RegisterOptions,
  ): Disposable;
  beforeToolCall(
    tool: RegExp | "*",
    hook: (call: ToolCall<T>, scope: HookScope) => MaybePromise<Settled<Before<unknown>>>,
    options?: RegisterOptions,
  ): Disposable;

  afterToolCall<const K extends ToolName<T>>(
    tool: K | readonly K[],
    hook: (
      done: { [P in K]: DoneCall<T, P> }[K],
      scope: HookScope,
    ) => MaybePromise<Settled<After<{ [P in K]: ResultOf<T, P> }[K]>>>,
    options?: RegisterOptions,
  ): Disposable;
  afterToolCall(
    tool: RegExp | "*",
    hook: (done: AnyDoneCall<T>, scope: HookScope) => MaybePromise<Settled<After<unknown>>>,
    options?: RegisterOptions,
  ): Disposable;

  on(
    event: string,
    matcher: string | RegExp,
    hook: (payload: JsonObject, scope: HookScope) => MaybePromise<Settled<Before<JsonObject>>>,
    options?: RegisterOptions,
  ): Disposable;
  /** cannot influence anything; receives every outcome */
  observe(event: string, watcher: (payload: JsonObject, outcome: Outcome) => void): Disposable;
  /** attaches hooks as they are: stock hooks, the guard, and what `defineHook` made */
  use(hooks: UsableHook | readonly UsableHook[]): Disposable;
}
