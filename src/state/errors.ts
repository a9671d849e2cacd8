export type StateErrorCode =
  | "malformed"
  | "lock-timeout"
  | "not-serialisable"
  | "outside-root"
  | "environment"
  | "unsafe-name";

/** What is wrong with a piece of state, where, and what to do about it. */
export class StateError extends Error {
  override readonly name = "StateError";
  readonly code: StateErrorCode;
  /** the file or variable concerned */
  readonly subject: string;

  constructor(code: StateErrorCode, subject: string, message: string) {
    super(message);
    this.code = code;
    this.subject = subject;
  }
}

export function isStateError(error: unknown, ...codes: readonly StateErrorCode[]): error is StateError {
  return error instanceof StateError && (codes.length === 0 || codes.includes(error.code));
}

export interface ProblemDetails {
  /** stable, lower-case word for machines: `usage`, `not-found`, `invalid`, `failed` … */
  readonly kind: string;
  readonly causes?: readonly string[];
  /** a command or step that puts it right */
  readonly fix?: string | undefined;
  /** Default 1. */
  readonly exitCode?: number;
}

/** A failure told to the user: what is wrong, why, and what to do. Never holds values of variables or prompts. */
export class Problem extends Error {
  override readonly name: string = "Problem";
  readonly kind: string;
  readonly causes: readonly string[];
  readonly fix: string | undefined;
  readonly exitCode: number;

  constructor(message: string, details: ProblemDetails) {
    super(message);
    this.kind = details.kind;
    this.causes = details.causes ?? [];
    this.fix = details.fix;
    this.exitCode = details.exitCode ?? 1;
  }
}
