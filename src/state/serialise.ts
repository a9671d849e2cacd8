import { JSON_DEPTH_LIMIT } from "../protocol/index.ts";
import { StateError } from "./state-error.ts";

/**
 * JSON text of a value that survives the way back unchanged. What `JSON.stringify` would drop or bend without a
 * word (undefined, non-finite numbers, dates, promises, cycles) is an error naming the place in the value.
 */
export function serialise(value: unknown, subject: string, indent: 0 | 2): string {
  check(value, "$", subject, 0);
  return JSON.stringify(value, null, indent);
}

function check(value: unknown, place: string, subject: string, depth: number): void {
  switch (typeof value) {
    case "string":
    case "boolean":
      return;
    case "number":
      if (!Number.isFinite(value)) refuse(subject, place, String(value));
      return;
    case "object":
      break;
    default:
      refuse(subject, place, typeof value);
  }
  if (value === null) return;
  if (depth >= JSON_DEPTH_LIMIT) refuse(subject, place, `more than ${JSON_DEPTH_LIMIT} levels of nesting`);
  if (Array.isArray(value)) {
    // By index, because holes are not visited otherwise.
    for (let index = 0; index < value.length; index++)
      check(value[index], `${place}[${index}]`, subject, depth + 1);
    return;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) refuse(subject, place, "an object of a class");
  for (const [key, member] of Object.entries(value)) check(member, `${place}.${key}`, subject, depth + 1);
}

function refuse(subject: string, place: string, found: string): never {
  throw new StateError(
    "not-serialisable",
    subject,
    `cannot store a value in ${subject}: expected plain JSON at ${place}, found ${found}`,
  );
}
