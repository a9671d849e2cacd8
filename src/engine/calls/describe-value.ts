import {
  defined,
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
 * Throws for what one reader of a value sees and another does not: `__proto__`, getters, members that are not listed,
 * stand on a list, a function or a built-in value, whatever says how a value wants to be seen, and names that differ in
 * case alone. A tool would run what no hook was shown.
 */
export function checkMembers(value: unknown, checked: Set<object> = new Set(), depth = 0): void {
  const isFunction = typeof value === "function";
  if ((typeof value !== "object" && !isFunction) || value === null || depth > MAX_DEPTH || checked.has(value))
    return;
  checked.add(value);
  checkInherited(value);
  const isMade = isMadeOfMembers(value);
  const isHandle = !isMade && !isFunction && !Array.isArray(value);
  const names = new Set<string>();
  for (const key of Reflect.ownKeys(value)) {
    if (isOfItsKind(value, key)) continue;
    // Handles of the engine, such as signals, keep their own things by symbols.
    if (typeof key !== "string" && isHandle && !SPEAKERS.has(key)) continue;
    if (typeof key !== "string") throw new TypeError("it has a member whose name is not text");
    const member = Object.getOwnPropertyDescriptor(value, key);
    if (key === "__proto__") throw new TypeError('it has a member named "__proto__"');
    if (member === undefined || member.get !== undefined || member.set !== undefined)
      throw new TypeError(`"${key}" is computed when it is read`);
    if (member.enumerable !== true) throw new TypeError(`"${key}" is hidden`);
    if (!isMade) throw new TypeError(`${nameOfKind(value)} has a member named "${key}"`);
    if (SPEAKERS.has(key) && typeof member.value === "function")
      throw new TypeError("it says itself how it is written");
    if (names.size !== names.add(key.toLowerCase()).size - 1)
      throw new TypeError(`"${key}" differs in case alone from another member`);
    checkMembers(member.value, checked, depth + 1);
  }
  for (const item of itemsOf(value)) checkMembers(item, checked, depth + 1);
}

const SPEAKERS: ReadonlySet<string | symbol> = new Set([
  "toJSON",
  "toString",
  "toLocaleString",
  "valueOf",
  Symbol.toPrimitive,
]);

/** Plain objects, errors, and instances of a class that somebody wrote: their members are all that is shown of them. */
function isMadeOfMembers(value: object): boolean {
  if (typeof value === "function" || Array.isArray(value)) return false;
  let from: object | null = Object.getPrototypeOf(value);
  while (from !== null && !isBuiltIn(from)) from = Object.getPrototypeOf(from);
  return (
    from === null || from === Object.prototype || from.constructor.name === "Object" || value instanceof Error
  );
}

/** What every list, function, text, error or row of bytes has. */
function isOfItsKind(value: object, key: string | symbol): boolean {
  if (Array.isArray(value)) return key === "length" || isIndex(key);
  if (typeof value === "function") return OF_FUNCTIONS.has(key);
  if (value instanceof RegExp) return key === "lastIndex";
  if (value instanceof Error) return key === "stack" || key === "message";
  return (value instanceof String || ArrayBuffer.isView(value)) && (key === "length" || isIndex(key));
}

const OF_FUNCTIONS: ReadonlySet<string | symbol> = new Set([
  "length",
  "name",
  "prototype",
  "arguments",
  "caller",
]);

function isIndex(key: string | symbol): boolean {
  return typeof key === "string" && /^(0|[1-9]\d*)$/.test(key);
}

function nameOfKind(value: object): string {
  if (typeof value === "function") return "a function";
  return Array.isArray(value) ? "a list" : `a value of ${className(value)}`;
}

/** What stands in a list, a map, a set or an error, which are no members of it. */
function itemsOf(value: object): readonly unknown[] {
  if (Array.isArray(value)) return Array.from({ length: value.length }, (_, index) => readItem(value, index));
  if (value instanceof Map) return [...Map.prototype.entries.call(value)].flat();
  if (value instanceof Set) return [...Set.prototype.values.call(value)];
  return value instanceof Error ? [value.message] : [];
}

function readItem(list: readonly unknown[], index: number): unknown {
  const item = Object.getOwnPropertyDescriptor(list, index);
  if (item?.get !== undefined || item?.set !== undefined)
    throw new TypeError(`"${index}" is computed when it is read`);
  return item?.value;
}

/**
 * Built-in values are described by what they are. Of others what they inherit is not shown, so there must be no values
 * in it, and nothing that says how they want to be seen, or what stands in them.
 */
function checkInherited(value: object): void {
  const isMade = isMadeOfMembers(value);
  for (
    let from: object | null = Object.getPrototypeOf(value);
    from !== null && !isBuiltIn(from);
    from = Object.getPrototypeOf(from)
  ) {
    for (const key of Reflect.ownKeys(from)) {
      const { value: member, get } = Object.getOwnPropertyDescriptor(from, key) ?? {};
      if (SPEAKERS.has(key) && typeof member === "function")
        throw new TypeError("it says itself how it is written");
      if (get !== undefined) throw new TypeError(`"${String(key)}" is computed when it is read`);
      if (typeof member !== "function" && key !== Symbol.toStringTag)
        throw new TypeError(`"${String(key)}" is inherited`);
      if (!isMade && key !== "constructor")
        throw new TypeError(`"${String(key)}" is not what it is elsewhere`);
    }
  }
  const isKnown = value instanceof Date || ArrayBuffer.isView(value) || isWritten(value);
  if (!isKnown && typeof Reflect.get(value, "toJSON") === "function")
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
  if (value instanceof Error)
    return { ...describeMembers(value, above, depth), name: value.name, message: value.message };
  if (value instanceof String || value instanceof Number || value instanceof Boolean)
    return describe(value.valueOf(), above, depth);
  if (isWritten(value)) return String(value);
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value))
    return { type: className(value), bytes: value.byteLength, ...defined({ text: textOf(value) }) };
  if (value instanceof Map) return { type: "Map", entries: describe([...value], above, depth + 1) };
  if (value instanceof Set) return { type: "Set", values: describe([...value], above, depth + 1) };
  const toJson: unknown = Reflect.get(value, "toJSON");
  if (typeof toJson === "function") return describe(toJson.call(value), above, depth + 1);
  return { type: className(value), ...describeMembers(value, above, depth) };
}

/** What a text says all of. */
function isWritten(value: object): boolean {
  return value instanceof RegExp || value instanceof URL || value instanceof URLSearchParams;
}

/** Bytes that are text are shown: a tool may take them for it. */
function textOf(value: ArrayBuffer | ArrayBufferView): string | undefined {
  const bytes = ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value);
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function className(value: object): string {
  const name: unknown = value.constructor?.name;
  return typeof name === "string" && name !== "" ? name : "object";
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
