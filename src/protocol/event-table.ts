/**
 * What a deny means on an event: `veto` stops the action, `retry` makes the agent go on, `feedback` is told to
 * the model after the fact, `none` is ignored and reported.
 */
export type Power = "veto" | "retry" | "feedback" | "none";
/** What plain text on a hook's stdout means at exit 0. */
export type TextRule = "ignored" | "context" | "value";
export type Rewritable = "input" | "output" | "permissions" | "display" | "answer";

export interface EventDescriptor {
  readonly name: string;
  /** payload field a matcher is compared with; undefined when the event has no subject */
  readonly subject: string | undefined;
  readonly power: Power;
  readonly text: TextRule;
  readonly rewrites: readonly Rewritable[];
  readonly timeoutMs: number;
  /** tool events carry a tool name and a tool input, which are then required */
  readonly requiresTool: boolean;
}

export const DEFAULT_TIMEOUT_MS = 600_000;

type Details = Partial<Omit<EventDescriptor, "name" | "subject" | "power">>;

/** A descriptor whose name and abilities are also types: what a hook may say on an event is derived from them. */
type Described<N extends string, P extends Power, D extends Details> = EventDescriptor & {
  readonly name: N;
  readonly power: P;
  readonly rewrites: D extends { readonly rewrites: infer R extends readonly Rewritable[] } ? R : readonly [];
  readonly requiresTool: D extends { readonly requiresTool: true } ? true : false;
};

function event<const N extends string, const P extends Power, const D extends Details = Record<never, never>>(
  name: N,
  subject: string | undefined,
  power: P,
  more?: D,
): Described<N, P, D> {
  const details: Details = more ?? {};
  const { text = "ignored", rewrites = [], timeoutMs = DEFAULT_TIMEOUT_MS, requiresTool = false } = details;
  const row: EventDescriptor = { name, subject, power, text, rewrites, timeoutMs, requiresTool };
  return row as Described<N, P, D>;
}

/** The events of the reference, in its order. Other names are legal and have no power. */
export const EVENTS = [
  event("PreToolUse", "tool_name", "veto", { rewrites: ["input"], requiresTool: true }),
  event("PermissionRequest", "tool_name", "veto", { rewrites: ["input", "permissions"], requiresTool: true }),
  event("PermissionDenied", "tool_name", "none", { requiresTool: true }),
  event("PostToolUse", "tool_name", "feedback", { rewrites: ["output"], requiresTool: true }),
  event("PostToolUseFailure", "tool_name", "feedback", { requiresTool: true }),
  event("PostToolBatch", undefined, "veto"),
  event("UserPromptSubmit", undefined, "veto", { text: "context", timeoutMs: 30_000 }),
  event("UserPromptExpansion", undefined, "veto", { text: "context" }),
  event("SessionStart", "source", "none", { text: "context" }),
  event("SessionEnd", "reason", "none", { timeoutMs: 1_500 }),
  event("Setup", "trigger", "none"),
  event("InstructionsLoaded", "load_reason", "none"),
  event("Notification", "notification_type", "none"),
  event("MessageDisplay", undefined, "none", { rewrites: ["display"], timeoutMs: 10_000 }),
  event("SubagentStart", "agent_type", "none"),
  event("SubagentStop", "agent_type", "retry"),
  event("Stop", undefined, "retry"),
  event("StopFailure", "error", "none"),
  event("TeammateIdle", undefined, "veto"),
  event("TaskCreated", undefined, "veto"),
  event("TaskCompleted", undefined, "veto"),
  event("PreCompact", "trigger", "veto"),
  event("PostCompact", "trigger", "none"),
  event("ConfigChange", "source", "veto"),
  event("CwdChanged", undefined, "none"),
  event("DirectoryAdded", undefined, "none"),
  event("FileChanged", "file_path", "none"),
  event("WorktreeCreate", undefined, "veto", { text: "value" }),
  event("WorktreeRemove", undefined, "none"),
  event("Elicitation", "mcp_server_name", "veto", { rewrites: ["answer"] }),
  event("ElicitationResult", "mcp_server_name", "veto", { rewrites: ["answer"] }),
  event("PreModelSwitch", undefined, "veto", { timeoutMs: 30_000 }),
  event("PostModelSwitch", undefined, "none", { timeoutMs: 30_000 }),
] as const satisfies readonly EventDescriptor[];
