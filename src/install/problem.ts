/** Why something could not be installed, taken back or checked: what is wrong and what to do. */
export class InstallProblem extends Error {
  override readonly name = "InstallProblem";
  readonly causes: readonly string[];
  readonly fix: string | undefined;

  constructor(message: string, details: { readonly causes?: readonly string[]; readonly fix?: string } = {}) {
    super(message);
    this.causes = details.causes ?? [];
    this.fix = details.fix;
  }
}

/** The text of anything thrown, for a message. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What went wrong with one of several things, in one line with its remedy. */
export function describeProblem(error: unknown): string {
  if (!(error instanceof InstallProblem) || error.fix === undefined) return textOf(error);
  return `${error.message}; fix: ${error.fix}`;
}
