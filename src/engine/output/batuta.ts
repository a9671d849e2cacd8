import {
  clipText,
  diagnose,
  failureOf,
  type HandlerVerdict,
  type InterpretOptions,
  type RawResult,
  verdictOf,
} from "../../handlers/index.ts";
import type { Diagnostic, Outcome } from "../../protocol/index.ts";

/** The three answers of the dialect. */
export type BatutaDecision =
  | { readonly kind: "Allow" }
  | { readonly kind: "Warn"; readonly message: string }
  | { readonly kind: "Block"; readonly reason: string };

/** The exit code decides alone: 0 allows, 1 warns, everything else blocks; stderr is the text. */
export function decideByExitCode(code: number, stderr: string): BatutaDecision {
  const text = stderr.trim();
  if (code === 0) return { kind: "Allow" };
  return code === 1 ? { kind: "Warn", message: text } : { kind: "Block", reason: text };
}

export function interpretBatuta(raw: RawResult, { limits }: InterpretOptions): HandlerVerdict {
  const diagnostics: Diagnostic[] = [...raw.diagnostics];
  if (raw.end.kind !== "exit") {
    const failure = failureOf(raw.end);
    const hasMessage = failure.code === "spawn-failed";
    const effect = hasMessage ? ({ message: { text: failure.detail, level: "warn" } } as const) : {};
    return verdictOf(effect, diagnostics, failure);
  }
  const decision = decideByExitCode(raw.end.code, raw.stderr);
  switch (decision.kind) {
    case "Allow":
      return verdictOf({}, diagnostics);
    case "Warn": {
      const text = clipText(decision.message, limits.reasonChars);
      return verdictOf({ message: { text, level: "warn" } }, diagnostics);
    }
    case "Block": {
      if (decision.reason === "")
        diagnostics.push(diagnose("reason-missing", "blocked without a word on stderr"));
      const reason = decision.reason === "" ? {} : { reason: clipText(decision.reason, limits.reasonChars) };
      return verdictOf({ decision: { kind: "deny", ...reason } }, diagnostics);
    }
  }
}

/** An outcome in the words of the dialect, for a host that speaks it. */
export function toBatutaDecision(outcome: Outcome): BatutaDecision {
  if (outcome.decision.kind === "deny") return { kind: "Block", reason: outcome.decision.reason };
  if (outcome.messages.length === 0) return { kind: "Allow" };
  return { kind: "Warn", message: outcome.messages.map(message => message.text).join("\n") };
}
