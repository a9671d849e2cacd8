/** `amplihack/engine`: hooks in any agent. The contract of each name stands where it is declared. */

export { DIAGNOSTIC_CODES, type DiagnosticCode } from "../hooks/handlers/diagnostics.ts";
export { createNodeSystem } from "../system/node.ts";
export type { System } from "../system/system.ts";
export { createHookEngine } from "./create.ts";
export {
  type AgentOptions,
  type ApprovalOptions,
  type AsyncReport,
  type Attribute,
  type CoreOptions,
  DEFAULT_LIMITS,
  type Delegates,
  type Dialect,
  type DispatchOptions,
  type EngineOptions,
  type HookSource,
  type Limits,
  type Listing,
  type LoadReport,
  type SourceKind,
  type Span,
  type Telemetry,
  type TrustState,
  type TrustStore,
} from "./options.ts";
export {
  type AtomcodePromptResult,
  toAtomcodePromptResult,
  toAtomcodeToolResult,
} from "./output/atomcode.ts";
export { type BatutaDecision, decideByExitCode, toBatutaDecision } from "./output/batuta.ts";
export { type Encoded, encodeEffect } from "./output/encode.ts";
export * from "./public-types.ts";
export { type Conversion, convert } from "./source/convert.ts";
export { HookLoadError } from "./source/load.ts";
export type { HookEngine, UsableHook } from "./types.ts";
export { userSources } from "./user-sources.ts";
