import type { JsonObject } from "../protocol/index.ts";
import type { RenderContext, ResponseEncoder } from "./host.ts";

// The answers that Claude Code introduced and most hosts copied, in parts. A host's file picks the parts it honours.

/** Members of `hookSpecificOutput`, under the event that the host expects there. */
export function nested(context: RenderContext, members: JsonObject): JsonObject {
  return { hookSpecificOutput: { hookEventName: context.eventName, ...members } };
}

function permission(kind: "allow" | "ask" | "defer" | "deny", reason: string | undefined): JsonObject {
  return reason === undefined
    ? { permissionDecision: kind }
    : { permissionDecision: kind, permissionDecisionReason: reason };
}

/** The permission decision inside `hookSpecificOutput`. */
export const nestedPermission = {
  deny: (reason, context) => nested(context, permission("deny", reason)),
  ask: (reason, context) => nested(context, permission("ask", reason)),
  allow: (reason, context) => nested(context, permission("allow", reason)),
} satisfies ResponseEncoder;

/** The permission decision at top level, as Copilot reads it, and nested, as its Claude dialect and VS Code do. */
export const doublePermission = {
  deny: (reason, context) => ({ ...permission("deny", reason), ...nestedPermission.deny(reason, context) }),
  ask: (reason, context) => ({ ...permission("ask", reason), ...nestedPermission.ask(reason, context) }),
  allow: (reason, context) => ({
    ...permission("allow", reason),
    ...nestedPermission.allow(reason, context),
  }),
} satisfies ResponseEncoder;

export const flatDeny = (reason: string): JsonObject => permission("deny", reason);

export const nestedDefer = {
  defer: (reason, context) => nested(context, permission("defer", reason)),
} satisfies ResponseEncoder;

/** `decision: "block"` at top level: blocks a prompt, comments a result, keeps an agent from stopping. */
export const block = { deny: reason => ({ decision: "block", reason }) } satisfies ResponseEncoder;

export const nestedInput = {
  input: (value, context) => nested(context, { updatedInput: value }),
} satisfies ResponseEncoder;

export const nestedOutput = {
  output: (value, context) => nested(context, { updatedToolOutput: value }),
} satisfies ResponseEncoder;

export const nestedContext = {
  context: (text, context) => nested(context, { additionalContext: text }),
} satisfies ResponseEncoder;

export const flatContext = { context: text => ({ additionalContext: text }) } satisfies ResponseEncoder;

export const doubleContext = {
  context: (text, context) => ({ additionalContext: text, ...nestedContext.context(text, context) }),
} satisfies ResponseEncoder;

export const systemMessage = { message: text => ({ systemMessage: text }) } satisfies ResponseEncoder;

export const stopTurn = {
  halt: reason => ({ continue: false, stopReason: reason }),
} satisfies ResponseEncoder;

/** The answer to a permission question; silence leaves the question to the person, which is an ask. */
export const permissionRequest = {
  deny: (reason, context) => nested(context, { decision: { behavior: "deny", message: reason } }),
  ask: () => ({}),
  allow: (_, context) => nested(context, { decision: { behavior: "allow" } }),
} satisfies ResponseEncoder;

/** A rewrite belongs to the allow, so it is possible only with one. */
export const permissionRequestInput = {
  input: (value, context) => nested(context, { decision: { behavior: "allow", updatedInput: value } }),
  inputNeedsAllow: true,
} satisfies ResponseEncoder;

/** A rewritten result as text, for hosts that keep results so. */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The members every event takes, and their usual combinations. */
export const common: ResponseEncoder = {
  ...systemMessage,
  ...stopTurn,
  suppress: () => ({ suppressOutput: true }),
};
export const withContext: ResponseEncoder = { ...common, ...nestedContext };
export const withBlock: ResponseEncoder = { ...common, ...block };
export const withBlockAndContext: ResponseEncoder = { ...withContext, ...block };

const COMMAND = "amplihack guard allow-once";

/** The command line with which a person permits a refused call once; undefined when no code was issued. */
export function allowOnceCommand(extras: JsonObject): string | undefined {
  const code = extras["allowOnce"];
  return typeof code === "string" && /^[A-Za-z0-9-]+$/.test(code) ? `${COMMAND} ${code}` : undefined;
}

/** The reason of an ask that becomes a deny. */
export function refusalInsteadOfAsk(reason: string | undefined, extras: JsonObject): string {
  const asked = reason ?? "a person should confirm this";
  const command = allowOnceCommand(extras);
  if (command === undefined) return `${asked}\nNobody can be asked here, so it is refused.`;
  return asked.includes(command) ? asked : `${asked}\nask your user, then: ${command}`;
}
