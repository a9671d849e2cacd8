import {
  type Contribution,
  type Diagnostic,
  type Effect,
  type FailurePolicy,
  isStricter,
  type Power,
  type Run,
  type RunStatus,
} from "../protocol/index.ts";
import { diagnose } from "./diagnostics.ts";
import { type HandlerEnd, type HandlerFailure, type HandlerVerdict, withDiagnostics } from "./result.ts";

const STRICTNESS: readonly FailurePolicy[] = ["open", "ask", "closed"];

export function strictestPolicy(left: FailurePolicy, right: FailurePolicy): FailurePolicy {
  return STRICTNESS.indexOf(left) >= STRICTNESS.indexOf(right) ? left : right;
}

/**
 * What a failed hook means. `open`: nothing but its diagnostic; `ask` and `closed`: that verdict, with a reason
 * that names the hook and says it could not check. They act on events a hook can veto: a hook that is broken
 * never holds a stop. After a call `closed` withholds the output: a broken redactor must not leak. A restriction the hook stated before it failed stands in any case.
 */
export function applyFailure(
  hook: string,
  { effect, failure }: HandlerVerdict,
  policy: FailurePolicy,
  power: Power,
): Effect {
  if (failure === undefined) return effect;
  const { code, detail } = failure;
  const diagnostics = [...(effect.diagnostics ?? []), diagnose(code, detail)];
  if (power === "feedback" && policy === "closed" && code !== "aborted")
    return withhold(hook, effect, failure, diagnostics);
  const kind = power === "veto" ? VERDICT[policy] : undefined;
  const isAnswered =
    kind === undefined || (effect.decision !== undefined && !isStricter(kind, effect.decision.kind));
  if (isAnswered || code === "aborted") return { ...effect, diagnostics };
  const policyNote =
    kind === "deny"
      ? diagnose("fail-closed", "the hook could not check, so the action is refused")
      : diagnose("fail-ask", "the hook could not check, so a person is asked");
  const reason = `hook ${hook} could not check this: ${failureText(failure)}`;
  return withDiagnostics({ ...effect, decision: { kind, reason } }, [...diagnostics, policyNote]);
}

/** The call has happened; what can still be kept back is its output. */
function withhold(
  hook: string,
  effect: Effect,
  { code }: HandlerFailure,
  diagnostics: readonly Diagnostic[],
): Effect {
  // The failure's own words may quote the output.
  const output = `[output withheld: hook ${hook} could not check it (${code})]`;
  const note = diagnose("fail-closed", "the hook could not check, so the output is withheld");
  return {
    ...effect,
    output,
    extras: { ...effect.extras, isError: true },
    diagnostics: [...diagnostics, note],
  };
}

/** Whether a hook failed that had to look at this output before the model does. */
export function isWithheld({ diagnostics = [], output }: Effect): boolean {
  return output !== undefined && diagnostics.some(({ code }) => code === "fail-closed");
}

/** The failure in words. */
export function failureText({ code, detail }: HandlerFailure): string {
  return `${code}, ${detail}`;
}

const VERDICT = { open: undefined, ask: "ask", closed: "deny" } as const;

/** The status of a run: what it said counts before how it ended. */
export function runStatusOf(stated: Effect, failure: HandlerFailure | undefined): RunStatus {
  if (failure?.code === "aborted") return "aborted";
  if (stated.decision?.kind === "deny") return "blocked";
  if (failure !== undefined) return failure.code === "timeout" ? "timeout" : "failed";
  return stated.message?.level === "warn" ? "warned" : "ok";
}

export function endFacts(end: HandlerEnd): Pick<Run, "exitCode" | "signal"> {
  if (end.kind === "exit") return { exitCode: end.code };
  return end.kind === "signal" ? { signal: end.signal } : {};
}

/** What a hook contributes that is not even started. */
export function notStarted(
  hook: string,
  status: "skipped" | "aborted",
): Contribution & { readonly run: Run } {
  const effect =
    status === "aborted" ? { diagnostics: [diagnose("aborted", "the host gave up before it started")] } : {};
  return { hook, effect, run: { hook, status, durationMs: 0 } };
}
