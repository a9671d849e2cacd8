import {
  describeEvent,
  EVENTS,
  type EventDescriptor,
  type EventName,
  eventKey,
  findEvent,
  type Json,
  type JsonObject,
} from "../protocol/index.ts";

/** Calls of the model, for agents that have them: a hook may refuse a request and comment on a response. */
export const MODEL_EVENTS = [
  modelEvent("ModelRequest", "veto"),
  modelEvent("ModelResponse", "feedback"),
] as const;

function modelEvent<const N extends string>(
  name: N,
  power: "veto" | "feedback",
): EventDescriptor & { readonly name: N } {
  return {
    name,
    subject: "model",
    power,
    text: "ignored",
    rewrites: [],
    timeoutMs: 60_000,
    requiresTool: false,
  };
}

export type ModelEventName = (typeof MODEL_EVENTS)[number]["name"];
export type EngineEventName = EventName | ModelEventName;

/** Members that every payload may have. */
interface CommonFields {
  readonly session_id?: string;
  readonly transcript_path?: string;
  readonly cwd?: string;
  readonly permission_mode?: string;
  readonly agent_id?: string;
  readonly agent_type?: string;
}
interface ToolFields {
  readonly tool_name: string;
  readonly tool_input: Json;
  readonly tool_use_id?: string;
}
interface StopFields {
  readonly stop_hook_active?: boolean;
  readonly last_assistant_message?: string;
}
interface ModelFields {
  readonly model?: string;
}

/** What the payload of an event has besides. Events that are not listed have nothing of their own that is sure. */
interface EventFields {
  PreToolUse: ToolFields;
  PermissionRequest: ToolFields;
  PermissionDenied: ToolFields;
  PostToolUse: ToolFields & { readonly tool_response: Json; readonly duration_ms?: number };
  PostToolUseFailure: ToolFields & { readonly error?: Json; readonly is_error?: boolean };
  UserPromptSubmit: { readonly prompt: string };
  UserPromptExpansion: { readonly prompt: string };
  SessionStart: { readonly source?: string };
  SessionEnd: { readonly reason?: string };
  Notification: { readonly notification_type?: string; readonly message?: string };
  Stop: StopFields;
  SubagentStop: StopFields;
  SubagentStart: CommonFields;
  PreCompact: { readonly trigger?: string };
  PostCompact: { readonly trigger?: string };
  FileChanged: { readonly file_path?: string };
  ModelRequest: ModelFields & { readonly messages?: Json };
  ModelResponse: ModelFields & { readonly response?: Json; readonly usage?: Json };
}

/** The payload of an event: its known members with their types, and whatever else the host sent. */
export type EventPayload<E extends string> = JsonObject &
  CommonFields &
  (E extends keyof EventFields ? EventFields[E] : unknown);

/** Finds events of the table, of model calls and of the host's own, in any spelling. */
export interface EventFinder {
  /** all that are known, for hints */
  readonly names: readonly string[];
  readonly findEvent: (name: string) => EventDescriptor | undefined;
  readonly describeEvent: (name: string) => EventDescriptor;
}

export function eventFinder(own: readonly EventDescriptor[]): EventFinder {
  const extra = [...MODEL_EVENTS, ...own];
  const byKey = new Map(extra.map(event => [eventKey(event.name), event]));
  const find = (name: string): EventDescriptor | undefined => byKey.get(eventKey(name)) ?? findEvent(name);
  return {
    names: [...EVENTS, ...extra].map(({ name }) => name),
    findEvent: find,
    describeEvent: name => find(name) ?? describeEvent(name),
  };
}
