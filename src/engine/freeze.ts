import type { Json } from "../protocol/index.ts";

/**
 * A frozen copy: what one hook sees, no other can change, and the host's own objects stay as they are. Values
 * that JSON does not know are handed on as they are when `isLenient`, and refused otherwise.
 */
export function freezeCopy(value: unknown, isLenient: boolean): unknown {
  if (typeof value !== "object" || value === null) {
    if (isLenient || isJsonScalar(value)) return value;
    throw new TypeError(`a ${typeof value} is not JSON`);
  }
  if (Array.isArray(value)) return Object.freeze(value.map(item => freezeCopy(item, isLenient)));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    if (isLenient) return value;
    throw new TypeError(`an instance of ${value.constructor?.name ?? "a class"} is not JSON`);
  }
  const members = value as Readonly<Record<string, unknown>>;
  const copy: Record<string, unknown> = {};
  // Faster than `Object.keys`, and this runs before every tool call.
  for (const key in members) {
    if (!Object.hasOwn(members, key)) continue;
    const member = members[key];
    if (typeof member === "string") {
      if (key !== "__proto__") copy[key] = member;
    } else if (member !== undefined && key !== "__proto__") copy[key] = freezeCopy(member, isLenient);
  }
  return Object.freeze(copy);
}

function isJsonScalar(value: unknown): boolean {
  return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

/** A value from a hook as JSON, frozen; throws when it is something else. */
export function freezeJson(value: unknown): Json {
  return freezeCopy(value, false) as Json;
}
