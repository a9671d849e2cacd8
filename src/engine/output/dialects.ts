import {
  captureProblems,
  clipContext,
  decodeOutput,
  diagnose,
  type HandlerVerdict,
  hasProtocolKey,
  type InterpretOptions,
  interpretAtomcodeJson,
  interpretClaude,
  type RawResult,
  readObject,
  readVerdict,
  toFailure,
} from "../../handlers/index.ts";
import {
  booleanAt,
  type Diagnostic,
  type Effect,
  isJsonObject,
  type JsonObject,
  memberAt,
  type Outcome,
  stringAt,
} from "../../protocol/index.ts";
import { truncate } from "../../text/index.ts";

const PROMPT_BLOCK_REASON = "user prompt blocked by hook";
const SILENT_ERROR = "hook exited with error";

export type AtomcodePromptResult =
  | { readonly kind: "Continue" }
  | { readonly kind: "Inject"; readonly text: string }
  | { readonly kind: "Block"; readonly reason: string };

interface AtomcodeInterpretOptions extends InterpretOptions {
  readonly promptNonZero: "warn" | "block";
}

/** The dialect answers before a tool and at the prompt; on its other events nothing that is said counts. */
export function interpretAtomcode(raw: RawResult, options: AtomcodeInterpretOptions): HandlerVerdict {
  const diagnostics = [...raw.diagnostics, ...captureProblems(raw.stdout)];
  const refusal = presentRefusal(raw, options);
  if (refusal !== undefined) return refusal;
  if (options.event.name === "UserPromptSubmit") return interpretPrompt(raw, options, diagnostics);
  if (raw.end.kind !== "exit" || raw.end.code !== 0) return readVerdict({}, diagnostics, toFailure(raw.end));
  if (options.event.name !== "PreToolUse") return readVerdict({}, diagnostics);
  const answer = raw.stdout.isTruncated
    ? undefined
    : readObject(raw.stdout.text.trim(), options.limits.jsonDepth, false, diagnostics);
  const effect = answer === undefined ? {} : readAction(answer, raw, options, diagnostics);
  return readVerdict(effect, diagnostics);
}

/**
 * A file of this form may hold a guard of AtomCode's present one: few marks tell them apart. What such a guard
 * refuses by exit code 2 or in Claude's words counts here as well; nothing that it would allow or change does. An
 * `action` is this form's own word, and only exit code 0 goes with it.
 */
function presentRefusal(raw: RawResult, options: InterpretOptions): HandlerVerdict | undefined {
  const { event } = options;
  const said = raw.stdout.text.trim();
  if (raw.end.kind !== "exit" || !["PreToolUse", "UserPromptSubmit"].includes(event.name)) return undefined;
  const isExit = raw.end.code === 2 && (raw.stderr.trim() !== "" || said !== "") && !/"action"/.test(said);
  const isAnswer = raw.end.code === 0 && event.name === "PreToolUse" && said.includes("permissionDecision");
  if (!isExit && !isAnswer) return undefined;
  const { decision, diagnostics = [] } = interpretAtomcodeJson(raw, options).effect;
  return decision === undefined || decision.kind === "allow"
    ? undefined
    : readVerdict({ decision }, diagnostics);
}

function readAction(
  answer: JsonObject,
  raw: RawResult,
  { limits }: InterpretOptions,
  diagnostics: Diagnostic[],
): Effect {
  const action = memberAt(answer, "action");
  if (action === "block") return deny(answer, limits.reasonChars, diagnostics);
  if (action !== "modify") return {};
  const args = memberAt(answer, "args");
  if (!isJsonObject(args)) {
    diagnostics.push(diagnose("field-type", `"args" must be an object; the change is ignored`));
    return {};
  }
  if (!raw.stdout.isReplaced) return { input: args };
  diagnostics.push(diagnose("noise-privilege-dropped", "a change of the input counts only in clean output"));
  return {};
}

function deny(answer: JsonObject, reasonChars: number, diagnostics: Diagnostic[], fallback?: string): Effect {
  const reason = stringAt(answer, "reason") || fallback;
  if (reason !== undefined) return { decision: { kind: "deny", reason: truncate(reason, reasonChars) } };
  diagnostics.push(diagnose("reason-missing", "the hook refused without a reason"));
  return { decision: { kind: "deny" } };
}

function interpretPrompt(
  raw: RawResult,
  { limits, promptNonZero }: AtomcodeInterpretOptions,
  diagnostics: Diagnostic[],
): HandlerVerdict {
  const text = (raw.stdout.isTruncated ? raw.stdout.tail : raw.stdout.text).trim();
  const lastLine = text.slice(text.lastIndexOf("\n") + 1).trim();
  const answer = readObject(lastLine, limits.jsonDepth, false, diagnostics);
  if (answer !== undefined && memberAt(answer, "decision") === "block")
    return readVerdict(deny(answer, limits.reasonChars, diagnostics, PROMPT_BLOCK_REASON), diagnostics);
  if (raw.end.kind !== "exit") return readVerdict({}, diagnostics, toFailure(raw.end));
  if (raw.end.code !== 0) {
    const complaint = truncate(raw.stderr.trim() || text || SILENT_ERROR, limits.reasonChars);
    if (promptNonZero === "block")
      return readVerdict({ decision: { kind: "deny", reason: complaint } }, diagnostics);
    return readVerdict({ message: { text: complaint, level: "warn" } }, diagnostics, toFailure(raw.end));
  }
  const context =
    answer === undefined
      ? textContext(text, raw, limits.jsonDepth, diagnostics)
      : stringAt(memberAt(answer, "hookSpecificOutput"), "additionalContext");
  if (context === undefined || context === "") return readVerdict({}, diagnostics);
  return readVerdict(clipContext(context, raw, limits, diagnostics), diagnostics);
}

/** Only the last line may be an answer: one that stands higher up is text like the rest, with a diagnostic. */
function textContext(text: string, raw: RawResult, jsonDepth: number, diagnostics: Diagnostic[]): string {
  const isAnswer = (line: string): boolean => {
    const object = readObject(line.trim(), jsonDepth, false, []);
    return (
      object !== undefined &&
      (Object.hasOwn(object, "decision") || Object.hasOwn(object, "hookSpecificOutput"))
    );
  };
  // Only what can hold one of the two words is parsed: output may be a megabyte of braces.
  const mayAnswer = (line: string): boolean =>
    line.trimStart().startsWith("{") && /decision|hookSpecificOutput|\\/.test(line);
  if (text.split("\n").some(line => mayAnswer(line) && isAnswer(line)))
    diagnostics.push(
      diagnose("output-noise", "an answer is followed by other text, so all of it is taken as text"),
    );
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
    const failure = toFailure(raw.end);
    const hasMessage = failure.code === "spawn-failed";
    const effect = hasMessage ? ({ message: { text: failure.detail, level: "warn" } } as const) : {};
    return readVerdict(effect, diagnostics, failure);
  }
  const decision = decideByExitCode(raw.end.code, raw.stderr);
  switch (decision.kind) {
    case "Allow":
      return readVerdict({}, diagnostics);
    case "Warn": {
      const text = truncate(decision.message, limits.reasonChars);
      return readVerdict({ message: { text, level: "warn" } }, diagnostics);
    }
    case "Block": {
      if (decision.reason === "")
        diagnostics.push(diagnose("reason-missing", "blocked without a word on stderr"));
      const reason = decision.reason === "" ? {} : { reason: truncate(decision.reason, limits.reasonChars) };
      return readVerdict({ decision: { kind: "deny", ...reason } }, diagnostics);
    }
  }
}

/** An outcome in the words of the dialect, for a host that speaks it. */
export function toBatutaDecision(outcome: Outcome): BatutaDecision {
  if (outcome.decision.kind === "deny") return { kind: "Block", reason: outcome.decision.reason };
  if (outcome.messages.length === 0) return { kind: "Allow" };
  return { kind: "Warn", message: outcome.messages.map(message => message.text).join("\n") };
}

/**
 * A model judges in its own form, `{"ok": false, "reason": …}`, or answers as a command hook would. Prose is
 * neither: a judge that did not judge has failed.
 */
export function interpretModel(raw: RawResult, options: InterpretOptions): HandlerVerdict {
  if (raw.end.kind !== "exit") return interpretClaude(raw, options);
  const { jsonDepth, reasonChars } = options.limits;
  const answer = raw.stdout.isTruncated
    ? undefined
    : readObject(stripFence(raw.stdout.text.trim()), jsonDepth, false, []);
  const ok = booleanAt(answer, "ok");
  if (ok === undefined) {
    const { decoded } = decodeOutput(raw.stdout, jsonDepth);
    if (decoded.kind === "object" && hasProtocolKey(decoded.value)) return interpretClaude(raw, options);
    const detail = `the model did not answer with {"ok": true or false}`;
    return readVerdict({}, raw.diagnostics, { code: "output-invalid-json", detail });
  }
  if (ok) return { effect: {} };
  const reason = stringAt(answer, "reason")?.trim() ?? "";
  if (reason !== "") return { effect: { decision: { kind: "deny", reason: truncate(reason, reasonChars) } } };
  const missing = diagnose("reason-missing", "the model refused without a reason");
  return readVerdict({ decision: { kind: "deny" } }, [missing]);
}

/** Models like to wrap JSON in a code fence. */
function stripFence(text: string): string {
  return /^```(?:json)?\s*\n([\s\S]*?)\n```$/.exec(text)?.[1] ?? text;
}
