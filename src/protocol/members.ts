export type Json = null | boolean | number | string | readonly Json[] | { readonly [k: string]: Json };
export type JsonObject = { readonly [k: string]: Json };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** As the writers of these files and payloads mean it: nothing, zero and what is empty are no. */
export function isTruthy(value: Json | undefined): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** The value of an own key; inherited names such as `constructor` are never found. */
export function ownValue<T>(object: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

type OptionalKeys<T> = { [K in keyof T]: undefined extends T[K] ? K : never }[keyof T];

/** The members that have a value, so that an absent one is left out and not `undefined`. */
export function defined<T extends object>(
  members: T,
): Omit<T, OptionalKeys<T>> & { [K in OptionalKeys<T>]?: Exclude<T[K], undefined> } {
  const present = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as ReturnType<typeof defined<T>>;
}

/** The text of anything thrown, for a message. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The kind of anything thrown, where its message might quote a payload. */
export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** How the engines say that something does not fit into their memory. */
export function isMemoryUsedUp(error: unknown): boolean {
  const pattern = /out of memory|allocation failed|invalid (?:string|array) length/i;
  return error instanceof Error && pattern.test(error.message);
}

/** The value at a path of own keys; undefined as soon as something on the way is no object or lacks the key. */
export function memberAt(value: Json | undefined, ...keys: readonly string[]): Json | undefined {
  let found = value;
  for (const key of keys) found = isJsonObject(found) ? ownValue(found, key) : undefined;
  return found;
}

/** The first of the members that is a string. */
export function stringAt(value: Json | undefined, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const found = memberAt(value, name);
    if (typeof found === "string") return found;
  }
  return undefined;
}

export function numberAt(value: Json | undefined, name: string): number | undefined {
  const found = memberAt(value, name);
  return typeof found === "number" ? found : undefined;
}

export function booleanAt(value: Json | undefined, name: string): boolean | undefined {
  const found = memberAt(value, name);
  return typeof found === "boolean" ? found : undefined;
}

/** The member if it is an object, else an empty one. */
export function objectAt(value: Json | undefined, name: string): JsonObject {
  const found = memberAt(value, name);
  return isJsonObject(found) ? found : {};
}

/** The member if it is a list, else an empty one. */
export function listAt(value: Json | undefined, name: string): readonly Json[] {
  const found = memberAt(value, name);
  return Array.isArray(found) ? found : [];
}

/** The strings of a list; whatever else stands in it is left out. */
export function stringsAt(value: Json | undefined, name: string): readonly string[] {
  return listAt(value, name).filter(item => typeof item === "string");
}

/** The object that a text holds as JSON, read strictly; undefined for anything else. */
export function parseJsonObject(text: string, maxDepth: number): JsonObject | undefined {
  const read = readJson(text, { recover: false, maxDepth });
  return read.ok && isJsonObject(read.value) ? read.value : undefined;
}

/** A member that is not what it must be. The message names the member and the types, never the value. */
export class MemberError extends Error {
  override readonly name = "MemberError";
}

/**
 * Reads an object whose members must have the right type; every method throws a `MemberError`. For the files that
 * we write ourselves; payloads are read leniently with the functions above.
 */
export class StrictMembers {
  readonly #object: JsonObject;
  readonly #place: string;

  constructor(value: Json | undefined, place = "") {
    if (!isJsonObject(value)) throw mismatch(place === "" ? "it" : place, "an object", value);
    this.#object = value;
    this.#place = place === "" ? "" : `${place}.`;
  }

  string(name: string): string {
    return this.#read(name, "a string", value => (typeof value === "string" ? value : undefined));
  }

  number(name: string): number {
    return this.#read(name, "a number", value => (typeof value === "number" ? value : undefined));
  }

  /** a whole number, 0 or more */
  count(name: string): number {
    return this.#read(name, "a whole number, 0 or more", value =>
      typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined,
    );
  }

  boolean(name: string): boolean {
    return this.#read(name, "true or false", value => (typeof value === "boolean" ? value : undefined));
  }

  oneOf<T extends string>(name: string, choices: readonly T[]): T {
    return this.#read(name, `one of ${choices.join(", ")}`, value =>
      choices.find(choice => choice === value),
    );
  }

  list(name: string): readonly Json[] {
    return this.#read(name, "a list", value => (Array.isArray(value) ? value : undefined));
  }

  strings(name: string): readonly string[] {
    return this.#read(name, "a list of strings", value =>
      Array.isArray(value) && value.every(item => typeof item === "string") ? value : undefined,
    );
  }

  /** Reads a member that may be missing or null. */
  optional<T>(name: string, read: (name: string) => T): T | undefined {
    return (ownValue(this.#object, name) ?? null) === null ? undefined : read.call(this, name);
  }

  #read<T>(name: string, expected: string, accept: (value: Json | undefined) => T | undefined): T {
    const value = ownValue(this.#object, name);
    const accepted = accept(value);
    if (accepted === undefined) throw mismatch(this.#place + name, expected, value);
    return accepted;
  }
}

function mismatch(place: string, expected: string, value: Json | undefined): MemberError {
  return new MemberError(`${place} must be ${expected}, not ${typeName(value)}`);
}

function typeName(value: Json | undefined): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** How untrusted JSON was read; each repair made is named, so that a caller can decide how far to trust it. */
export type JsonRead =
  | { readonly ok: true; readonly value: Json; readonly repairs: readonly JsonRepair[] }
  | { readonly ok: false; readonly problem: "empty" | "too-deep" | "too-many" | "malformed" };

export type JsonRepair = "bom" | "trailing-comma" | "trailing-text" | "proto-key-dropped";

export interface JsonReadOptions {
  /** accept an object or array with trailing commas or followed by other text */
  readonly recover: boolean;
  readonly maxDepth: number;
  /** how many values there may be in all. Any number when left out. */
  readonly maxValues?: number;
}

export const JSON_DEPTH_LIMIT = 200;
/** Of a whole payload. It is large so that nesting a tool's input deeper is no way past a guard. */
export const PAYLOAD_DEPTH_LIMIT = 2_000;
/** Of a whole payload. As many small values as its bytes could hold would fill the memory of an engine. */
export const PAYLOAD_VALUE_LIMIT = 500_000;
/** Of a call that is judged, whose host waits. */
export const CALL_VALUE_LIMIT = 10_000;
const BOM = "\uFEFF";

/**
 * Reads JSON that may be hostile. The depth is bounded before any parser recurses; keys named `__proto__` are
 * removed at every level; for a repeated key the last value wins. The result never reveals payload text.
 */
export function readJson(
  text: string,
  options: JsonReadOptions = { recover: true, maxDepth: JSON_DEPTH_LIMIT },
): JsonRead {
  const repairs: JsonRepair[] = [];
  let body = text;
  if (body.startsWith(BOM)) {
    body = body.slice(1);
    repairs.push("bom");
  }
  body = body.trim();
  if (body === "") return { ok: false, problem: "empty" };
  const excess = findExcess(body, options);
  if (excess !== undefined) return { ok: false, problem: excess };

  let value = parse(body);
  if (value === undefined && options.recover) {
    const cleaned = recoverFirstValue(body, repairs);
    if (cleaned !== undefined) value = parse(cleaned);
  }
  if (value === undefined) return { ok: false, problem: "malformed" };
  if (mayHoldProtoKey(body) && dropProtoKeys(value)) repairs.push("proto-key-dropped");
  return { ok: true, value, repairs };
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    // Not the text is at fault: the memory is used up.
    throw error;
  }
}

/** Calls `visit` for every character outside strings; returning true stops the walk. */
function walkStructure(text: string, visit: (character: string, index: number) => boolean): void {
  for (let index = 0; index < text.length; index++) {
    const character = text[index] as string;
    if (visit(character, index)) return;
    if (character === '"') index = endOfString(text, index + 1);
  }
}

const BACKSLASH = 0x5c;

/**
 * Where the string that begins here ends, or the quote within it that is one too many. Most of a large payload is one
 * string, which is not walked through.
 */
function endOfString(text: string, from: number, quotes = { left: Number.POSITIVE_INFINITY }): number {
  for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = end;
    while (escapes > from && text.charCodeAt(escapes - 1) === BACKSLASH) escapes--;
    if ((end - escapes) % 2 === 0 || --quotes.left < 0) return end;
  }
  return text.length;
}

/** Quotes within texts, of which each is a step, for each value that there may be. */
const QUOTES_PER_VALUE = 10;

/** The limit that it goes beyond. Values are counted at most: one within another may count twice. */
function findExcess(
  text: string,
  { maxDepth, maxValues = Number.POSITIVE_INFINITY }: JsonReadOptions,
): "too-deep" | "too-many" | undefined {
  let depth = 0;
  let values = 1;
  const quotes = { left: maxValues * QUOTES_PER_VALUE };
  // A search is quick in every engine, where a step for each character is not.
  const marks = /[{}[\],"]/g;
  for (let found = marks.exec(text); found !== null; found = marks.exec(text)) {
    const [character] = found;
    if (character === '"') {
      marks.lastIndex = endOfString(text, marks.lastIndex, quotes) + 1;
      if (quotes.left < 0) return "too-many";
      continue;
    }
    if (character === "}" || character === "]") depth--;
    else values++;
    if ((character === "{" || character === "[") && ++depth > maxDepth) return "too-deep";
    if (values > maxValues) return "too-many";
  }
  return undefined;
}

/** The first complete object or array of the text without its trailing commas; undefined when it never closes. */
function recoverFirstValue(text: string, repairs: JsonRepair[]): string | undefined {
  if (text[0] !== "{" && text[0] !== "[") return undefined;
  let depth = 0;
  let end = -1;
  let comma = -1;
  const pieces: string[] = [];
  let copied = 0;
  walkStructure(text, (character, index) => {
    if (character === "{" || character === "[") depth++;
    if (character === "}" || character === "]") {
      depth--;
      if (comma >= 0) {
        pieces.push(text.slice(copied, comma));
        copied = comma + 1;
      }
      if (depth === 0) {
        end = index + 1;
        return true;
      }
    }
    if (character === ",") comma = index;
    else if (!isBlank(character)) comma = -1;
    return false;
  });
  if (end < 0) return undefined;
  if (pieces.length > 0) repairs.push("trailing-comma");
  if (end < text.length) repairs.push("trailing-text");
  pieces.push(text.slice(copied, end));
  return pieces.join("");
}

function isBlank(character: string): boolean {
  return character === " " || character === "\n" || character === "\r" || character === "\t";
}

function mayHoldProtoKey(text: string): boolean {
  return text.includes("__proto__") || (text.includes("\\u005") && /\\u005f/i.test(text));
}

function dropProtoKeys(value: Json): boolean {
  if (typeof value !== "object" || value === null) return false;
  let isDropped = false;
  if (!Array.isArray(value) && Object.hasOwn(value, "__proto__")) {
    Reflect.deleteProperty(value, "__proto__");
    isDropped = true;
  }
  for (const member of Object.values(value) as Json[]) isDropped = dropProtoKeys(member) || isDropped;
  return isDropped;
}
