import type { FailurePolicy, JsonObject, Normalised, Outcome } from "../protocol/index.ts";

/** The keys of the event map; also file names here and values of `host` in every output. */
export const HOST_IDS = [
  "claude-code",
  "copilot-cli",
  "vscode-copilot",
  "gemini-cli",
  "antigravity",
  "codex",
  "cursor",
  "windsurf",
  "devin",
  "cline",
  "kiro",
  "qwen-code",
  "factory-droid",
  "augment",
  "goose",
  "atomcode",
  "amplifier-shell",
  "amplifier",
  "opencode",
  "pi",
  "amp",
  "apr-code",
] as const;
export type HostId = (typeof HOST_IDS)[number];

export type NormaliseErrorCode =
  | "empty-stdin"
  | "invalid-json"
  | "not-an-object"
  | "unknown-event"
  | "unmapped-event"
  | "missing-tool-name";

export type NormaliseResult =
  | { readonly ok: true; readonly value: Normalised }
  | { readonly ok: false; readonly code: NormaliseErrorCode; readonly message: string };

/** Exactly what a host gets. */
export interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  /** what the host has no words for and was left out */
  readonly unsupported?: readonly string[];
  /** what was said in other words because the host lacks the ability, for instance `ask → deny` */
  readonly degraded?: readonly string[];
}

/** What the renderers of every host receive. */
export interface AnswerRequest {
  readonly event: string;
  readonly nativeEvent: string;
  readonly outcome: Outcome;
  /** the payload answered, for hosts whose answer repeats part of it */
  readonly payload: JsonObject;
}

/** "Policy could not run": rendered by the failure policy, on veto events only. */
export interface FailureRequest {
  readonly event: string;
  readonly nativeEvent: string;
  readonly policy: FailurePolicy;
  /** says what could not be checked, never payload text */
  readonly reason: string;
}
