import {
  errorText,
  isJsonObject,
  type Json,
  type JsonObject,
  PAYLOAD_DEPTH_LIMIT,
} from "../../protocol/index.ts";

const MAX_DEPTH = PAYLOAD_DEPTH_LIMIT;
const MAX_COPIED = 10_000_000;

/** Whether a value survives JSON as it is. */
export function isJson(value: unknown, depth = 0): value is Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.every(item => isJson(item, depth + 1));
  if (!isPlain(value)) return false;
  return Object.values(value).every(member => member === undefined || isJson(member, depth + 1));
}

/** A value as hooks see it: JSON as it is, everything else described. Never throws. */
export function describeValue(value: unknown): Json {
  try {
    return describe(value, [], 0);
  } catch (error) {
    return `(a value that cannot be read: ${errorText(error)})`;
  }
}

/** Arguments as hooks see them and as the tool gets them. */
interface DescribedArguments {
  readonly input: JsonObject;
  /** a copy of the same for the tool; what is more than JSON in it is what was given */
  readonly runs: unknown;
}

/** The same for arguments, which hooks must see whole: throws when they cannot. */
export function describeArguments(value: unknown): DescribedArguments {
  checkMembers(value);
  // Read once: what a second look would find is nobody's business.
  const copy = copyValue(value, new Map());
  return { input: asArguments(describe(copy, [], 0)), runs: isJson(copy) ? describe(copy, [], 0) : copy };
}

/** Objects and lists anew, everything else as it is. */
function copyValue(value: unknown, copied: Map<object, unknown>): unknown {
  if (typeof value !== "object" || value === null) return value;
  const isList = Array.isArray(value);
  if (!isList && !isPlain(value)) return value;
  const known = copied.get(value);
  if (known !== undefined) return known;
  if (copied.size > MAX_COPIED) throw new RangeError("it has too many members");
  const copy: Record<string, unknown> | unknown[] = isList ? [] : {};
  copied.set(value, copy);
  if (Array.isArray(copy)) for (const item of value as readonly unknown[]) copy.push(copyValue(item, copied));
  else for (const [name, member] of Object.entries(value)) copy[name] = copyValue(member, copied);
  return copy;
}

/**
 * Throws for what one reader of a value sees and another does not: `__proto__`, getters, members that are not listed or
 * stand on a list, `toJSON`, and names that differ in case alone. A tool would run what no hook was shown.
 */
export function checkMembers(value: unknown, checked: Set<object> = new Set(), depth = 0): void {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH || checked.has(value)) return;
  checked.add(value);
  const isList = Array.isArray(value);
  checkInherited(value);
  if (!isList && !isPlain(value)) return;
  const names = new Set<string>();
  for (const key of Reflect.ownKeys(value)) {
    if (isList && key === "length") continue;
    if (typeof key !== "string") throw new TypeError("it has a member whose name is not text");
    const member = Object.getOwnPropertyDescriptor(value, key);
    if (key === "__proto__") throw new TypeError('it has a member named "__proto__"');
    if (member === undefined || member.get !== undefined || member.set !== undefined)
      throw new TypeError(`"${key}" is computed when it is read`);
    if (member.enumerable !== true) throw new TypeError(`"${key}" is hidden`);
    if (isList && !/^(0|[1-9]\d*)$/.test(key)) throw new TypeError(`a list has a member named "${key}"`);
    if (SPEAKERS.includes(key) && typeof member.value === "function")
      throw new TypeError("it says itself how it is written");
    if (!isList && names.size !== names.add(key.toLowerCase()).size - 1)
      throw new TypeError(`"${key}" differs in case alone from another member`);
    checkMembers(member.value, checked, depth + 1);
  }
}

const SPEAKERS = ["toJSON", "toString", "valueOf"];

/**
 * Built-in values are described by what they are. Of others what they inherit is not shown, so there must be no values
 * in it, and nothing that says how they want to be seen.
 */
function checkInherited(value: object): void {
  if (value instanceof Date || ArrayBuffer.isView(value)) return;
  for (
    let from: object | null = value;
    from !== null && !isBuiltIn(from);
    from = Object.getPrototypeOf(from)
  ) {
    const isOwn = from === value;
    if (isOwn && (Array.isArray(value) || isPlain(value))) continue;
    for (const [key, { value: member, get }] of Object.entries(Object.getOwnPropertyDescriptors(from))) {
      if (SPEAKERS.includes(key) && typeof member === "function")
        throw new TypeError("it says itself how it is written");
      if (get !== undefined) throw new TypeError(`"${key}" is computed when it is read`);
      if (!isOwn && typeof member !== "function") throw new TypeError(`"${key}" is inherited`);
    }
  }
  if (typeof Reflect.get(value, "toJSON") === "function")
    throw new TypeError("it says itself how it is written");
}

/** The prototype of a class of the engine, of this realm or another. */
function isBuiltIn(prototype: object): boolean {
  const { constructor: made } = prototype;
  if (typeof made !== "function" || made.prototype !== prototype) return false;
  return Reflect.get(globalThis, made.name) === made || /\{\s*\[native code\]\s*\}$/.test(String(made));
}

/** Arguments are always an object; what is none is shown as the member `input` of one. */
export function asArguments(value: Json): JsonObject {
  return isJsonObject(value) ? value : { input: value };
}

function describe(value: unknown, above: readonly object[], depth: number): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value !== "object") return `(${typeof value}) ${String(value).slice(0, 100)}`;
  if (depth > MAX_DEPTH) throw new RangeError("it is nested too deeply");
  if (above.includes(value)) return "(refers to itself)";
  const inside = [...above, value];
  if (Array.isArray(value)) return value.map(item => describe(item, inside, depth + 1));
  if (!isPlain(value)) return describeInstance(value, inside, depth);
  return describeMembers(value, inside, depth);
}

function describeMembers(value: object, above: readonly object[], depth: number): JsonObject {
  const members: Record<string, Json> = {};
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined && name !== "__proto__") members[name] = describe(member, above, depth + 1);
  }
  return members;
}

function describeInstance(value: object, above: readonly object[], depth: number): Json {
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value))
    return { type: className(value), bytes: value.byteLength };
  if (value instanceof Map) return { type: "Map", entries: describe([...value], above, depth + 1) };
  if (value instanceof Set) return { type: "Set", values: describe([...value], above, depth + 1) };
  const toJson: unknown = Reflect.get(value, "toJSON");
  if (typeof toJson === "function") return describe(toJson.call(value), above, depth + 1);
  return { type: className(value), ...describeMembers(value, above, depth) };
}

function className(value: object): string {
  const name: unknown = value.constructor?.name;
  return typeof name === "string" && name !== "" ? name : "object";
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
