import { errorText } from "../protocol/index.ts";
import { Problem, type ProblemDetails } from "../state/index.ts";

/** Why something could not be installed, uninstalled or checked. */
export function installProblem(message: string, details: Omit<ProblemDetails, "kind"> = {}): Problem {
  return new Problem(message, { kind: "install", ...details });
}

/** What somebody typed cannot be meant. */
export function usageProblem(message: string): Problem {
  return new Problem(message, { kind: "usage", exitCode: 2 });
}

/** Why a plugin could not be handled. */
export function pluginProblem(message: string, fix?: string): Problem {
  return new Problem(message, { kind: "plugin", fix });
}

/** What went wrong with one of several things, in one line with its remedy. */
export function describeProblem(error: unknown): string {
  if (!(error instanceof Problem) || error.fix === undefined) return errorText(error);
  return `${error.message}; fix: ${error.fix}`;
}
