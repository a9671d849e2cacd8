import { Problem } from "../state/index.ts";

/**
 * `invalid`: what was asked for cannot be stored. `occupied`: something is there that must not be mixed up. `corrupt`, `newer`, `foreign`: the database is damaged, of a
 * later version, or not ours; it is left as it is. `busy`: others kept it to themselves for too long. `full`: it
 * has reached its size limit or the disk has no room. `offline`: the server of a team does not answer. `refused`: it
 * does not let this user. `unavailable`: it cannot be opened, read or written.
 */
export type MemoryProblem =
  | "invalid"
  | "occupied"
  | "corrupt"
  | "newer"
  | "foreign"
  | "busy"
  | "full"
  | "offline"
  | "refused"
  | "unavailable";

/** Why the memory store could not do what it was asked, and what a person can do. Never quotes what is stored. */
export class MemoryError extends Problem {
  override readonly name = "MemoryError";
  readonly problem: MemoryProblem;

  constructor(problem: MemoryProblem, message: string, fix?: string) {
    super(message, { kind: problem, fix });
    this.problem = problem;
  }
}

export function occupiedAgent(): MemoryError {
  return new MemoryError("occupied", "the agent has memories already", "add --merge to keep them");
}
