import type { Diagnostic, Effect, EventDescriptor } from "../protocol/index.ts";
import { type CapturedOutput, NO_OUTPUT } from "./decode.ts";
import { type DiagnosticCode, diagnose } from "./diagnostics.ts";
import type { Limits } from "./options.ts";

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

export function verdictOf(
  effect: Effect,
  diagnostics: readonly Diagnostic[],
  failure?: HandlerFailure,
): HandlerVerdict {
  const stated = withDiagnostics(effect, diagnostics);
  return failure === undefined ? { effect: stated } : { effect: stated, failure };
}

export function withDiagnostics(effect: Effect, diagnostics: readonly Diagnostic[]): Effect {
  return diagnostics.length === 0 ? effect : { ...effect, diagnostics };
}

/** The failure behind an end that is not a success and does not speak for itself. */
export function failureOf(end: HandlerEnd): HandlerFailure {
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

/** At most so many UTF-16 units, never ending in half a character. */
export function clipText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const last = text.charCodeAt(maxChars - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHalf ? maxChars - 1 : maxChars);
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
  const context = clipText(text, contextChars);
  if (context !== text) diagnostics.push(contextTruncated(contextChars));
  return { context };
}

export function contextTruncated(maxChars: number): Diagnostic {
  return diagnose("context-truncated", `context is cut to ${maxChars} characters`);
}
