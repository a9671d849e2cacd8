import { eventKey, findEvent } from "../protocol/index.ts";
import type { HostDescriptor } from "./host.ts";

/** A canonical event and, for a form that a host specialised on one tool, that tool (`mcp` for any MCP tool). */
export interface MappedEvent {
  readonly event: string;
  readonly tool?: string;
}

/**
 * What a host's event is here: null when it has no counterpart, undefined when the host is not known to have it.
 * Spelling counts as little as it does for canonical names.
 */
export function mapEvent(host: HostDescriptor, native: string): MappedEvent | null | undefined {
  const target = lookUp(host, native);
  if (target === null) return null;
  if (target !== undefined) {
    const [event = target, tool] = target.split(":");
    return tool === undefined ? { event } : { event, tool };
  }
  const canonical = host.usesCanonicalEvents ? findEvent(native) : undefined;
  return canonical === undefined ? undefined : { event: canonical.name };
}

function lookUp(host: HostDescriptor, native: string): string | null | undefined {
  if (Object.hasOwn(host.events, native)) return host.events[native];
  const key = eventKey(native);
  return Object.entries(host.events).find(([name]) => eventKey(name) === key)?.[1];
}

/** The native events that stand for a canonical one in the host's configuration. */
export function registeredEvents(host: HostDescriptor, event: string): readonly string[] {
  const listed = host.registration?.events?.[event];
  if (listed !== undefined) return listed;
  const mapped = nativeNames(host, event);
  if (mapped.length > 0 || !host.usesCanonicalEvents) return mapped;
  const context = { event, eventName: event, nativeEvent: event, payload: {}, extras: {}, isHeadless: false };
  return Object.hasOwn(host.responses(context), event) ? [event] : [];
}

/** The host's own name for a canonical event: the one it is registered by, else the first that maps to it. */
export function nativeEventName(host: HostDescriptor, event: string): string {
  const [listed, second] = host.registration?.events?.[event] ?? [];
  if (listed !== undefined && second === undefined) return listed;
  return nativeNames(host, event)[0] ?? event;
}

function nativeNames({ events }: HostDescriptor, event: string): readonly string[] {
  return Object.keys(events).filter(native => events[native] === event);
}
