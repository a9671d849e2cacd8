import {
  isJsonObject,
  JSON_DEPTH_LIMIT,
  type Json,
  type JsonObject,
  ownValue,
  readJson,
} from "../../protocol/index.ts";

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

/**
 * The JSON in a text: the whole text, else the first fenced block that parses, else the first balanced object or
 * array that parses. Undefined when there is none.
 */
export function extractJson(text: string): Json | undefined {
  const trimmed = text.trim();
  const whole = readJsonText(trimmed);
  if (whole !== undefined) return whole;
  for (const fence of trimmed.matchAll(/```[ \t]*(?:json)?[ \t]*\r?\n?([\s\S]*?)```/gi)) {
    const value = readJsonText((fence[1] ?? "").trim());
    if (value !== undefined) return value;
  }
  return scanForBlock(trimmed);
}

/** Characters looked at before giving up: text full of brackets must not take for ever. */
const WORK_LIMIT = 50_000_000;
/** What trying to read a block costs besides its length. */
const ATTEMPT_WORK = 100;

function scanForBlock(text: string): Json | undefined {
  for (const value of blocksIn(text, /[{[]/g)) return value;
  return undefined;
}

/** Every object of a text in the order in which they stand there; what stands inside one belongs to it. */
export function objectsIn(text: string): readonly JsonObject[] {
  return [...blocksIn(text, /\{/g)].filter(isJsonObject);
}

/** The balanced blocks that parse; `opener` tells where one may begin. */
function* blocksIn(text: string, opener: RegExp): Generator<Json> {
  let work = 0;
  for (let found = opener.exec(text); found !== null && work < WORK_LIMIT; found = opener.exec(text)) {
    const { end, looked } = findBlockEnd(text, found.index);
    work += looked + ATTEMPT_WORK;
    const value = end === undefined ? undefined : readJsonText(text.slice(found.index, end));
    if (value === undefined || end === undefined) continue;
    opener.lastIndex = end;
    yield value;
  }
}

/** Behind the bracket that closes the one at `start`; no end when it never closes or nests too deep. */
function findBlockEnd(text: string, start: number): { end: number | undefined; looked: number } {
  const open: string[] = [];
  let index = start;
  for (; index < text.length && open.length <= JSON_DEPTH_LIMIT; index++) {
    const character = text[index];
    if (character === '"') {
      index++;
      while (index < text.length && text[index] !== '"') index += text[index] === "\\" ? 2 : 1;
    } else if (character === "{") open.push("}");
    else if (character === "[") open.push("]");
    else if (character === "}" || character === "]") {
      if (open.pop() !== character) break;
      if (open.length === 0) return { end: index + 1, looked: index + 1 - start };
    }
  }
  return { end: undefined, looked: index - start };
}
