import { type Effect, type FailurePolicy, isStricter, type Power } from "../../protocol/index.ts";
import { diagnose } from "../diagnostics.ts";
import { type Failure, type Verdict, withDiagnostics } from "./result.ts";

const STRICTNESS: readonly FailurePolicy[] = ["open", "ask", "closed"];

export function strictestPolicy(left: FailurePolicy, right: FailurePolicy): FailurePolicy {
  return STRICTNESS.indexOf(left) >= STRICTNESS.indexOf(right) ? left : right;
}

/**
 * What a failed hook means. `open`: nothing but its diagnostic; `ask` and `closed`: that verdict, with a reason
 * that names the hook and says it could not check. They act on events a hook can veto: a hook that is broken
 * never holds a stop. A restriction the hook stated before it failed stands in any case.
 */
export function applyFailure(hook: string, verdict: Verdict, policy: FailurePolicy, power: Power): Effect {
  const { effect, failure } = verdict;
  if (failure === undefined) return effect;
  const diagnostics = [...(effect.diagnostics ?? []), diagnose(failure.code, failure.detail)];
  const kind = power === "veto" ? VERDICT[policy] : undefined;
  const isAnswered =
    kind === undefined || (effect.decision !== undefined && !isStricter(kind, effect.decision.kind));
  if (isAnswered || failure.code === "aborted") return { ...effect, diagnostics };
  const said =
    kind === "deny" ? diagnose("fail-closed", FAIL_TEXT.deny) : diagnose("fail-ask", FAIL_TEXT.ask);
  return withDiagnostics({ ...effect, decision: { kind, reason: failureReason(hook, failure) } }, [
    ...diagnostics,
    said,
  ]);
}

const VERDICT = { open: undefined, ask: "ask", closed: "deny" } as const;
const FAIL_TEXT = {
  deny: "the hook could not check, so the action is refused",
  ask: "the hook could not check, so a person is asked",
};

function failureReason(hook: string, { code, detail }: Failure): string {
  return `hook ${hook} could not check this: ${code}, ${detail}`;
}
