import type { Json } from "../../protocol/index.ts";

export const SEVERITIES = ["low", "medium", "high"] as const;
type FindingSeverity = (typeof SEVERITIES)[number];

/** Something about how a session went that its user should know. */
export interface SessionFinding {
  readonly severity: FindingSeverity;
  /** what happened, one line */
  readonly text: string;
  /** what would avoid it next time */
  readonly advice: string;
}

/** One question asked about a session; sees its parts in order and answers at the end. */
export interface SessionCheck {
  see(step: SessionStep): void;
  findings(): readonly SessionFinding[];
}

/** The parts of a session in the order they happened, with what belongs together put together. */
export type SessionStep =
  | { readonly kind: "user-message"; readonly text: string }
  | { readonly kind: "agent-message"; readonly text: string }
  /** a tool call with its result */
  | {
      readonly kind: "call";
      readonly tool: string;
      readonly input: Json;
      /** the shell command of a shell call */
      readonly command: string | undefined;
      readonly output: string;
      readonly hasFailed: boolean;
    };

export function strongest(findings: readonly SessionFinding[]): FindingSeverity {
  const ranks = findings.map(({ severity }) => SEVERITIES.indexOf(severity));
  return SEVERITIES[Math.max(0, ...ranks)] ?? "low";
}
