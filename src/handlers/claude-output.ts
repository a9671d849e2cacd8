import { type Diagnostic, defined, type Effect } from "../protocol/index.ts";
import { type ClaudeAnswer, readAnswer } from "./claude-answer.ts";
import { type Decoded, decodeOutput } from "./decode.ts";
import { diagnose } from "./diagnostics.ts";
import type { Limits } from "./options.ts";
import {
  clipContext,
  clipText,
  contextTruncated,
  failureOf,
  type HandlerVerdict,
  type InterpretOptions,
  type RawResult,
  verdictOf,
} from "./result.ts";

const BLOCKING_EXIT = 2;

/**
 * What a handler said in the Claude protocol. Restrictions (deny, ask, defer, halt) count whenever they are
 * legible, at any exit code and among any noise; privileges only in a clean answer at exit 0.
 */
export function interpretClaude(raw: RawResult, options: InterpretOptions): HandlerVerdict {
  const { limits, event } = options;
  const { decoded, diagnostics: found } = decodeOutput(raw.stdout, limits.jsonDepth);
  const diagnostics = [...raw.diagnostics, ...found];
  const answer = decoded.kind === "object" ? readAnswer(decoded.value, event) : undefined;
  if (answer !== undefined) diagnostics.push(...answer.diagnostics);

  const exitCode = raw.end.kind === "exit" ? raw.end.code : undefined;
  if (exitCode === 0) return atSuccess(decoded, answer, raw, options, diagnostics);
  const stderr = raw.stderr.trim();
  if (exitCode === BLOCKING_EXIT) {
    const reason = reasonWithin(limits, stderr || answer?.decision?.reason);
    if (reason.reason === undefined)
      diagnostics.push(diagnose("reason-missing", "exit 2 without a reason on stderr"));
    return verdictOf({ decision: { kind: "deny", ...reason } }, diagnostics);
  }
  const [firstLine = ""] = exitCode === undefined ? [] : stderr.split("\n", 1);
  const isPathRefused = exitCode !== undefined && event.text === "value";
  const effect: Effect = {
    ...restrictionsOf(answer, limits, diagnostics),
    ...(isPathRefused ? { decision: { kind: "deny", ...reasonWithin(limits, stderr) } } : {}),
    ...(firstLine === ""
      ? {}
      : { message: { text: clipText(firstLine.trim(), limits.reasonChars), level: "warn" } }),
  };
  return verdictOf(effect, diagnostics, failureOf(raw.end));
}

function atSuccess(
  decoded: Decoded,
  answer: ClaudeAnswer | undefined,
  raw: RawResult,
  { limits, event }: InterpretOptions,
  diagnostics: Diagnostic[],
): HandlerVerdict {
  if (decoded.kind === "broken") {
    const detail = "stdout begins like an object and is not valid JSON";
    return verdictOf({}, diagnostics, { code: "output-invalid-json", detail });
  }
  if (decoded.kind === "text")
    return verdictOf(fromText(decoded.text, raw, { limits, event }, diagnostics), diagnostics);
  if (answer === undefined || decoded.kind === "empty") return verdictOf({}, diagnostics);
  const isClean = !decoded.isNoisy && !raw.stdout.isReplaced;
  const isTrusted = isClean && answer.isWellFormed;
  const privileges = privilegesOf(answer, limits);
  const names = Object.keys(privileges).join(", ");
  if (!isClean && names !== "")
    diagnostics.push(diagnose("noise-privilege-dropped", `${names} counts only in clean output`));
  if (isTrusted && privileges.context !== undefined && privileges.context !== answer.context)
    diagnostics.push(contextTruncated(limits.contextChars));
  const effect: Effect = {
    ...(isTrusted ? privileges : {}),
    ...restrictionsOf(answer, limits, diagnostics),
    ...(answer.message === undefined
      ? {}
      : { message: { text: clipText(answer.message, limits.contextChars), level: "info" } }),
    ...(answer.suppress ? { suppress: true } : {}),
  };
  return verdictOf(effect, diagnostics);
}

/** What an answer may do only when nothing is doubtful about it. */
function privilegesOf({ decision, input, output, context, extras }: ClaudeAnswer, limits: Limits): Effect {
  return {
    ...(decision?.kind === "allow"
      ? { decision: { kind: "allow", ...reasonWithin(limits, decision.reason) } }
      : {}),
    ...defined({ input, output }),
    ...(context === undefined || context === "" ? {} : { context: clipText(context, limits.contextChars) }),
    ...(Object.keys(extras).length === 0 ? {} : { extras }),
  };
}

/** What counts whenever it is legible. */
function restrictionsOf(answer: ClaudeAnswer | undefined, limits: Limits, diagnostics: Diagnostic[]): Effect {
  const { decision, halt } = answer ?? {};
  const reason = reasonWithin(limits, decision?.reason);
  if (decision?.kind === "deny" && reason.reason === undefined)
    diagnostics.push(diagnose("reason-missing", "the hook refused without a reason"));
  return {
    ...(decision === undefined || decision.kind === "allow"
      ? {}
      : { decision: { kind: decision.kind, ...reason } }),
    ...(halt === undefined ? {} : { halt: reasonWithin(limits, halt.reason) }),
  };
}

function fromText(
  text: string,
  raw: RawResult,
  { limits, event }: InterpretOptions,
  diagnostics: Diagnostic[],
): Effect {
  const isClean = !raw.stdout.isReplaced && !raw.stdout.isTruncated;
  switch (event.text) {
    case "ignored":
      return {};
    case "value":
      return isClean ? { extras: { worktreePath: text } } : {};
    case "context":
      return clipContext(text, raw, limits, diagnostics);
  }
}

function reasonWithin({ reasonChars }: Limits, reason: string | undefined): { readonly reason?: string } {
  const text = reason?.trim() ?? "";
  return text === "" ? {} : { reason: clipText(text, reasonChars) };
}
