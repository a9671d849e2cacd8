import { NAME_TAKEN, PostgresError } from "../postgres/index.ts";
import { MemoryError, type MemoryProblem } from "./memory-error.ts";

const PROBLEMS: Readonly<Record<PostgresError["problem"], MemoryProblem>> = {
  offline: "offline",
  refused: "refused",
  newer: "newer",
  failed: "unavailable",
};

/** What a database answered, as all stores tell it. */
export function toMemoryError(error: unknown): unknown {
  if (!(error instanceof PostgresError)) return error;
  // The store looks for the name first: what it does not see then belongs to a project that the user may not see.
  if (error.code === NAME_TAKEN)
    return new MemoryError(
      "occupied",
      "the team has a memory of that name in a project that you may not see",
      "choose another key",
    );
  return new MemoryError(PROBLEMS[error.problem], error.message, error.fix);
}
