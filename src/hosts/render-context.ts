import { describeEvent, type JsonObject, ownValue, type Power, powerOf } from "../protocol/index.ts";
import type { HostDescriptor, RenderContext, ResponseEncoder } from "./host.ts";
import { mapEvent, nativeEventName } from "./native-events.ts";

/** How a host is answered on an event; without any ability for an event it does not know. */
export function encoderFor(host: HostDescriptor, context: RenderContext): ResponseEncoder {
  const table = host.responses(context);
  return ownValue(table, context.event) ?? {};
}

export function renderContext(
  host: HostDescriptor,
  request: { event: string; nativeEvent: string; payload?: JsonObject; isHeadless?: boolean },
  extras: JsonObject,
): RenderContext {
  const { event, nativeEvent, payload = {}, isHeadless = false } = request;
  const isNative = mapEvent(host, nativeEvent)?.event === event;
  const native = isNative ? nativeEvent : nativeEventName(host, event);
  const eventName = host.answersInNativeNames === true ? native : event;
  return { event, eventName, nativeEvent: native, payload, extras, isHeadless };
}

export function renderNoOpinion({ noOpinion }: HostDescriptor, context: RenderContext): string {
  return typeof noOpinion === "string" ? noOpinion : noOpinion(context);
}

export function powerAt({ event, payload }: RenderContext): Power {
  return powerOf(describeEvent(event), { source: payload["source"] });
}
