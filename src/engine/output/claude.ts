import type { Diagnostic, Effect, Json } from "../../protocol/index.ts";
import { diagnose } from "../diagnostics.ts";
import type { Limits } from "../options.ts";
import { type ClaudeAnswer, readAnswer } from "./claude-answer.ts";
import { type Decoded, decodeOutput } from "./decode.ts";
import {
  failureOf,
  type HandlerFailure,
  type HandlerVerdict,
  type InterpretOptions,
  type RawResult,
  withDiagnostics,
} from "./result.ts";
import { clipText, firstLine } from "./text.ts";

const BLOCKING_EXIT = 2;

/**
 * What a handler said in the Claude protocol. Restrictions (deny, ask, defer, halt) count whenever they are
 * legible, at any exit code and among any noise; privileges only in a clean answer at exit 0.
 */
export function interpretClaude(raw: RawResult, reading: InterpretOptions): HandlerVerdict {
  const { decoded, diagnostics: found } = decodeOutput(raw.stdout, reading.limits.jsonDepth);
  const diagnostics = [...raw.diagnostics, ...found];
  const answer = decoded.kind === "object" ? readAnswer(decoded.value, reading.event) : undefined;
  if (answer !== undefined) diagnostics.push(...answer.diagnostics);

  if (raw.end.kind === "exit" && raw.end.code === 0) {
    return atSuccess(decoded, answer, raw, reading, diagnostics);
  }
  if (raw.end.kind === "exit" && raw.end.code === BLOCKING_EXIT) {
    const reason = clipReason(raw.stderr.trim() || answer?.decision?.reason, reading.limits);
    if (reason === undefined)
      diagnostics.push(diagnose("reason-missing", "exit 2 without a reason on stderr"));
    return { effect: withDiagnostics({ decision: { kind: "deny", ...asReason(reason) } }, diagnostics) };
  }
  const failure = failureOf(raw.end);
  const message = raw.end.kind === "exit" ? firstLine(raw.stderr) : "";
  const isPathRefused = raw.end.kind === "exit" && reading.event.text === "value";
  const restrictions = restrictionsOf(answer, reading.limits, diagnostics);
  const effect: Effect = {
    ...restrictions,
    ...(isPathRefused
      ? { decision: { kind: "deny", ...asReason(clipReason(raw.stderr.trim(), reading.limits)) } }
      : {}),
    ...(message === ""
      ? {}
      : { message: { text: clipText(message, reading.limits.reasonChars), level: "warn" } as const }),
  };
  return { effect: withDiagnostics(effect, diagnostics), failure };
}

function atSuccess(
  decoded: Decoded,
  answer: ClaudeAnswer | undefined,
  raw: RawResult,
  reading: InterpretOptions,
  diagnostics: Diagnostic[],
): HandlerVerdict {
  if (decoded.kind === "broken") {
    const failure: HandlerFailure = {
      code: "output-invalid-json",
      detail: "stdout begins like an object and is not valid JSON",
    };
    return { effect: withDiagnostics({}, diagnostics), failure };
  }
  if (decoded.kind === "text")
    return { effect: withDiagnostics(fromText(decoded.text, raw, reading, diagnostics), diagnostics) };
  if (answer === undefined || decoded.kind === "empty") return { effect: withDiagnostics({}, diagnostics) };
  const isClean = !decoded.isNoisy && !raw.stdout.isReplaced;
  const isTrusted = isClean && answer.isSound;
  const privileges = privilegesOf(answer, reading.limits);
  if (!isClean && Object.keys(privileges).length > 0)
    diagnostics.push(
      diagnose(
        "noise-privilege-dropped",
        `${Object.keys(privileges).join(", ")} counts only in clean output`,
      ),
    );
  if (isTrusted && privileges.context !== undefined && privileges.context !== answer.context)
    diagnostics.push(
      diagnose("context-truncated", `context is cut to ${reading.limits.contextChars} characters`),
    );
  const effect: Effect = {
    ...(isTrusted ? privileges : {}),
    ...restrictionsOf(answer, reading.limits, diagnostics),
    ...(answer.message === undefined
      ? {}
      : { message: { text: clipText(answer.message, reading.limits.contextChars), level: "info" } as const }),
    ...(answer.suppress ? { suppress: true } : {}),
  };
  return { effect: withDiagnostics(effect, diagnostics) };
}

/** What an answer may do only when nothing is doubtful about it. */
function privilegesOf(answer: ClaudeAnswer, limits: Limits): Effect {
  const { decision, input, output, context, extras } = answer;
  return {
    ...(decision?.kind === "allow"
      ? { decision: { kind: "allow", ...asReason(clipReason(decision.reason, limits)) } }
      : {}),
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
    ...(context === undefined || context === "" ? {} : { context: clipText(context, limits.contextChars) }),
    ...(Object.keys(extras).length === 0 ? {} : { extras }),
  };
}

/** What counts whenever it is legible. */
function restrictionsOf(answer: ClaudeAnswer | undefined, limits: Limits, diagnostics: Diagnostic[]): Effect {
  const { decision, halt } = answer ?? {};
  const isRestrictive = decision !== undefined && decision.kind !== "allow";
  if (decision?.kind === "deny" && clipReason(decision.reason, limits) === undefined)
    diagnostics.push(diagnose("reason-missing", "the hook refused without a reason"));
  return {
    ...(isRestrictive
      ? { decision: { kind: decision.kind, ...asReason(clipReason(decision.reason, limits)) } }
      : {}),
    ...(halt === undefined ? {} : { halt: asReason(clipReason(halt.reason, limits)) }),
  };
}

function fromText(
  text: string,
  raw: RawResult,
  reading: InterpretOptions,
  diagnostics: Diagnostic[],
): Effect {
  const isClean = !raw.stdout.isReplaced && !raw.stdout.isTruncated;
  switch (reading.event.text) {
    case "ignored":
      return {};
    case "value": {
      const path: Json = text;
      return isClean ? { extras: { worktreePath: path } } : {};
    }
    case "context": {
      if (raw.stdout.isReplaced) {
        diagnostics.push(diagnose("noise-privilege-dropped", "context counts only in clean output"));
        return {};
      }
      const context = clipText(text, reading.limits.contextChars);
      if (context !== text)
        diagnostics.push(
          diagnose("context-truncated", `context is cut to ${reading.limits.contextChars} characters`),
        );
      return { context };
    }
  }
}

function clipReason(reason: string | undefined, limits: Limits): string | undefined {
  const text = reason?.trim();
  return text === undefined || text === "" ? undefined : clipText(text, limits.reasonChars);
}

function asReason(reason: string | undefined): { readonly reason?: string } {
  return reason === undefined ? {} : { reason };
}
