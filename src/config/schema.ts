import { isJsonObject, type Json, type JsonObject, ownValue } from "../protocol/index.ts";
import { nearest } from "../text/index.ts";

/** A description of configuration as data: validation, the JSON Schema file and the types all come from it. */
export type Schema = { readonly note?: string } & (
  | { readonly kind: "string"; readonly oneOf?: readonly string[]; readonly pattern?: string }
  | { readonly kind: "boolean" }
  | { readonly kind: "integer" | "number"; readonly min: number; readonly max: number }
  | {
      readonly kind: "list";
      readonly of: Schema;
      readonly atLeast?: number;
      /** without one of its entries the list says something else, so all of them count or none */
      readonly isWhole?: true;
    }
  | {
      readonly kind: "record";
      readonly fields: { readonly [name: string]: Schema };
      readonly required?: readonly string[];
    }
  | {
      readonly kind: "map";
      readonly of: Schema;
      readonly keys?: string;
      /** keys that others are likely to be meant for */
      readonly names?: readonly string[];
    }
);

type Fields<F, R> = {
  readonly [K in keyof F as K extends R ? K : never]: InferConfig<F[K]>;
} & { readonly [K in keyof F as K extends R ? never : K]?: InferConfig<F[K]> };

/** The values a schema accepts. */
export type InferConfig<S> = S extends { kind: "string"; oneOf: readonly (infer T)[] }
  ? T
  : S extends { kind: "string" }
    ? string
    : S extends { kind: "boolean" }
      ? boolean
      : S extends { kind: "integer" | "number" }
        ? number
        : S extends { kind: "list"; of: infer T }
          ? readonly InferConfig<T>[]
          : S extends { kind: "map"; of: infer T }
            ? { readonly [key: string]: InferConfig<T> }
            : S extends { kind: "record"; fields: infer F; required: readonly (infer R)[] }
              ? Fields<F, R>
              : S extends { kind: "record"; fields: infer F }
                ? Fields<F, never>
                : never;

export interface SchemaProblem {
  /** a misspelt key is one that is nearly a known one: what it was to set is not set */
  readonly code: "unknown-key" | "misspelt-key" | "wrong-type" | "bad-value" | "missing-key";
  /** dotted path of the member, for instance `guard.rules.git.push` */
  readonly member: string;
  readonly expected: string;
  /** what a misspelt key was to set, where nothing else sets it */
  readonly meant?: string;
}

/**
 * Keeps what fits and names what does not: an unknown key, a member of a wrong type or an entry without a
 * required key is left out, the rest stands. Undefined when the value as a whole does not fit.
 */
export function accept(
  schema: Schema,
  value: Json,
  member: string,
  problems: SchemaProblem[],
): Json | undefined {
  switch (schema.kind) {
    case "string":
      return acceptString(schema, value, member, problems);
    case "boolean":
      return typeof value === "boolean" ? value : reject(problems, "wrong-type", member, "true or false");
    case "integer":
    case "number": {
      const isNumber = typeof value === "number" && (schema.kind === "number" || Number.isInteger(value));
      if (isNumber && value >= schema.min && value <= schema.max) return value;
      const expected = `a ${schema.kind === "integer" ? "whole " : ""}number from ${schema.min} to ${schema.max}`;
      return reject(problems, isNumber ? "bad-value" : "wrong-type", member, expected);
    }
    case "list":
      return acceptList(schema, value, member, problems);
    case "map":
    case "record":
      if (!isJsonObject(value)) return reject(problems, "wrong-type", member, "an object");
      return schema.kind === "map"
        ? acceptMap(schema, value, member, problems)
        : acceptRecord(schema, value, member, problems);
  }
}

type Of<K extends Schema["kind"]> = Extract<Schema, { readonly kind: K }>;

function acceptString(
  schema: Of<"string">,
  value: Json,
  member: string,
  problems: SchemaProblem[],
): Json | undefined {
  if (typeof value !== "string") return reject(problems, "wrong-type", member, "a text");
  if (schema.oneOf !== undefined && !schema.oneOf.includes(value)) {
    return reject(problems, "bad-value", member, `one of ${schema.oneOf.join(", ")}`);
  }
  if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value)) {
    return reject(problems, "bad-value", member, schema.note ?? `text that matches ${schema.pattern}`);
  }
  return value;
}

function acceptList(
  schema: Of<"list">,
  value: Json,
  member: string,
  problems: SchemaProblem[],
): Json | undefined {
  if (!Array.isArray(value)) return reject(problems, "wrong-type", member, "a list");
  const wrong: SchemaProblem[] = [];
  const items = value.flatMap((item: Json, index) => {
    const kept = accept(schema.of, item, `${member}[${index}]`, wrong);
    return kept === undefined ? [] : [kept];
  });
  const [first] = wrong;
  if (schema.isWhole === true && first !== undefined) {
    return reject(problems, first.code, member, `a list, each ${first.expected}`);
  }
  problems.push(...wrong);
  if (items.length < (schema.atLeast ?? 0)) {
    return reject(problems, "bad-value", member, `at least ${schema.atLeast} entry`);
  }
  return items;
}

function acceptMap(schema: Of<"map">, value: JsonObject, member: string, problems: SchemaProblem[]): Json {
  const keys = schema.keys === undefined ? undefined : new RegExp(schema.keys);
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      const path = join(member, key);
      const isMisspelt = schema.names?.includes(key) === false && nearest(key, schema.names) !== undefined;
      if (isMisspelt || keys?.test(key) === false) {
        const meant = nearest(key.toLowerCase().replaceAll("_", "-"), schema.names ?? []);
        const expected = meant ?? `a key that matches ${schema.keys}`;
        const lost = meant === undefined || Object.hasOwn(value, meant) ? {} : { meant: join(member, meant) };
        problems.push({ code: "misspelt-key", member: path, expected, ...lost });
        return [];
      }
      const kept = accept(schema.of, item, path, problems);
      return kept === undefined ? [] : [[key, kept] as const];
    }),
  );
}

function acceptRecord(
  schema: Of<"record">,
  value: JsonObject,
  member: string,
  problems: SchemaProblem[],
): Json | undefined {
  const names = Object.keys(schema.fields);
  const kept = Object.entries(value).flatMap(([key, item]) => {
    const field = ownValue(schema.fields, key);
    if (field === undefined) {
      if (key === "$schema") return [];
      const meant = nearest(key, names);
      problems.push({
        code: meant === undefined ? "unknown-key" : "misspelt-key",
        member: join(member, key),
        expected: meant ?? `one of ${names.join(", ")}`,
        ...(meant === undefined || Object.hasOwn(value, meant) ? {} : { meant: join(member, meant) }),
      });
      return [];
    }
    const accepted = accept(field, item, join(member, key), problems);
    return accepted === undefined ? [] : [[key, accepted] as const];
  });
  const result = Object.fromEntries(kept);
  const missing = (schema.required ?? []).filter(name => !Object.hasOwn(result, name));
  if (missing.length === 0) return result;
  return reject(problems, "missing-key", member, `the key ${missing.join(", ")}`);
}

function reject(
  problems: SchemaProblem[],
  code: SchemaProblem["code"],
  member: string,
  expected: string,
): undefined {
  problems.push({ code, member, expected });
  return undefined;
}

function join(member: string, key: string): string {
  return member === "" ? key : `${member}.${key}`;
}

export type LayerScope = "system" | "user" | "project" | "environment";

/** Something in the configuration that does not count, and why. Never fatal; `doctor` fails on `broken`. */
export interface ConfigNotice {
  readonly code: "broken" | "untrusted-file" | "loosening" | "too-many" | "misplaced" | SchemaProblem["code"];
  readonly scope: LayerScope;
  /** the file, or the variable */
  readonly source: string;
  readonly message: string;
}
