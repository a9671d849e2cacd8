import { describeEvent, type JsonObject, type Power, powerOf } from "../protocol/index.ts";
import type { HostDescriptor, Occasion, Speech } from "./host.ts";
import { mapEvent, nativeEventName } from "./native-events.ts";

/** Which words a host has on an event; none for an event it does not know. */
export function speechFor(host: HostDescriptor, on: Occasion): Speech {
  const table = typeof host.speech === "function" ? host.speech(on) : host.speech;
  return (Object.hasOwn(table, on.event) ? table[on.event] : undefined) ?? {};
}

export function occasionOf(
  host: HostDescriptor,
  request: { event: string; nativeEvent: string; payload?: JsonObject; isHeadless?: boolean },
  extras: JsonObject,
): Occasion {
  const { event, nativeEvent, payload = {}, isHeadless = false } = request;
  const isNative = mapEvent(host, nativeEvent)?.event === event;
  const native = isNative ? nativeEvent : nativeEventName(host, event);
  const spoken = host.answersInNativeNames === true ? native : event;
  return { event, spoken, nativeEvent: native, payload, extras, isHeadless };
}

export function silenceOf(host: HostDescriptor, on: Occasion): string {
  return typeof host.silence === "string" ? host.silence : host.silence(on);
}

export function powerAt(on: Occasion): Power {
  const { source } = on.payload;
  return powerOf(describeEvent(on.event), { source });
}
