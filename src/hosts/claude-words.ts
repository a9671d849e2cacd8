import type { JsonObject } from "../protocol/index.ts";
import type { Occasion, Speech } from "./host.ts";

// The vocabulary that Claude Code coined and most hosts copied, in parts. A host's file picks the parts it honours.

/** Members of `hookSpecificOutput`, under the event that the host expects there. */
export function nested(on: Occasion, members: JsonObject): JsonObject {
  return { hookSpecificOutput: { hookEventName: on.spoken, ...members } };
}

function permission(kind: "allow" | "ask" | "defer" | "deny", reason: string | undefined): JsonObject {
  return reason === undefined
    ? { permissionDecision: kind }
    : { permissionDecision: kind, permissionDecisionReason: reason };
}

/** The permission decision inside `hookSpecificOutput`. */
export const nestedPermission = {
  deny: (reason, on) => nested(on, permission("deny", reason)),
  ask: (reason, on) => nested(on, permission("ask", reason)),
  allow: (reason, on) => nested(on, permission("allow", reason)),
} satisfies Speech;

/** The permission decision at top level, as Copilot reads it, and nested, as its Claude dialect and VS Code do. */
export const doublePermission = {
  deny: (reason, on) => ({ ...permission("deny", reason), ...nestedPermission.deny(reason, on) }),
  ask: (reason, on) => ({ ...permission("ask", reason), ...nestedPermission.ask(reason, on) }),
  allow: (reason, on) => ({ ...permission("allow", reason), ...nestedPermission.allow(reason, on) }),
} satisfies Speech;

export const flatDeny = (reason: string): JsonObject => permission("deny", reason);

export const nestedDefer = {
  defer: (reason, on) => nested(on, permission("defer", reason)),
} satisfies Speech;

/** `decision: "block"` at top level: blocks a prompt, comments a result, keeps an agent from stopping. */
export const block = { deny: reason => ({ decision: "block", reason }) } satisfies Speech;

export const nestedInput = { input: (value, on) => nested(on, { updatedInput: value }) } satisfies Speech;

export const nestedContext = {
  context: (text, on) => nested(on, { additionalContext: text }),
} satisfies Speech;

export const flatContext = { context: text => ({ additionalContext: text }) } satisfies Speech;

export const doubleContext = {
  context: (text, on) => ({ additionalContext: text, ...nestedContext.context(text, on) }),
} satisfies Speech;

export const systemMessage = { message: text => ({ systemMessage: text }) } satisfies Speech;

export const stopTurn = { halt: reason => ({ continue: false, stopReason: reason }) } satisfies Speech;

export const suppressOutput = { suppress: () => ({ suppressOutput: true }) } satisfies Speech;

/** The answer to a permission question; silence leaves the question to the person, which is an ask. */
export const permissionRequest = {
  deny: (reason, on) => nested(on, { decision: { behavior: "deny", message: reason } }),
  ask: () => ({}),
  allow: (_, on) => nested(on, { decision: { behavior: "allow" } }),
} satisfies Speech;

/** A rewrite belongs to the allow, so it is possible only with one. */
export const permissionRequestInput = {
  input: (value, on) => nested(on, { decision: { behavior: "allow", updatedInput: value } }),
  inputNeedsAllow: true,
} satisfies Speech;

/** A rewritten result as text, for hosts that keep results so. */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The members every event takes, and their usual combinations. */
export const observe: Speech = { ...systemMessage, ...stopTurn, ...suppressOutput };
export const tell: Speech = { ...observe, ...nestedContext };
export const gate: Speech = { ...observe, ...block };
export const gateAndTell: Speech = { ...tell, ...block };
