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

const DEFAULT_TIMEOUT_MS = 600_000;

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
  return {
    name,
    subject,
    power,
    text: "ignored",
    rewrites: [],
    timeoutMs: DEFAULT_TIMEOUT_MS,
    requiresTool: false,
    ...more,
  } as EventDescriptor as Described<N, P, D>;
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

type KnownEvent = (typeof EVENTS)[number];
export type EventName = KnownEvent["name"];
/** The row of an event, as a type. */
export type EventRow<E extends EventName> = Extract<KnownEvent, { readonly name: E }>;

/** `PreToolUse`, `preToolUse`, `pre_tool_use` and `pre-tool-use` have one key. */
export function eventKey(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, "").toLowerCase();
}

/** By its usual name and by its key: most callers spell it right. */
const BY_KEY = new Map<string, EventDescriptor>(
  EVENTS.flatMap(known => [
    [known.name, known],
    [eventKey(known.name), known],
  ]),
);
const SESSION_END = BY_KEY.get("sessionend");
if (SESSION_END !== undefined) BY_KEY.set("sessionstop", SESSION_END);

/** The descriptor of a known event in any spelling; `SessionStop` is `SessionEnd`. */
export function findEvent(name: string): EventDescriptor | undefined {
  return BY_KEY.get(name) ?? BY_KEY.get(eventKey(name));
}

/** A descriptor for any name: an unknown event is legal, carries nothing and decides nothing. */
export function describeEvent(name: string): EventDescriptor {
  return findEvent(name) ?? event(name, undefined, "none");
}

/** The power of an event for one payload: a change of managed policy cannot be vetoed. */
export function powerOf(descriptor: EventDescriptor, payload: { readonly source?: unknown }): Power {
  const isPolicyChange = descriptor.name === "ConfigChange" && payload.source === "policy_settings";
  return isPolicyChange ? "none" : descriptor.power;
}
