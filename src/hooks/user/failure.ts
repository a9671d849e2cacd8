import { type Effect, type FailurePolicy, isStricter, type Power } from "../../protocol/index.ts";

const VERDICT = { open: undefined, ask: "ask", closed: "deny" } as const;

/**
 * What it means that a user's hook could not run: a refusal or a question by its own policy, where the event can be
 * refused; in any case it is told. A hook that is broken never holds a stop.
 */
export function failureEffect(hook: string, problem: string, policy: FailurePolicy, power: Power): Effect {
  const detail = `hook ${hook} could not run: ${problem}`;
  const kind = power === "veto" ? VERDICT[policy] : undefined;
  return {
    ...(kind === undefined ? {} : { decision: { kind, reason: `could not check this: ${detail}` } }),
    diagnostics: [{ code: "hook-problem", severity: "error", detail }],
  };
}

/** The same beside what a hook had said before it failed: a restriction that it stated stands. */
export function withFailure(
  stated: Effect,
  hook: string,
  problem: string,
  policy: FailurePolicy,
  power: Power,
): Effect {
  const failure = failureEffect(hook, problem, policy, power);
  const { decision } = stated;
  const isStated = decision !== undefined && !isStricter(failure.decision?.kind ?? "none", decision.kind);
  return { ...stated, ...failure, ...(isStated ? { decision } : {}) };
}
