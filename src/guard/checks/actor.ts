import { describe } from "../../shell/value.ts";
import type { Actor } from "../effects.ts";
import type { RuleContext } from "../rule-context.ts";

/** Who an invocation is, for a finding about it. */
export function actorOf(context: RuleContext, id: number | undefined): Actor | undefined {
  const invocation = id === undefined ? undefined : context.facts.invocations[id];
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
