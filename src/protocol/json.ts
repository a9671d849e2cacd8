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
export function ownValue(object: JsonObject, key: string): Json | undefined {
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
