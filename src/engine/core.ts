/**
 * `amplihack/engine/core`: the engine for runtimes without Node's modules, such as workers at the edge: the protocol,
 * the fold, typed hooks and calls, and the guard with a system in memory.
 */

export type { GuardOptions } from "../guard/options.ts";
export * from "../protocol/index.ts";
export type { SeedEntry } from "../system/memory.ts";
export type { System } from "../system/system.ts";
export type {
  Answer,
  CallDecision,
  CallOptions,
  CallResult,
  DeniedResult,
  DoneResult,
  FailedResult,
  PendingCall,
  PendingResult,
  ResumeOptions,
  RunScope,
  RunTool,
} from "./calls/types.ts";
export { guard, withSystem } from "./core-hooks.ts";
export {
  type AgentEngine,
  type CoreEngine,
  createAgentEngine,
  createHookEngine,
} from "./create-core.ts";
export { createEdgeSystem, type EdgeSystemOptions } from "./edge-system.ts";
export { type EngineEventName, type EventPayload, MODEL_EVENTS } from "./events.ts";
export type { MaybePromise } from "./maybe.ts";
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
export type {
  AnySchema,
  ArgsOf,
  DeepReadonly,
  Guard,
  Infer,
  ResultOf,
  StandardLike,
  ToolMap,
  ToolName,
  ToolSpec,
  TypeBoxKind,
  TypeBoxLike,
} from "./schema/infer.ts";
export type {
  After,
  AnyDoneCall,
  Before,
  CallEngine,
  CallOf,
  DispatchEngine,
  DoneCall,
  HookScope,
  RegisterOptions,
  Settled,
  ToolCall,
  UntypedEngine,
  UseOptions,
} from "./types.ts";
