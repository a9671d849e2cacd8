import { readManifest } from "../../hooks/index.ts";
import { errorText } from "../../protocol/index.ts";
import type { System } from "../../system/index.ts";

/** Hooks of the user's own that the last build could not make to run, and why. */
export function readOwnProblems(system: System, stateHome: string): readonly string[] {
  try {
    const own = readManifest(system, stateHome)?.files.filter(({ project }) => project === undefined) ?? [];
    return own.flatMap(({ source, problem }) => (problem === undefined ? [] : [`${source}: ${problem}`]));
  } catch (error) {
    return [`your own hooks do not run: ${errorText(error)}; run amplihack hooks build`];
  }
}
