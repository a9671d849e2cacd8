import { isJsonObject, type Json, type JsonObject, ownValue } from "./json.ts";
import { readJson } from "./read-json.ts";

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
