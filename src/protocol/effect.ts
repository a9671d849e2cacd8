import type { Json, JsonObject } from "./members.ts";

/** In rising order of strictness. `none` is silence, which is not consent. */
export const VERDICTS = ["none", "allow", "ask", "defer", "deny"] as const;
export type VerdictKind = (typeof VERDICTS)[number];
export type FailurePolicy = "open" | "ask" | "closed";

/** One decision told to each of its readers, for hosts that show them different texts. */
export interface ReaderTexts {
  readonly person: string;
  readonly model: string;
}

export type Decision =
  | { readonly kind: "none" }
  | {
      readonly kind: "allow" | "ask" | "defer";
      readonly reason?: string;
      readonly texts?: ReaderTexts;
      readonly by: readonly string[];
    }
  | {
      readonly kind: "deny";
      readonly reason: string;
      readonly texts?: ReaderTexts;
      readonly by: readonly string[];
    };

export type MessageLevel = "info" | "warn" | "error";

export interface Diagnostic {
  readonly code: string;
  readonly severity: "error" | "warning" | "info";
  readonly hook?: string;
  readonly detail: string;
}

/**
 * Everything one hook can say. Absence means it has no opinion on that point; the empty object is silence.
 * `input` and `output` replace what was there, they are never merged.
 */
export interface Effect {
  readonly decision?: {
    readonly kind: Exclude<VerdictKind, "none">;
    /** read by the model when it is refused, and by whoever is asked */
    readonly reason?: string;
    readonly texts?: ReaderTexts;
  };
  /** end the agent's turn */
  readonly halt?: { readonly reason?: string };
  readonly input?: JsonObject;
  readonly output?: Json;
  /** text for the model */
  readonly context?: string;
  /** text for the person */
  readonly message?: { readonly text: string; readonly level: MessageLevel };
  readonly suppress?: boolean;
  /** members that only one event or one host knows */
  readonly extras?: JsonObject;
  readonly diagnostics?: readonly Diagnostic[];
}

export interface Attributed {
  readonly text: string;
  readonly hook: string;
}

export type RunStatus = "ok" | "warned" | "blocked" | "failed" | "timeout" | "aborted" | "async" | "skipped";

export interface Run {
  readonly hook: string;
  readonly status: RunStatus;
  readonly durationMs: number;
  readonly exitCode?: number;
  readonly signal?: string;
  readonly truncated?: boolean;
}

/** The fold of all effects: what a host obeys. */
export interface Outcome {
  readonly decision: Decision;
  readonly halt?: { readonly reason?: string; readonly hook: string };
  /** final tool input, present only when a hook changed it and the call is neither denied nor halted */
  readonly input?: JsonObject;
  /** final tool output, present only when a hook changed it */
  readonly output?: Json;
  readonly context: readonly Attributed[];
  readonly messages: readonly (Attributed & { readonly level: MessageLevel })[];
  readonly suppressOutput: boolean;
  readonly aborted: boolean;
  readonly runs: readonly Run[];
  readonly diagnostics: readonly Diagnostic[];
  /** event-specific extras a host may use: permission updates, retry, title, worktree path */
  readonly extras: JsonObject;
}
