export interface CommandErrorDetails {
  /** stable, lower-case word for machines: `usage`, `not-found`, `invalid`, `failed` … */
  readonly kind: string;
  readonly causes?: readonly string[];
  /** a command or step that puts it right */
  readonly fix?: string;
  readonly exitCode?: number;
}

/** A failure told to the user: what is wrong, why, and what to do. Never holds values of secrets. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly kind: string;
  readonly causes: readonly string[];
  readonly fix: string | undefined;
  readonly exitCode: number;

  constructor(message: string, details: CommandErrorDetails) {
    super(message);
    this.kind = details.kind;
    this.causes = details.causes ?? [];
    this.fix = details.fix;
    this.exitCode = details.exitCode ?? 1;
  }
}

export const USAGE_EXIT_CODE = 2;

export function usageError(message: string, fix?: string, exitCode = USAGE_EXIT_CODE): CommandError {
  return new CommandError(message, { kind: "usage", exitCode, ...(fix === undefined ? {} : { fix }) });
}

/** The reader of our output has gone; the work ends quietly. */
export class OutputGone extends Error {
  override readonly name = "OutputGone";
}

export function renderErrorText(error: CommandError): string {
  const lines = [`Error: ${error.message}`, ...error.causes.map(cause => `  cause: ${cause}`)];
  if (error.fix !== undefined) lines.push(`  fix: ${error.fix}`);
  return `${lines.join("\n")}\n`;
}

export function renderErrorJson(error: CommandError): string {
  const { kind, message, causes, fix } = error;
  return `${JSON.stringify({ success: false, error: { kind, message, causes, ...(fix === undefined ? {} : { fix }) } })}\n`;
}
