import type { Json } from "../protocol/index.ts";
import { accept, type SchemaProblem } from "./schema.ts";
import { CONFIG_SCHEMA, type ConfigFile } from "./sections.ts";

/** What of a file can be used; every problem is told. */
export function acceptConfig(value: Json, problems: SchemaProblem[]): ConfigFile | undefined {
  return accept(CONFIG_SCHEMA, value, "", problems) as ConfigFile | undefined;
}
