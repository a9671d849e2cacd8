import type { Dialect, HookSource, Limits, SourceKind } from "../handlers/index.ts";
import type { Diagnostic, EventDescriptor, FailurePolicy, JsonObject, Run } from "../protocol/index.ts";
import type { AnswerStore } from "./calls/answer-store.ts";
import type { ToolMap } from "./schema/validate.ts";

export {
  DEFAULT_LIMITS,
  DIALECTS,
  type Dialect,
  type HookSource,
  type Limits,
  SOURCE_KINDS,
  type SourceKind,
} from "../handlers/index.ts";

export type MaybePromise<V> = V | Promise<V>;

export interface LoadReport {
  /** how many configured handlers are active */
  readonly handlers: number;
  readonly errors: readonly Diagnostic[];
  readonly warnings: readonly Diagnostic[];
}

export type TrustState = "managed" | "trusted" | "modified" | "untrusted";
/** The host's memory of what its user agreed to. Throwing counts as `untrusted`. */
export interface TrustStore {
  state(identity: string, source: HookSource): TrustState;
}

/** One handler as a person may want to see it. */
export interface Listing {
  readonly id: string;
  readonly event: string;
  readonly kind: string;
  readonly source: SourceKind;
  readonly dialect: Dialect;
  readonly matcher?: string;
  readonly summary: string;
  readonly timeoutMs: number;
  readonly onFailure: FailurePolicy;
  readonly identity: string;
  readonly trust: TrustState;
  readonly enabled: boolean;
}

/** What the engine cannot do itself. Each answers with text that is read like a command hook's stdout. */
export interface Delegates {
  mcpTool?(call: {
    readonly server: string;
    readonly tool: string;
    readonly input: JsonObject;
    readonly signal: AbortSignal;
  }): Promise<string>;
  prompt?(call: {
    readonly prompt: string;
    readonly model?: string;
    readonly event: JsonObject;
    readonly signal: AbortSignal;
  }): Promise<string>;
  agent?(call: {
    readonly prompt: string;
    readonly event: JsonObject;
    readonly signal: AbortSignal;
  }): Promise<string>;
}

export type Attribute = string | number | boolean | readonly string[];
export interface Span {
  set(key: string, value: Attribute): void;
  event(name: string, attributes?: Readonly<Record<string, Attribute>>): void;
}
/** Where spans and metrics go. `span` calls `body` once and returns what it returns. */
export interface Telemetry {
  span<V>(name: string, attributes: Readonly<Record<string, Attribute>>, body: (span: Span) => V): V;
  count(name: string, n: number, attributes: Readonly<Record<string, string>>): void;
  record(name: string, value: number, attributes: Readonly<Record<string, string>>): void;
}

/** What a background handler had to say after its event was over. */
export interface AsyncReport {
  readonly hook: string;
  readonly context?: string;
  readonly message?: string;
  readonly rewake?: string;
}

/** How calls that wait for a person are kept safe on their way. */
export interface ApprovalOptions {
  /** signs pending calls; give the same to every process that may resume them. Default: made at random */
  readonly key?: string;
  /** how long an answer counts (24 hours) */
  readonly ttlMs?: number;
  /** where answered calls are kept, so that each is used once in all processes. Default: in this engine's memory */
  readonly store?: AnswerStore;
}

/** What every engine takes, also the core for edge runtimes. */
export interface CoreOptions<T extends ToolMap, E extends string = string> {
  readonly projectDir: string;
  readonly tools?: T;
  /** by event name; a handler's own `onFailure` comes first */
  readonly failurePolicy?: Readonly<Record<string, FailurePolicy>>;
  /** how often in a row an agent may be kept from stopping (8) */
  readonly stopBlockCap?: number;
  /** further names of one tool; a handler that matches several of them runs once */
  readonly aliases?: (tool: string) => readonly string[];
  /** events of the host's own, beside those of the table */
  readonly events?: readonly (EventDescriptor & { readonly name: E })[];
}

/** What engines take that lead whole tool calls. */
export interface AgentOptions<T extends ToolMap, E extends string = string> extends CoreOptions<T, E> {
  readonly telemetry?: Telemetry;
  readonly approvals?: ApprovalOptions;
}

export interface EngineOptions<T extends ToolMap, E extends string = string> extends AgentOptions<T, E> {
  readonly sources?: readonly HookSource[];
  /** the environment hooks start from; default: a copy of the process's, taken at creation */
  readonly env?: Readonly<Record<string, string>>;
  /** names exempt from the scrub */
  readonly passEnv?: readonly string[];
  readonly limits?: Partial<Limits>;
  /** SIGKILL follows SIGTERM after `killMs` (1000); held pipes are given up after `pipeMs` (250) */
  readonly grace?: { readonly killMs?: number; readonly pipeMs?: number };
  /** live child processes at a time (16) */
  readonly maxProcesses?: number;
  /** `*` globs over the whole URL; absent: any URL that the address rules allow */
  readonly allowedHttpHookUrls?: readonly string[];
  readonly allowPrivateNetwork?: boolean;
  /** absent: every source is trusted */
  readonly trust?: TrustStore;
  /** makes the content of the script a command names part of its identity */
  readonly pinScripts?: boolean;
  readonly delegates?: Delegates;
  readonly dialects?: { readonly atomcode?: { readonly promptNonZero?: "warn" | "block" } };
  readonly onAsync?: (report: AsyncReport) => void;
  /** any load error rejects */
  readonly strict?: boolean;
}

export interface DispatchOptions<C = unknown> {
  /** what the agent knows about this run; hooks of its own code see it, others do not */
  readonly context?: C;
  readonly signal?: AbortSignal;
  /** streams the start and the end of each handler, for a user interface; must not throw */
  readonly onRun?: (run: Run | { readonly hook: string; readonly status: "started" }) => void;
}
