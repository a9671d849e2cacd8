export * from "./compare.ts";
export * from "./exact-json.ts";
export * from "./golden.ts";
export * from "./json-equal.ts";
export { type Engine, type EngineRun, splitCommandLine as splitWords } from "./run-engine.ts";
