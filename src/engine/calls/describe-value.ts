import {
  defined,
  errorText,
  isJsonObject,
  isSameJson,
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
    return describe(value, [], false);
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
  return {
    input: asArguments(describe(copy, [], true)),
    runs: isJson(copy) ? describe(copy, [], true) : copy,
  };
}

/** Whether arguments still say what hooks were shown: who made them may write to what is more than JSON in them. */
export function isAsShown(runs: unknown, input: JsonObject): boolean {
  try {
    return isJson(runs) || isSameJson(describeArguments(runs).input, input);
  } catch {
    return false;
  }
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
 * stand on a list, a function or a built-in value, whatever says how a value wants to be seen, what is inherited from
 * anything but a built-in class, names that differ in case alone, and built-in values that hold more than they show. A tool would run what no hook was shown.
 */
export function checkMembers(value: unknown, checked: Set<object> = new Set(), depth = 0): void {
  const isFunction = typeof value === "function";
  if ((typeof value !== "object" && !isFunction) || value === null || depth > MAX_DEPTH || checked.has(value))
    return;
  checked.add(value);
  const isList = Array.isArray(value);
  const { kinds, written } = findClasses(value);
  // Plain objects, errors, and instances of a class that somebody wrote: their members are all that is shown of them.
  const isObject = !isFunction && !isList;
  const isMade = isObject && (isOfObject(kinds) || kinds.includes("Error"));
  if (isObject && !isA(kinds, SHOWN)) {
    const reader = READERS.find(name => isReader(Reflect.get(value, name), isMade));
    if (reader !== undefined) throw notShown(reader);
  }
  for (const from of written)
    for (const key of Reflect.ownKeys(from)) {
      const isMethod = typeof checkMember(from, key) === "function";
      const isKnown = key === "constructor" || (isMade && (isMethod || key === Symbol.toStringTag));
      if (!isKnown) throw notShown(key);
    }
  if (!isA(kinds, TOLD_WHOLE) && typeof Reflect.get(value, "toJSON") === "function") throw notShown("toJSON");
  const names = new Set<string>();
  for (const key of Reflect.ownKeys(value)) {
    if (isOfItsKind(value, kinds, key)) continue;
    const isText = typeof key === "string";
    // Handles of the engine, such as signals, keep their own things by symbols; those of the language change what it is.
    if (!isText && isObject && !isMade && !String(key).startsWith("Symbol(Symbol.")) continue;
    const member = checkMember(value, key);
    const isListed =
      Object.prototype.propertyIsEnumerable.call(value, key) ||
      (key === "message" && kinds.includes("Error"));
    const isShown = isText && isListed && (isMade ? key !== "__proto__" : isList && isIndex(key));
    if (!isShown) throw notShown(key);
    if (names.size !== names.add(key.toLowerCase()).size - 1)
      throw new TypeError(`"${key}" differs only in case from another member`);
    checkMembers(member, checked, depth + 1);
  }
  for (const item of readEntries(value, kinds)) checkMembers(item, checked, depth + 1);
}

function notShown(key: string | symbol): TypeError {
  return new TypeError(`hooks cannot be shown "${String(key)}": it must be plain data`);
}

/** The value of a member, unless it is computed, or says itself how what it belongs to is written. */
function checkMember(owner: object, key: string | symbol): unknown {
  const member = Object.getOwnPropertyDescriptor(owner, key);
  const isValue = member !== undefined && "value" in member;
  if (!isValue || (SPEAKERS.includes(key) && typeof member.value === "function")) throw notShown(key);
  return member.value;
}

const SPEAKERS: readonly (string | symbol)[] = [
  "toJSON",
  "toString",
  "toLocaleString",
  "valueOf",
  Symbol.toPrimitive,
];

const BOXES = ["String", "Number", "Boolean", "BigInt", "Symbol"];

/** What a text says all of. */
const WRITTEN = ["RegExp", "URL", "URLSearchParams"];

const FORMS = ["FormData", "Headers"];

/** Built-in classes of which `describe` shows all there is, whatever else they say. */
const TOLD_WHOLE = ["Date", "TypedArray", ...WRITTEN, ...FORMS];

/** Built-in classes of which everything that they hold is shown, here or as members. */
const SHOWN = [
  ...TOLD_WHOLE,
  ...BOXES,
  "Map",
  "Set",
  "ArrayBuffer",
  "SharedArrayBuffer",
  "DataView",
  "Error",
];

/** What brings out of a built-in value what hooks are not shown: of promises, iterators, streams, blobs, references. */
const READERS: readonly (string | symbol)[] = [
  "then",
  "next",
  "deref",
  "text",
  "arrayBuffer",
  "getReader",
  Symbol.iterator,
  Symbol.asyncIterator,
];

/** Of an object that somebody made only what the engine gave it: iterators have no class of their own. */
function isReader(method: unknown, isMade: boolean): boolean {
  return typeof method === "function" && (!isMade || NATIVE.test(Function.prototype.toString.call(method)));
}

/** What every list, function, text, error or row of bytes has. */
function isOfItsKind(value: object, kinds: readonly string[], key: string | symbol): boolean {
  if (typeof value === "function") return OF_FUNCTIONS.includes(key);
  if (kinds.includes("RegExp")) return key === "lastIndex" && typeof (value as RegExp).lastIndex === "number";
  if (kinds.includes("Error")) return key === "stack";
  if (Array.isArray(value)) return key === "length";
  return (kinds.includes("String") || ArrayBuffer.isView(value)) && (key === "length" || isIndex(key));
}

const OF_FUNCTIONS: readonly (string | symbol)[] = ["length", "name", "prototype", "arguments", "caller"];

function isIndex(key: string | symbol): boolean {
  return typeof key === "string" && /^(0|[1-9]\d*)$/.test(key);
}

/** What stands in a map, a form or a set, which are no members of it. */
function readEntries(value: object, kinds: readonly string[]): readonly unknown[] {
  if (kinds.includes("Map")) return [...Map.prototype.entries.call(value)];
  if (isA(kinds, FORMS)) return [...(value as Iterable<unknown>)];
  return kinds.includes("Set") ? [...Set.prototype.values.call(value)] : [];
}

interface Classes {
  /** the names of the engine's classes among them, nearest first */
  readonly kinds: readonly string[];
  /** the prototypes of all others */
  readonly written: readonly object[];
}

/** The classes that a value is an instance of. */
function findClasses(value: object): Classes {
  const kinds: string[] = [];
  const written: object[] = [];
  for (
    let from: object | null = Object.getPrototypeOf(value);
    from !== null;
    from = Object.getPrototypeOf(from)
  ) {
    const kind = nameBuiltIn(from);
    if (kind === undefined) written.push(from);
    else kinds.push(kind);
  }
  return { kinds, written };
}

/**
 * The name of the engine's class that has this prototype. Every realm has classes of its own, so they are known by what
 * is hard to write: a constructor in native code with a name, and a prototype that hands down no values but those that
 * the class of this realm does. Bound functions and proxies have no name in their text, except in Bun.
 */
function nameBuiltIn(prototype: object): string | undefined {
  const { constructor: made } = prototype;
  if (typeof made !== "function" || made.prototype !== prototype) return undefined;
  const { name } = made;
  const ours = Reflect.get(globalThis, name);
  if (ours === made) return name;
  const isValue = (key: string | symbol) =>
    !/^(function|undefined)$/.test(typeof Object.getOwnPropertyDescriptor(prototype, key)?.value) &&
    key !== Symbol.toStringTag &&
    !(key in Object(ours?.prototype));
  const isNative = NATIVE.test(Function.prototype.toString.call(made));
  return isNative && !Reflect.ownKeys(prototype).some(isValue) ? name : undefined;
}

const NATIVE = /^function \w+\(\) \{\s*\[native code\]\s*\}$/;

function isA(kinds: readonly string[], names: readonly string[]): boolean {
  return names.some(name => kinds.includes(name));
}

function isOfObject([kind = "Object"]: readonly string[]): boolean {
  return kind === "Object";
}

/** Arguments are always an object; what is none is shown as the member `input` of one. */
export function asArguments(value: Json): JsonObject {
  return isJsonObject(value) ? value : { input: value };
}

/** `isWhole`: with the text of bytes that are not only text. */
function describe(value: unknown, above: readonly object[], isWhole: boolean): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "function") return `(function) ${String(value).slice(0, 100)}`;
  if (typeof value !== "object") return `(${typeof value}) ${String(value)}`;
  if (above.length > MAX_DEPTH) throw new RangeError("it is nested too deeply");
  if (above.includes(value)) return "(refers to itself)";
  const inside = [...above, value];
  if (Array.isArray(value)) return value.map(item => describe(item, inside, isWhole));
  if (!isPlain(value)) return describeInstance(value, inside, isWhole);
  return describeMembers(value, inside, isWhole);
}

function describeMembers(value: object, above: readonly object[], isWhole: boolean): JsonObject {
  const members: Record<string, Json> = {};
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined && name !== "__proto__") members[name] = describe(member, above, isWhole);
  }
  return members;
}

function describeInstance(value: object, above: readonly object[], isWhole: boolean): Json {
  const { kinds } = findClasses(value);
  const members = () => describeMembers(value, above, isWhole);
  if (isA(kinds, ["Error"])) {
    const { name, message } = value as Error;
    return { ...members(), name, message };
  }
  if (isA(kinds, BOXES)) return describe(value.valueOf(), above, isWhole);
  if (isA(kinds, WRITTEN)) return String(value);
  if (isA(kinds, ["ArrayBuffer", "SharedArrayBuffer"]) || ArrayBuffer.isView(value)) {
    const bytes = value as ArrayBuffer | ArrayBufferView;
    return {
      type: className(value),
      bytes: bytes.byteLength,
      ...defined({ text: decodeBytes(bytes, isWhole) }),
    };
  }
  const entries = () => describe(readEntries(value, kinds), above, isWhole);
  if (isA(kinds, ["Map", ...FORMS])) return { type: className(value), entries: entries() };
  if (isA(kinds, ["Set"])) return { type: "Set", values: entries() };
  const toJson: unknown = Reflect.get(value, "toJSON");
  if (typeof toJson === "function") return describe(toJson.call(value), above, isWhole);
  return { type: className(value), ...members() };
}

/** Bytes that are text are shown: a tool may take them for it. */
function decodeBytes(value: ArrayBuffer | ArrayBufferView, isWhole: boolean): string | undefined {
  const bytes = ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value);
  if (bytes.includes(0) && !isWhole) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: !isWhole }).decode(bytes);
  } catch {
    return undefined;
  }
}

function className(value: object): string {
  const name: unknown = value.constructor?.name;
  return typeof name === "string" && name !== "" ? name : "object";
}

/** Whether an object has nothing but members, in this realm or another. */
export function isPlain(value: object): boolean {
  const prototype: object | null = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return true;
  return Object.getPrototypeOf(prototype) === null && nameBuiltIn(prototype) === "Object";
}
