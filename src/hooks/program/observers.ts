import {
  errorText,
  type InputOf,
  isJsonObject,
  type Json,
  type JsonObject,
  ownValue,
} from "../../protocol/index.ts";
import type { HookContext } from "./hook-context.ts";

/** What an observer of tool calls has to say about one. */
export interface Observation {
  /** texts for the model */
  readonly warnings?: readonly string[];
  /** facts for readers of the hook's output */
  readonly metadata?: JsonObject;
  /** only logged */
  readonly actions?: readonly string[];
  /** the observers after this one are not asked */
  readonly skipRest?: boolean;
}

export interface ToolObserver {
  readonly name: string;
  observe(input: InputOf<"tool">, context: HookContext): Observation | undefined;
}

export interface Observed {
  readonly warnings: readonly string[];
  readonly metadata: JsonObject;
}

/** Asks all in order. One that fails, or answers with something else, becomes a warning and ends nothing. */
export function askObservers(
  observers: readonly ToolObserver[],
  input: InputOf<"tool">,
  context: HookContext,
): Observed {
  const warnings: string[] = [];
  let metadata: JsonObject = {};
  for (const { name, observe } of observers) {
    let seen: unknown;
    try {
      seen = observe(input, context);
    } catch (error) {
      warnings.push(`observer ${name} failed: ${errorText(error)}`);
      metadata = mergeMetadata(metadata, { error: errorText(error) });
      continue;
    }
    if (seen === undefined || seen === null) continue;
    if (!isObservation(seen)) {
      warnings.push(`observer ${name} answered with something that is not an observation`);
      continue;
    }
    warnings.push(...(seen.warnings ?? []));
    metadata = mergeMetadata(metadata, seen.metadata ?? {});
    for (const action of seen.actions ?? []) context.log("INFO", `observer ${name}: ${action}`);
    if (seen.skipRest === true) break;
  }
  return { warnings, metadata };
}

function isObservation(value: unknown): value is Observation {
  return isJsonObject(value);
}

/** The first writer of a key wins; two lists become one; any other clash is kept under `<key>_2`. */
export function mergeMetadata(left: JsonObject, right: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...left };
  for (const [key, value] of Object.entries(right)) {
    const there = ownValue(merged, key);
    if (there === undefined) merged[key] = value;
    else if (Array.isArray(there) && Array.isArray(value)) merged[key] = [...there, ...value];
    else merged[`${key}_2`] = value;
  }
  return merged;
}
