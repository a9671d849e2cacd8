import { describe } from "../../shell/value.ts";
import type { Doer } from "../effects.ts";
import type { Scene } from "../scene.ts";

/** Who an invocation is, for a finding about it. */
export function doerOf(scene: Scene, id: number | undefined): Doer | undefined {
  const invocation = id === undefined ? undefined : scene.facts.invocations[id];
  if (invocation === undefined) return undefined;
  const { cwd, place, span } = invocation;
  return {
    cwd,
    place,
    span,
    program: invocation.program ?? describe(invocation.argv[0] ?? NOTHING),
    invocation,
  };
}

export const NOTHING = { pieces: [], origins: [] };
