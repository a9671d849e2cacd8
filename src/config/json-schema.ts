import { type Json, type JsonObject, objectAt } from "../protocol/index.ts";
import type { Schema } from "./schema.ts";
import { CONFIG_SCHEMA } from "./sections.ts";

/** The same description as a JSON Schema (draft 2020-12), for editors. */
export function toJsonSchema(schema: Schema, title: string): JsonObject {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title,
    ...(describe(schema) as JsonObject),
  };
}

function describe(schema: Schema): Json {
  const note = schema.note === undefined ? {} : { description: schema.note };
  switch (schema.kind) {
    case "string":
      return {
        type: "string",
        ...note,
        ...(schema.oneOf === undefined ? {} : { enum: schema.oneOf }),
        ...(schema.pattern === undefined ? {} : { pattern: schema.pattern }),
      };
    case "boolean":
      return { type: "boolean", ...note };
    case "integer":
    case "number":
      return { type: schema.kind, ...note, minimum: schema.min, maximum: schema.max };
    case "list":
      return {
        type: "array",
        ...note,
        items: describe(schema.of),
        ...(schema.atLeast === undefined ? {} : { minItems: schema.atLeast }),
      };
    case "map":
      return {
        type: "object",
        ...note,
        additionalProperties: describe(schema.of),
        ...(schema.keys === undefined ? {} : { propertyNames: { pattern: schema.keys } }),
      };
    case "record":
      return {
        type: "object",
        ...note,
        properties: Object.fromEntries(
          Object.entries(schema.fields).map(([name, field]) => [name, describe(field)]),
        ),
        ...(schema.required === undefined ? {} : { required: schema.required }),
        additionalProperties: false,
      };
  }
}

/**
 * The text of `schemas/config.schema.json`. `rules` holds what each rule may be set to; the guard, which knows them,
 * is a layer below.
 */
export function renderConfigSchema(rules: JsonObject = {}): string {
  const { properties, ...rest } = toJsonSchema(CONFIG_SCHEMA, "Configuration of amplihack");
  const named = withRules(properties as JsonObject, rules);
  const reference = { $schema: { type: "string" } };
  return `${JSON.stringify({ ...rest, properties: { ...reference, ...named } }, undefined, 2)}\n`;
}

/** Editors offer the ids of the rules; patterns and rules of the user's own stay possible. */
function withRules(properties: JsonObject, rules: JsonObject): JsonObject {
  const guard = objectAt(properties, "guard") ?? {};
  const members = objectAt(guard, "properties") ?? {};
  const described = { ...objectAt(members, "rules"), properties: rules };
  return { ...properties, guard: { ...guard, properties: { ...members, rules: described } } };
}

/** Every key that can be set; a map such as `guard.rules` is one. */
export function settingKeys(schema: Schema = CONFIG_SCHEMA, prefix = ""): readonly string[] {
  if (schema.kind !== "record") return [prefix];
  return Object.entries(schema.fields).flatMap(([name, field]) =>
    settingKeys(field, prefix === "" ? name : `${prefix}.${name}`),
  );
}
