import type { Schema } from "./schema.ts";
import { CONFIG_SCHEMA } from "./sections.ts";

/** Every key that can be set; a map such as `guard.rules` is one. */
export function settingKeys(schema: Schema = CONFIG_SCHEMA, prefix = ""): readonly string[] {
  if (schema.kind !== "record") return [prefix];
  return Object.entries(schema.fields).flatMap(([name, field]) =>
    settingKeys(field, prefix === "" ? name : `${prefix}.${name}`),
  );
}
