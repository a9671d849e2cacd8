export { renderConfigSchema, toJsonSchema } from "./json-schema.ts";
export { readJsonc } from "./jsonc.ts";
export * from "./levels.ts";
export * from "./load.ts";
export * from "./sections.ts";
export * from "./settings.ts";
