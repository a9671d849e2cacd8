import type { UserHook } from "../hooks/index.ts";
import type { FailurePolicy, Hook, Json, JsonObject, Outcome } from "../protocol/index.ts";
import type { System } from "../system/index.ts";
import type {
  Answer,
  ApprovedResult,
  CallDecision,
  CallOptions,
  CallResult,
  DeniedResult,
  PendingCall,
  PendingResult,
  ResumeOptions,
  RunTool,
} from "./calls/types.ts";
import type { EngineEventName, EventPayload } from "./events.ts";
import type { HistoryPart } from "./history.ts";
import type { EngineHistory } from "./history-types.ts";
import type { DispatchOptions, HookSource, Listing, LoadReport, MaybePromise } from "./options.ts";
import type { SandboxPart, SandboxRun, SandboxRunOptions } from "./sandbox.ts";
import type { ArgsOf, DeepReadonly, ResultOf, ToolMap, ToolName } from "./schema/validate.ts";
import type { Session } from "./session.ts";

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

/** What a tool reported when it failed, in whatever form. */
interface Failure {
  readonly isError: true;
  readonly result: Json;
}
/** A finished call: `isError` tells whether `result` is what the tool declares, or what it reported as it failed. */
export type DoneCall<T extends ToolMap, K extends ToolName<T>> = CallOf<T, K> &
  (Failure | { readonly isError: false; readonly result: DeepReadonly<ResultOf<T, K>> });

/** A finished call of any tool. */
export type AnyDoneCall<T extends ToolMap> = ToolCall<T> & {
  readonly result: Json;
  readonly isError: boolean;
};

/**
 * What an in-process hook gets besides the call. `signal` aborts when the host gives up or the hook's own time
 * is over; `original` is the input as the model wrote it, before any rewrite.
 */
export interface HookScope<C = unknown> {
  readonly sessionId: string;
  /** what this session did before */
  readonly session: Session;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly agentId?: string;
  readonly original: unknown;
  /** what the agent passed with the dispatch or the call */
  readonly context: C;
}

/** What a hook says before an action. Nothing returned means no opinion; `args` replaces the whole input. */
export type Before<A> = Aside &
  (
    | { readonly block: true; readonly reason: string }
    | { readonly decision: "deny"; readonly reason: string }
    | {
        readonly block?: false;
        readonly decision?: "allow" | "ask" | "defer";
        readonly reason?: string;
        readonly args?: A;
        readonly context?: string;
      }
  );

/** What every hook may say besides. */
interface Aside {
  /** a text for the person */
  readonly message?: string;
  /** ends the agent's turn, with a reason or without */
  readonly halt?: boolean | string;
}

/** What a hook says after a call. Each field replaces its counterpart; nothing is merged deeply. */
export interface After<R> extends Aside {
  readonly result?: R;
  readonly isError?: boolean;
  readonly context?: string;
  readonly feedback?: string;
}
/** `void` lets a hook that returns nothing stand as it is. */
export type Settled<V> = V | ReturnType<() => void> | undefined | null;

export interface RegisterOptions {
  readonly id?: string;
  /** lower runs first before a call and last after it; default 0, equal ones in order of registration */
  readonly order?: number;
  readonly timeoutMs?: number;
  /** default: `closed` on events a hook can veto, `open` elsewhere */
  readonly onFailure?: FailurePolicy;
  readonly once?: boolean;
}

/** The last parameter of a method: required where the engine's run context is. */
type Given<C, O> = undefined extends C ? [options?: O] : [options: O & { readonly context: C }];

/** What counts before a hook's own settings. */
export type UseOptions = Pick<RegisterOptions, "order" | "timeoutMs" | "onFailure">;
export type UsableHook = Hook<System> | UserHook | HistoryPart | SandboxPart;

/** An engine for code that does not know the types of the tools: the adapters. */
export interface UntypedEngine {
  has(event: string, subject?: string): boolean;
  dispatch(
    event: string,
    payload: JsonObject | (() => JsonObject),
    options?: DispatchOptions,
  ): Promise<Outcome>;
  decide(tool: string, args: unknown, options?: CallOptions): Promise<CallDecision>;
  /** Hooks and the person before a call, for a loop that runs the tool itself and dispatches what comes after. */
  approve(
    tool: string,
    args: unknown,
    options?: CallOptions,
  ): Promise<ApprovedResult | DeniedResult | PendingResult>;
  call(
    tool: string,
    args: unknown,
    run: RunTool<never, unknown>,
    options?: CallOptions,
  ): Promise<CallResult<unknown>>;
}

/**
 * Selects the hooks of an event, runs them and folds what they say into one outcome. `dispatch` never
 * rejects because of a hook; what a failed hook means is decided by its failure policy.
 */
export interface DispatchEngine<T extends ToolMap, C = unknown, E extends string = never> {
  /** whether anything could run; without a subject: whether the event has any hook at all */
  has(event: string, subject?: string): boolean;
  /** `payload` may be a function, which is not called when nothing can match and no hook looks at sessions. */
  dispatch(
    event: string,
    payload: object | (() => object),
    ...options: Given<C, DispatchOptions<C>>
  ): Promise<Outcome>;
  /** what a dispatch would start now; nothing is run and no `once` is consumed */
  preview(event: string, payload: object): readonly Listing[];
  list(): readonly Listing[];
  /** what is known of a session's earlier calls; one that is not known has none */
  session(id: string): Session;
  /** ends every running hook and waits for it; a later dispatch counts as aborted */
  close(): Promise<void>;
  /** `await using engine = createHookEngine(…)` closes it */
  [Symbol.asyncDispose](): Promise<void>;

  beforeToolCall<const K extends ToolName<T>>(
    tool: K | readonly K[],
    hook: (
      call: { [P in K]: CallOf<T, P> }[K],
      scope: HookScope<C>,
    ) => MaybePromise<Settled<Before<{ [P in K]: ArgsOf<T, P> }[K]>>>,
    options?: RegisterOptions,
  ): Disposable;
  beforeToolCall(
    tool: RegExp | "*",
    hook: (call: ToolCall<T>, scope: HookScope<C>) => MaybePromise<Settled<Before<unknown>>>,
    options?: RegisterOptions,
  ): Disposable;

  afterToolCall<const K extends ToolName<T>>(
    tool: K | readonly K[],
    hook: (
      done: { [P in K]: DoneCall<T, P> }[K],
      scope: HookScope<C>,
    ) => MaybePromise<Settled<After<{ [P in K]: ResultOf<T, P> }[K]>>>,
    options?: RegisterOptions,
  ): Disposable;
  afterToolCall(
    tool: RegExp | "*",
    hook: (done: AnyDoneCall<T>, scope: HookScope<C>) => MaybePromise<Settled<After<unknown>>>,
    options?: RegisterOptions,
  ): Disposable;

  /** throws for a name that is no event */
  on<const N extends EngineEventName | E>(
    event: N,
    matcher: string | RegExp,
    hook: (payload: EventPayload<N>, scope: HookScope<C>) => MaybePromise<Settled<Before<JsonObject>>>,
    options?: RegisterOptions,
  ): Disposable;
  /** cannot influence anything; receives every outcome */
  observe(event: string, watcher: (payload: JsonObject, outcome: Outcome) => void): Disposable;
}

/** An engine that also leads whole tool calls; what the adapters of agent SDKs need. */
export interface CallEngine<T extends ToolMap, C = unknown, E extends string = never>
  extends DispatchEngine<T, C, E> {
  /** the same engine for code that does not know the types of the tools */
  readonly untyped: UntypedEngine;
  /**
   * The whole life of a tool call: hooks before it, a person where one must be asked, the tool, hooks after it.
   * Never rejects because of a hook, the tool or the person; `status` tells how it ended.
   */
  call<const K extends ToolName<T>, R extends ResultOf<T, K>>(
    tool: K,
    args: unknown,
    run: RunTool<ArgsOf<T, K>, R>,
    ...options: Given<C, CallOptions<C>>
  ): Promise<CallResult<T[K] extends { readonly result: unknown } ? ResultOf<T, K> : R>>;
  call<S extends string, A, R>(
    tool: S & (S extends ToolName<T> ? never : unknown),
    args: A,
    run: RunTool<A, R>,
    ...options: Given<C, CallOptions<C>>
  ): Promise<CallResult<R>>;
  /** Only the hooks before a call, for an approval step; `call` with the same `id` does not ask them again. */
  decide(tool: string, args: unknown, ...options: Given<C, CallOptions<C>>): Promise<CallDecision>;
  /** Goes on with a call that waited for a person, in this process or in another one. */
  resume<A, R>(
    pending: PendingCall,
    answer: Answer,
    run: RunTool<A, R>,
    ...options: Given<C, ResumeOptions<C>>
  ): Promise<CallResult<R>>;
}

/** An engine that also loads hooks from configuration and takes hooks that look at the machine. */
export interface HookEngine<T extends ToolMap, C = unknown, E extends string = never>
  extends CallEngine<T, C, E> {
  readonly report: LoadReport;
  /**
   * Swaps all configured handlers at once; registered functions and running dispatches are not touched. A source that
   * can no longer be understood keeps what it said before, and the report's error says so. Sources are known by kind
   * and path, those without a path by kind and order. Throws where `createHookEngine` would, and changes nothing then.
   */
  reload(sources: readonly HookSource[]): LoadReport;
  /** what `history()` keeps; throws a `TypeError` in an engine that was given none */
  readonly history: EngineHistory;
  /**
   * Runs a command of a shell tool in the sandbox that `sandbox()` describes, judged before and after as hosts' calls are.
   * Rejects with a `TypeError` in an engine that was given none; a command that cannot be bounded is refused, never run bare.
   */
  run(command: string, options?: SandboxRunOptions): Promise<SandboxRun>;
  /** attaches hooks as they are: stock hooks, the guard, `history()`, `sandbox()`, and what `defineHook` made */
  use(hooks: UsableHook | readonly UsableHook[], options?: UseOptions): Disposable;
}
