import { isJsonObject, type Json, type JsonObject, ownValue, readJson } from "../../protocol/index.ts";

/** Deeper values are kept as the text they came from. */
const DEPTH_LIMIT = 100;

/** How a value reads in text: strings as they are, null as nothing, everything else as compact JSON. */
export function valueText(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** True when a number printed canonically gives back exactly this text, so that typing it loses nothing. */
export function isCanonicalNumber(text: string): boolean {
  return /^-?\d/.test(text) && JSON.stringify(Number(text)) === text;
}

/**
 * Reads a whole text as JSON; undefined when it is none. Integers that a number cannot hold exactly become
 * strings with the same digits: ids must not change on their way through a recipe.
 */
export function readJsonText(text: string): Json | undefined {
  const read = readJson(quoteLongIntegers(text), { recover: false, maxDepth: DEPTH_LIMIT });
  return read.ok ? read.value : undefined;
}

/** The typed value of captured output: lossless or not at all. */
export function typeOutput(text: string): Json {
  if (isCanonicalNumber(text)) return Number(text);
  const trimmed = text.trim();
  if (trimmed === "true") return true;
  if (trimmed === "false") return false;
  if (trimmed === "null") return null;
  return typeStructure(trimmed) ?? text;
}

/** The typed value of `-c key=text`. */
export function typeFlag(text: string): Json {
  if (text === "true" || text === "True") return true;
  if (text === "false" || text === "False") return false;
  if (text === "null") return null;
  if (isCanonicalNumber(text)) return Number(text);
  return typeStructure(text.trim()) ?? text;
}

function typeStructure(trimmed: string): Json | undefined {
  if (!trimmed.startsWith("{") && !trimmed.startsWith("[")) return undefined;
  const value = readJsonText(trimmed);
  return isJsonObject(value) || Array.isArray(value) ? value : undefined;
}

/** The value at a path: own keys of objects, positions of arrays; undefined when any part is missing. */
export function valueAtPath(context: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = context;
  for (const segment of path) value = valueAtSegment(value, segment);
  return value;
}

export function valueAtSegment(value: Json | undefined, segment: string): Json | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(segment) ? value[Number(segment)] : undefined;
  return isJsonObject(value) ? ownValue(value, segment) : undefined;
}

function quoteLongIntegers(text: string): string {
  if (!/\d{16}/.test(text)) return text;
  // A string that is never closed takes the rest: trying again behind each of its quotes would take for ever.
  return text.replace(/"(?:[^"\\]|\\.)*"?|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/gs, token =>
    /^-?\d{16,}$/.test(token) && !isCanonicalNumber(token) ? `"${token}"` : token,
  );
}
