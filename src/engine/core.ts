/**
 * `amplihack/engine/core`: the engine for runtimes without Node's modules, such as workers at the edge: the protocol,
 * the fold, typed hooks and calls, and the guard with a system in memory.
 */

export type { GuardOptions } from "../guard/index.ts";
export * from "../protocol/index.ts";
export type { System } from "../system/index.ts";
export type { SeedEntry } from "../system/memory.ts";
export {
  type AgentEngine,
  type CoreEngine,
  createAgentEngine,
  createHookEngine,
} from "./create-core.ts";
export { createEdgeSystem, type EdgeSystemOptions, guard, withSystem } from "./edge-system.ts";
export type {
  AgentOptions,
  ApprovalOptions,
  Attribute,
  CoreOptions,
  DispatchOptions,
  Listing,
  Span,
  Telemetry,
} from "./options.ts";
export type { SystemHook } from "./parts.ts";
export * from "./public-types.ts";
