import type { JsonObject } from "../protocol/index.ts";
import { hostOrDefault } from "./descriptors.ts";
import { readFirst } from "./tool-input.ts";

/** Does the payload of a call that has ended say that it failed? */
export function hasFailed(host: string, payload: JsonObject): boolean {
  const found = readFirst(payload, hostOrDefault(host).input?.failure ?? [])?.value;
  if (typeof found === "string") return found !== "success";
  return found !== undefined && found !== false && found !== 0;
}
