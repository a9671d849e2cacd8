import { isJsonObject, type Json, type JsonObject, ownValue } from "./json.ts";

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

/**
 * Reads an object whose members must have the right type: every method throws an Error that names the member, what
 * was expected and what came. For the files that we write ourselves; payloads are read leniently with the functions above.
 */
export class StrictMembers {
  readonly #object: JsonObject;
  readonly #place: string;

  constructor(value: Json | undefined, place = "") {
    if (!isJsonObject(value))
      throw new Error(`${place === "" ? "it" : `"${place}"`} must be an object, not ${typeName(value)}`);
    this.#object = value;
    this.#place = place;
  }

  has(name: string): boolean {
    return (ownValue(this.#object, name) ?? null) !== null;
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
    return this.#read(name, "a list", value =>
      Array.isArray(value) ? (value as readonly Json[]) : undefined,
    );
  }

  strings(name: string): readonly string[] {
    return this.#read(name, "a list of strings", value =>
      Array.isArray(value) && value.every(item => typeof item === "string") ? value : undefined,
    );
  }

  object(name: string): StrictMembers {
    return new StrictMembers(ownValue(this.#object, name), this.#path(name));
  }

  /** Reads a member that may be missing or null. */
  optional<T>(name: string, read: (name: string) => T): T | undefined {
    return this.has(name) ? read.call(this, name) : undefined;
  }

  #read<T>(name: string, expected: string, accept: (value: Json | undefined) => T | undefined): T {
    const value = ownValue(this.#object, name);
    const accepted = accept(value);
    if (accepted === undefined)
      throw new Error(`"${this.#path(name)}" must be ${expected}, not ${typeName(value)}`);
    return accepted;
  }

  #path(name: string): string {
    return this.#place === "" ? name : `${this.#place}.${name}`;
  }
}

function typeName(value: Json | undefined): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
