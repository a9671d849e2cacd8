import {
  type Diagnostic,
  type Effect,
  isJsonObject,
  type JsonObject,
  type Outcome,
  ownValue,
} from "../../protocol/index.ts";
import { diagnose } from "../diagnostics.ts";
import { captureProblems, readObject } from "./decode.ts";
import {
  failureOf,
  type HandlerVerdict,
  type InterpretOptions,
  type RawResult,
  withDiagnostics,
} from "./result.ts";
import { clipText } from "./text.ts";

const PROMPT_BLOCK_REASON = "user prompt blocked by hook";
const SILENT_ERROR = "hook exited with error";

export type AtomcodePromptResult =
  | { readonly kind: "Continue" }
  | { readonly kind: "Inject"; readonly text: string }
  | { readonly kind: "Block"; readonly reason: string };

export interface AtomcodeInterpretOptions extends InterpretOptions {
  readonly promptNonZero: "warn" | "block";
}

/** The dialect answers before a tool and at the prompt; on its other events nothing that is said counts. */
export function interpretAtomcode(raw: RawResult, reading: AtomcodeInterpretOptions): HandlerVerdict {
  const diagnostics = [...raw.diagnostics, ...captureProblems(raw.stdout)];
  if (reading.event.name === "UserPromptSubmit") return interpretPrompt(raw, reading, diagnostics);
  if (raw.end.kind !== "exit" || raw.end.code !== 0) return failedRun(raw, {}, diagnostics);
  if (reading.event.name !== "PreToolUse") return { effect: withDiagnostics({}, diagnostics) };
  const answer = raw.stdout.isTruncated
    ? undefined
    : readObject(raw.stdout.text.trim(), reading.limits.jsonDepth, false, diagnostics);
  const effect = answer === undefined ? {} : readAction(answer, raw, reading, diagnostics);
  return { effect: withDiagnostics(effect, diagnostics) };
}

function failedRun(raw: RawResult, effect: Effect, diagnostics: readonly Diagnostic[]): HandlerVerdict {
  return { effect: withDiagnostics(effect, diagnostics), failure: failureOf(raw.end) };
}

function readAction(
  answer: JsonObject,
  raw: RawResult,
  { limits }: InterpretOptions,
  diagnostics: Diagnostic[],
): Effect {
  const action = ownValue(answer, "action");
  if (action === "block") return deny(ownValue(answer, "reason"), limits.reasonChars, diagnostics);
  if (action !== "modify") return {};
  const args = ownValue(answer, "args");
  if (!isJsonObject(args)) {
    diagnostics.push(diagnose("field-type", `"args" must be an object; the change is ignored`));
    return {};
  }
  if (!raw.stdout.isReplaced) return { input: args };
  diagnostics.push(diagnose("noise-privilege-dropped", "a change of the input counts only in clean output"));
  return {};
}

function deny(reason: unknown, reasonChars: number, diagnostics: Diagnostic[], fallback?: string): Effect {
  if (typeof reason === "string" && reason !== "")
    return { decision: { kind: "deny", reason: clipText(reason, reasonChars) } };
  if (fallback !== undefined) return { decision: { kind: "deny", reason: fallback } };
  diagnostics.push(diagnose("reason-missing", "the hook refused without a reason"));
  return { decision: { kind: "deny" } };
}

function interpretPrompt(
  raw: RawResult,
  reading: AtomcodeInterpretOptions,
  diagnostics: Diagnostic[],
): HandlerVerdict {
  const { limits } = reading;
  const text = (raw.stdout.isTruncated ? raw.stdout.tail : raw.stdout.text).trim();
  const lastLine = text.slice(text.lastIndexOf("\n") + 1).trim();
  const answer = readObject(lastLine, limits.jsonDepth, false, diagnostics);
  if (answer !== undefined && ownValue(answer, "decision") === "block") {
    const effect = deny(ownValue(answer, "reason"), limits.reasonChars, diagnostics, PROMPT_BLOCK_REASON);
    return { effect: withDiagnostics(effect, diagnostics) };
  }
  if (raw.end.kind !== "exit") return failedRun(raw, {}, diagnostics);
  if (raw.end.code !== 0) {
    const complaint = clipText(raw.stderr.trim() || text || SILENT_ERROR, limits.reasonChars);
    if (reading.promptNonZero === "block")
      return { effect: withDiagnostics({ decision: { kind: "deny", reason: complaint } }, diagnostics) };
    return failedRun(raw, { message: { text: complaint, level: "warn" } }, diagnostics);
  }
  const context = answer === undefined ? textContext(text, raw, reading, diagnostics) : statedContext(answer);
  if (context === undefined || context === "") return { effect: withDiagnostics({}, diagnostics) };
  if (raw.stdout.isReplaced) {
    diagnostics.push(diagnose("noise-privilege-dropped", "context counts only in clean output"));
    return { effect: withDiagnostics({}, diagnostics) };
  }
  const clipped = clipText(context, limits.contextChars);
  if (clipped !== context)
    diagnostics.push(diagnose("context-truncated", `context is cut to ${limits.contextChars} characters`));
  return { effect: withDiagnostics({ context: clipped }, diagnostics) };
}

function statedContext(answer: JsonObject): string | undefined {
  const specific = ownValue(answer, "hookSpecificOutput");
  const context = isJsonObject(specific) ? ownValue(specific, "additionalContext") : undefined;
  return typeof context === "string" ? context : undefined;
}

/** Only the last line may be an answer: one that stands higher up is text like the rest, and said to be so. */
function textContext(
  text: string,
  raw: RawResult,
  reading: InterpretOptions,
  diagnostics: Diagnostic[],
): string {
  const isAnswer = (line: string): boolean => {
    const object = readObject(line.trim(), reading.limits.jsonDepth, false, []);
    return (
      object !== undefined &&
      (Object.hasOwn(object, "decision") || Object.hasOwn(object, "hookSpecificOutput"))
    );
  };
  // Only what can hold one of the two words is parsed: output may be a megabyte of braces.
  const mayAnswer = (line: string): boolean =>
    line.trimStart().startsWith("{") && /decision|hookSpecificOutput|\\/.test(line);
  if (text.split("\n").some(line => mayAnswer(line) && isAnswer(line)))
    diagnostics.push(diagnose("output-noise", "an answer stands above other text and counts as text"));
  return raw.stdout.isTruncated ? raw.stdout.text.trim() : text;
}

/** An outcome in the words of the dialect: what its hooks say before a tool. */
export function toAtomcodeToolResult(outcome: Outcome): JsonObject {
  if (outcome.decision.kind === "deny") return { action: "block", reason: outcome.decision.reason };
  return outcome.input === undefined ? { action: "allow" } : { action: "modify", args: outcome.input };
}

/** And at the prompt. */
export function toAtomcodePromptResult(outcome: Outcome): AtomcodePromptResult {
  if (outcome.decision.kind === "deny") return { kind: "Block", reason: outcome.decision.reason };
  if (outcome.context.length === 0) return { kind: "Continue" };
  return { kind: "Inject", text: outcome.context.map(piece => piece.text).join("\n\n") };
}
