export interface ProblemDetails {
  /** stable, lower-case word for machines */
  readonly kind: string;
  readonly causes?: readonly string[];
  readonly fix?: string;
  /** Default 1. */
  readonly exitCode?: number;
}

/** Why nothing was started or updated: what is wrong and what to do. Never holds values of variables or prompts. */
export class LaunchProblem extends Error {
  override readonly name = "LaunchProblem";
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

/** The text of anything thrown, for a message. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
