import type { SchemaProblem } from "./schema.ts";

export type LayerScope = "system" | "user" | "project" | "environment";

/** Something in the configuration that does not count, and why. Never fatal; `doctor` fails on `broken`. */
export interface ConfigNotice {
  readonly code: "broken" | "untrusted-file" | "loosening" | "too-many" | SchemaProblem["code"];
  readonly scope: LayerScope;
  /** the file, or the variable */
  readonly source: string;
  readonly message: string;
}
