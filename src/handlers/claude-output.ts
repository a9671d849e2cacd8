import {
  type Diagnostic,
  defined,
  type Effect,
  type EventDescriptor,
  eventKey,
  isJsonObject,
  isStricter,
  type Json,
  type JsonObject,
  ownValue,
  type VerdictKind,
} from "../protocol/index.ts";
import { truncate } from "../text/index.ts";
import { type Decoded, decodeOutput } from "./decode.ts";
import { describeType, diagnose, type Limits } from "./handler.ts";
import {
  clipContext,
  contextTruncated,
  type HandlerVerdict,
  type InterpretOptions,
  type RawResult,
  readVerdict,
  toFailure,
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
    return readVerdict({ decision: { kind: "deny", ...reason } }, diagnostics);
  }
  const [firstLine = ""] = exitCode === undefined ? [] : stderr.split("\n", 1);
  const isPathRefused = exitCode !== undefined && event.text === "value";
  const effect: Effect = {
    ...readRestrictions(answer, limits, diagnostics),
    ...(isPathRefused ? { decision: { kind: "deny", ...reasonWithin(limits, stderr) } } : {}),
    ...(firstLine === ""
      ? {}
      : { message: { text: truncate(firstLine.trim(), limits.reasonChars), level: "warn" } }),
  };
  return readVerdict(effect, diagnostics, toFailure(raw.end));
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
    return readVerdict({}, diagnostics, { code: "output-invalid-json", detail });
  }
  if (decoded.kind === "text")
    return readVerdict(fromText(decoded.text, raw, { limits, event }, diagnostics), diagnostics);
  if (answer === undefined || decoded.kind === "empty") return readVerdict({}, diagnostics);
  const isClean = !decoded.isNoisy && !raw.stdout.isReplaced;
  const isTrusted = isClean && answer.isWellFormed;
  const privileges = readPrivileges(answer, limits);
  const names = Object.keys(privileges).join(", ");
  if (!isClean && names !== "")
    diagnostics.push(diagnose("noise-privilege-dropped", `${names} counts only in clean output`));
  if (isTrusted && privileges.context !== undefined && privileges.context !== answer.context)
    diagnostics.push(contextTruncated(limits.contextChars));
  const effect: Effect = {
    ...(isTrusted ? privileges : {}),
    ...readRestrictions(answer, limits, diagnostics),
    ...(answer.message === undefined
      ? {}
      : { message: { text: truncate(answer.message, limits.contextChars), level: "info" } }),
    ...(answer.suppress ? { suppress: true } : {}),
  };
  return readVerdict(effect, diagnostics);
}

/** What an answer may do only when nothing is doubtful about it. */
function readPrivileges({ decision, input, output, context, extras }: ClaudeAnswer, limits: Limits): Effect {
  return {
    ...(decision?.kind === "allow"
      ? { decision: { kind: "allow", ...reasonWithin(limits, decision.reason) } }
      : {}),
    ...defined({ input, output }),
    ...(context === undefined || context === "" ? {} : { context: truncate(context, limits.contextChars) }),
    ...(Object.keys(extras).length === 0 ? {} : { extras }),
  };
}

/** What counts whenever it is legible. */
function readRestrictions(
  answer: ClaudeAnswer | undefined,
  limits: Limits,
  diagnostics: Diagnostic[],
): Effect {
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
  return text === "" ? {} : { reason: truncate(text, reasonChars) };
}

type Stated = Exclude<VerdictKind, "none">;

/** What an answer says, field by field. `isWellFormed` is false once a known field is not what it must be. */
interface ClaudeAnswer {
  readonly decision: Effect["decision"];
  readonly halt: Effect["halt"];
  readonly input: JsonObject | undefined;
  readonly output: Json | undefined;
  readonly context: string | undefined;
  readonly message: string | undefined;
  readonly suppress: boolean;
  readonly extras: JsonObject;
  readonly isWellFormed: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** Members of `hookSpecificOutput` that belong to one event and are passed to the host unchanged. */
const EXTRAS: Readonly<Record<string, readonly string[]>> = {
  PermissionDenied: ["retry"],
  PostToolUse: ["classifierContext"],
  UserPromptSubmit: ["sessionTitle", "suppressOriginalPrompt"],
  UserPromptExpansion: ["suppressOriginalPrompt"],
  SessionStart: ["initialUserMessage", "sessionTitle", "watchPaths", "reloadSkills"],
  CwdChanged: ["watchPaths"],
  FileChanged: ["watchPaths"],
  WorktreeCreate: ["worktreePath"],
  MessageDisplay: ["displayContent"],
  Elicitation: ["action", "content"],
  ElicitationResult: ["action", "content"],
};
export function extraMembers(event: string): readonly string[] {
  return EXTRAS[event] ?? [];
}

const TOP_DECISIONS: Readonly<Record<string, Stated>> = {
  block: "deny",
  deny: "deny",
  approve: "allow",
  allow: "allow",
  ask: "ask",
};
const PERMISSION_DECISIONS: Readonly<Record<string, Stated>> = {
  allow: "allow",
  ask: "ask",
  defer: "defer",
  deny: "deny",
};
const BEHAVIORS: Readonly<Record<string, Stated>> = { allow: "allow", deny: "deny" };

/** Reads one object of the Claude protocol. Unknown keys are ignored; a mistyped field is dropped alone. */
function readAnswer(object: JsonObject, event: EventDescriptor): ClaudeAnswer {
  const reader = new AnswerReader();
  const specific = reader.object(object, "hookSpecificOutput") ?? {};
  reader.checkEvent(specific, event);
  const request =
    (event.name === "PermissionRequest" ? reader.object(specific, "decision") : undefined) ?? {};

  const top = reader.choice(object, "decision", TOP_DECISIONS);
  const permission = reader.choice(specific, "permissionDecision", PERMISSION_DECISIONS);
  const behavior = reader.choice(request, "behavior", BEHAVIORS);
  const reasons = [
    reader.string(specific, "permissionDecisionReason"),
    reader.string(request, "message"),
    reader.string(object, "reason"),
  ];
  const reason = reasons.find(text => text !== undefined);

  const stops = reader.boolean(object, "continue") === false;
  const stopReason = reader.string(object, "stopReason");
  const interrupts = reader.boolean(request, "interrupt") === true;
  const rewrites = [reader.object(request, "updatedInput"), reader.object(specific, "updatedInput")];
  const rewritten = rewrites.find(input => input !== undefined);
  reader.boolean(object, "async");
  const message = reader.string(object, "systemMessage");
  const kind = pickStrictest(top, permission, behavior);
  return {
    decision: kind === undefined ? undefined : { kind, ...defined({ reason }) },
    halt: stops || interrupts ? defined({ reason: stops ? stopReason : undefined }) : undefined,
    input: event.rewrites.includes("input") ? rewritten : undefined,
    output:
      event.name === "PostToolUse"
        ? (ownValue(specific, "updatedToolOutput") ?? ownValue(specific, "updatedMCPToolOutput"))
        : undefined,
    context: reader.string(specific, "additionalContext"),
    message,
    suppress: reader.boolean(object, "suppressOutput") === true,
    extras: readExtras(specific, request, event),
    isWellFormed: reader.isWellFormed,
    diagnostics: reader.diagnostics,
  };
}

function pickStrictest(...stated: readonly (Stated | undefined)[]): Stated | undefined {
  return stated.reduce(
    (strictest, kind) =>
      kind !== undefined && (strictest === undefined || isStricter(kind, strictest)) ? kind : strictest,
    undefined,
  );
}

function readExtras(specific: JsonObject, request: JsonObject, event: EventDescriptor): JsonObject {
  const members = extraMembers(event.name).map(name => [name, ownValue(specific, name)]);
  const updatedPermissions = ownValue(request, "updatedPermissions");
  return defined({ ...Object.fromEntries(members), updatedPermissions });
}

class AnswerReader {
  isWellFormed = true;
  readonly diagnostics: Diagnostic[] = [];

  private drop(name: string, expected: string, found: Json): undefined {
    this.isWellFormed = false;
    this.diagnostics.push(
      diagnose("field-type", `"${name}" must be ${expected}, not ${describeType(found)}; it is ignored`),
    );
    return undefined;
  }

  object(owner: JsonObject, name: string): JsonObject | undefined {
    const value = ownValue(owner, name);
    if (value === undefined || isJsonObject(value)) return value;
    return this.drop(name, "an object", value);
  }

  string(owner: JsonObject, name: string): string | undefined {
    const value = ownValue(owner, name);
    if (value === undefined || typeof value === "string") return value;
    return this.drop(name, "text", value);
  }

  boolean(owner: JsonObject, name: string): boolean | undefined {
    const value = ownValue(owner, name);
    if (value === undefined || typeof value === "boolean") return value;
    return this.drop(name, "true or false", value);
  }

  choice(owner: JsonObject, name: string, choices: Readonly<Record<string, Stated>>): Stated | undefined {
    const value = ownValue(owner, name);
    if (value === undefined) return undefined;
    if (typeof value === "string" && Object.hasOwn(choices, value)) return choices[value];
    return this.drop(name, Object.keys(choices).join(", "), value);
  }

  checkEvent(specific: JsonObject, event: EventDescriptor): void {
    const named = this.string(specific, "hookEventName");
    if (named === undefined || eventKey(named) === eventKey(event.name)) return;
    this.isWellFormed = false;
    this.diagnostics.push(
      diagnose(
        "event-mismatch",
        `the answer names another event than ${event.name}; it may restrict, not grant`,
      ),
    );
  }
}
