import { isJsonObject, type Json, type JsonObject, ownValue } from "../protocol/index.ts";

/** The value at a dotted path; a number indexes an array. Undefined when a step is missing. */
export function readPath(payload: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = payload;
  for (const step of path.split(".")) {
    if (Array.isArray(value)) value = (value as readonly Json[])[Number(step)];
    else value = isJsonObject(value) ? ownValue(value, step) : undefined;
    if (value === undefined) return undefined;
  }
  return value;
}

/** The first of several paths that leads to something other than null, with its path. */
export function readFirst(
  payload: JsonObject,
  paths: readonly string[],
): { readonly name: string; readonly value: Json } | undefined {
  for (const name of paths) {
    const value = readPath(payload, name);
    if (value !== undefined && value !== null) return { name, value };
  }
  return undefined;
}

/** Members copied under other names, leaving out what is not there. */
export function rename(payload: JsonObject, sources: Readonly<Record<string, string>>): JsonObject {
  const found: [string, Json][] = [];
  for (const [name, path] of Object.entries(sources)) {
    const value = readPath(payload, path);
    if (value !== undefined && value !== null) found.push([name, value]);
  }
  return Object.fromEntries(found);
}
