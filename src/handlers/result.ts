import {
  type Contribution,
  type Diagnostic,
  type Effect,
  type EventDescriptor,
  type FailurePolicy,
  isStricter,
  type Power,
  type Run,
  type RunStatus,
} from "../protocol/index.ts";
import type { TextCodec } from "../system/index.ts";
import { truncate } from "../text/index.ts";
import { type CapturedOutput, NO_OUTPUT } from "./decode.ts";
import { type DiagnosticCode, diagnose, type Limits } from "./handler.ts";

/** How a handler ended, whatever kind it is: a web hook's answer counts as the output of exit 0. */
export type HandlerEnd =
  | { readonly kind: "exit"; readonly code: number }
  | { readonly kind: "signal"; readonly signal: string }
  | { readonly kind: "failed"; readonly failure: HandlerFailure }
  /** the host gave up; not a failure */
  | { readonly kind: "aborted" };

export interface HandlerFailure {
  readonly code: DiagnosticCode;
  readonly detail: string;
}

export interface RawResult {
  readonly end: HandlerEnd;
  readonly stdout: CapturedOutput;
  readonly stderr: string;
  readonly diagnostics: readonly Diagnostic[];
}

export function failed(code: DiagnosticCode, detail: string): RawResult & { readonly end: HandlerEnd } {
  return {
    end: { kind: "failed", failure: { code, detail } },
    stdout: NO_OUTPUT,
    stderr: "",
    diagnostics: [],
  };
}

export function aborted(): RawResult {
  return { end: { kind: "aborted" }, stdout: NO_OUTPUT, stderr: "", diagnostics: [] };
}

/** An answer that did not come from a process counts as the stdout of exit 0. */
export function answered(stdout: CapturedOutput): RawResult {
  return { end: { kind: "exit", code: 0 }, stdout, stderr: "", diagnostics: [] };
}

/** What a result means before the failure policy: the effect stated, and the failure if there was one. */
export interface HandlerVerdict {
  readonly effect: Effect;
  readonly failure?: HandlerFailure;
}

export interface InterpretOptions {
  readonly event: EventDescriptor;
  readonly limits: Limits;
}

export function readVerdict(
  effect: Effect,
  diagnostics: readonly Diagnostic[],
  failure?: HandlerFailure,
): HandlerVerdict {
  const stated = withDiagnostics(effect, diagnostics);
  return failure === undefined ? { effect: stated } : { effect: stated, failure };
}

function withDiagnostics(effect: Effect, diagnostics: readonly Diagnostic[]): Effect {
  return diagnostics.length === 0 ? effect : { ...effect, diagnostics };
}

/** The failure behind an end that is not a success and does not speak for itself. */
export function toFailure(end: HandlerEnd): HandlerFailure {
  switch (end.kind) {
    case "failed":
      return end.failure;
    case "signal":
      return { code: "signal", detail: `ended by ${end.signal}` };
    case "aborted":
      return { code: "aborted", detail: "the host gave up waiting" };
    case "exit": {
      const isMissing = end.code === 126 || end.code === 127;
      return { code: isMissing ? "command-not-found" : "exit-nonblocking", detail: `exit code ${end.code}` };
    }
  }
}

/** Plain output as context: only when all its bytes were text, and not longer than allowed. */
export function clipContext(
  text: string,
  { stdout }: RawResult,
  { contextChars }: Limits,
  diagnostics: Diagnostic[],
): Effect {
  if (stdout.isReplaced) {
    diagnostics.push(diagnose("noise-privilege-dropped", "context counts only in clean output"));
    return {};
  }
  const context = truncate(text, contextChars);
  if (context !== text) diagnostics.push(contextTruncated(contextChars));
  return { context };
}

export function contextTruncated(maxChars: number): Diagnostic {
  return diagnose("context-truncated", `context is cut to ${maxChars} characters`);
}

const CONTINUATION = 0x80;

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === CONTINUATION;
}

/** Bytes → text. Where an output was cut in the middle of a character, the pieces are not bad UTF-8. */
export function captureText(
  codec: TextCodec,
  head: Uint8Array,
  isTruncated: boolean,
  tail: Uint8Array = new Uint8Array(0),
): CapturedOutput {
  const start = codec.decode(isTruncated ? withoutPartialEnd(head) : head);
  const end = codec.decode(withoutPartialStart(tail));
  return { text: start.text, tail: end.text, isTruncated, isReplaced: start.replaced || end.replaced };
}

function withoutPartialStart(bytes: Uint8Array): Uint8Array {
  let from = 0;
  while (from < 3 && isContinuation(bytes[from])) from++;
  return bytes.subarray(from);
}

function withoutPartialEnd(bytes: Uint8Array): Uint8Array {
  let lead = bytes.length - 1;
  while (lead > bytes.length - 4 && isContinuation(bytes[lead])) lead--;
  const first = bytes[lead];
  if (first === undefined || first < 0xc0) return bytes;
  const expected = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  return bytes.length - lead < expected ? bytes.subarray(0, lead) : bytes;
}

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
export function toRunStatus(stated: Effect, failure: HandlerFailure | undefined): RunStatus {
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
