import { DEFAULT_TIMEOUT_MS, EVENTS, type EventDescriptor, type Power } from "./event-table.ts";

export { EVENTS, type EventDescriptor, type Power, type Rewritable, type TextRule } from "./event-table.ts";

const UNKNOWN_EVENT: Omit<EventDescriptor, "name"> = {
  subject: undefined,
  power: "none",
  text: "ignored",
  rewrites: [],
  timeoutMs: DEFAULT_TIMEOUT_MS,
  requiresTool: false,
};

type KnownEvent = (typeof EVENTS)[number];
export type EventName = KnownEvent["name"];
/** The row of an event, as a type. */
export type EventRow<E extends EventName> = Extract<KnownEvent, { readonly name: E }>;

/** `PreToolUse`, `preToolUse`, `pre_tool_use` and `pre-tool-use` have one key. */
export function eventKey(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, "").toLowerCase();
}

/** Filled when an event is not spelled as usual. */
const BY_KEY = new Map<string, EventDescriptor>();

/** The descriptor of a known event in any spelling; `SessionStop` is `SessionEnd`. */
export function findEvent(name: string): EventDescriptor | undefined {
  const usual = EVENTS.find(known => known.name === name);
  if (usual !== undefined) return usual;
  if (BY_KEY.size === 0) for (const known of EVENTS) BY_KEY.set(eventKey(known.name), known);
  const key = eventKey(name);
  return BY_KEY.get(key === "sessionstop" ? "sessionend" : key);
}

/** A descriptor for any name: an unknown event is legal, carries nothing and decides nothing. */
export function describeEvent(name: string): EventDescriptor {
  return findEvent(name) ?? { ...UNKNOWN_EVENT, name };
}

/** The power of an event for one payload: a change of managed policy cannot be vetoed. */
export function powerOf(descriptor: EventDescriptor, payload: { readonly source?: unknown }): Power {
  const isPolicyChange = descriptor.name === "ConfigChange" && payload.source === "policy_settings";
  return isPolicyChange ? "none" : descriptor.power;
}
