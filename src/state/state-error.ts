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
