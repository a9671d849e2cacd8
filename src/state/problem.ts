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
