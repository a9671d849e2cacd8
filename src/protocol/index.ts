export * from "./effect.ts";
export * from "./events.ts";
export * from "./fold.ts";
export * from "./hook.ts";
export * from "./input.ts";
export * from "./json.ts";
export * from "./read-json.ts";
