import { Problem } from "../state/problem.ts";

/** A problem that a command itself found. */
export class CommandError extends Problem {
  override readonly name = "CommandError";
}

export const USAGE_EXIT_CODE = 2;

export function usageError(message: string, fix?: string, exitCode = USAGE_EXIT_CODE): CommandError {
  return new CommandError(message, { kind: "usage", exitCode, ...(fix === undefined ? {} : { fix }) });
}

/** The reader of our output has gone; the work ends quietly. */
export class OutputGone extends Error {
  override readonly name = "OutputGone";
}

export function renderErrorText(error: Problem): string {
  const lines = [`Error: ${error.message}`, ...error.causes.map(cause => `  cause: ${cause}`)];
  if (error.fix !== undefined) lines.push(`  fix: ${error.fix}`);
  return `${lines.join("\n")}\n`;
}

export function renderErrorJson(error: Problem): string {
  const { kind, message, causes, fix } = error;
  return `${JSON.stringify({ success: false, error: { kind, message, causes, ...(fix === undefined ? {} : { fix }) } })}\n`;
}
