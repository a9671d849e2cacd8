import type { Attributed, JsonObject, Outcome } from "../../protocol/index.ts";
import type { MaybePromise } from "../options.ts";

/**
 * A call that waits for a person. It is plain JSON and signed: it can be stored, sent to where the person is, and
 * be resumed by any engine that has the same `approvals.key`.
 */
export interface PendingCall {
  readonly version: 1;
  readonly id: string;
  readonly tool: string;
  /** what will run: the arguments after every rewrite */
  readonly args: JsonObject;
  /** what would happen, in the words for the person */
  readonly reason: string;
  /** the hooks that ask */
  readonly by: readonly string[];
  readonly sessionId: string;
  readonly cwd: string;
  readonly context: readonly string[];
  /** what the guard does not know of it; absent without a guard */
  readonly gaps?: readonly CallGap[];
  /** milliseconds since 1970; an answer that comes later does not count */
  readonly expiresAt: number;
  readonly signature: string;
}

/** One thing that the guard does not know of a call: see `Gap` of `amplihack/guard`. */
export interface CallGap {
  readonly kind: string;
  readonly what: string;
  readonly why: string;
}

/**
 * A person's answer: yes or no; a no with what the model shall read; a yes with other arguments, which hooks judge as a
 * new call; a yes for the rest of the session, to this very call.
 */
export type Answer =
  | boolean
  | {
      readonly approved: boolean;
      readonly reason?: string;
      readonly args?: JsonObject;
      /** `call` when absent */
      readonly scope?: "call" | "session";
    };

/** What the model reads when a person said no and nothing else. */
export const USER_REFUSED = "Your user said no. Do not run it again, and do not try it another way.";

export interface CallOptions<C = unknown> {
  /** the model's id of this call. Approval and execution with one id share one decision. Made up when absent */
  readonly id?: string;
  readonly sessionId?: string;
  /** where the tool works; default: the engine's `projectDir` */
  readonly cwd?: string;
  readonly agentId?: string;
  readonly signal?: AbortSignal;
  /** what the agent knows about this run, for hooks of its own code */
  readonly context?: C;
  /** further members of the payload that hooks see */
  readonly payload?: JsonObject;
  /** asks a person at once; without it a call that must be asked about comes back as `pending` */
  readonly onAsk?: (pending: PendingCall) => MaybePromise<Answer>;
  /** the agent's own approval step, which shared the decision by `id`, has said yes already */
  readonly isApproved?: boolean;
}

export type ResumeOptions<C = unknown> = Pick<CallOptions<C>, "agentId" | "signal" | "payload" | "context">;

/** What hooks decided before a call, for an agent with an approval step of its own. */
export interface CallDecision {
  readonly id: string;
  readonly kind: "run" | "ask" | "deny";
  /** of a question what the person reads, of a refusal what the model reads */
  readonly reason: string | undefined;
  /** the arguments that would run */
  readonly args: unknown;
  readonly before: Outcome;
  /**
   * The guard knows everything that the call does, and has nothing against it. Undefined without a guard, and for a plainly
   * harmless command that was not examined (`examineAll` of `guard`).
   */
  readonly understood: boolean | undefined;
  readonly gaps: readonly CallGap[];
}

interface CallReport {
  readonly id: string;
  readonly tool: string;
  /** texts for the model, of hooks before and after the call */
  readonly context: readonly string[];
  /** what hooks tell the model about a call that has happened */
  readonly feedback: string | undefined;
  /** texts for the person */
  readonly messages: readonly (Attributed & { readonly level: "info" | "warn" | "error" })[];
  /** a hook ends the agent's turn */
  readonly halt: { readonly reason?: string; readonly hook: string } | undefined;
  readonly before: Outcome | undefined;
  readonly after: Outcome | undefined;
}

export interface DoneResult<R> extends CallReport {
  readonly status: "done";
  readonly result: R;
}
/** The tool ran and failed. */
export interface FailedResult extends CallReport {
  readonly status: "failed";
  /** what the tool threw, or what a hook put in its place */
  readonly error: unknown;
}
/** The tool did not run. */
export interface DeniedResult extends CallReport {
  readonly status: "denied";
  readonly reason: string;
}
/** The tool has not run yet. */
export interface PendingResult extends CallReport {
  readonly status: "pending";
  /** for the model, where nobody is asked; the person reads `pending.reason` */
  readonly reason: string;
  readonly pending: PendingCall;
}
/** Nothing speaks against the call; whoever asked runs the tool. */
export interface ApprovedResult extends CallReport {
  readonly status: "approved";
  /** what runs: the arguments after every rewrite and edit */
  readonly args: unknown;
}
export type CallResult<R> = DoneResult<R> | FailedResult | DeniedResult | PendingResult;

/** What the tool gets besides its arguments. */
export interface RunScope {
  readonly id: string;
  readonly sessionId: string;
  readonly cwd: string;
  readonly signal: AbortSignal;
}
export type RunTool<A, R> = (args: A, scope: RunScope) => MaybePromise<R>;
