export { renderConfigSchema, toJsonSchema } from "./json-schema.ts";
export * from "./load.ts";
export * from "./sections.ts";
export * from "./settings.ts";
