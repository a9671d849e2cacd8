/**
 * What `amplihack/engine` exports of this room: each name once, here or where it is declared. The protocol's names are
 * added by the entry itself.
 */

export type { AnswerStore } from "./calls/answer-store.ts";
export { fileAnswers, type PostgresQueries, postgresAnswers } from "./calls/kept-answers.ts";
export { createHookEngine } from "./create.ts";
export { type HistoryPart, history } from "./history.ts";
export type {
  EngineHistory,
  HistoryOptions,
  HistoryQuery,
  ShownChange,
  Undone,
  UndoOptions,
} from "./history-types.ts";
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
  type BatutaDecision,
  decideByExitCode,
  toAtomcodePromptResult,
  toAtomcodeToolResult,
  toBatutaDecision,
} from "./output/dialects.ts";
export { type Encoded, encodeEffect } from "./output/encode.ts";
export * from "./public-types.ts";
export {
  type SandboxOptions,
  type SandboxPart,
  type SandboxRun,
  type SandboxRunOptions,
  sandbox,
} from "./sandbox.ts";
export type { PastCall, Session } from "./session.ts";
export { type Conversion, convert } from "./source/convert.ts";
export { HookLoadError } from "./source/load.ts";
export type { HookEngine, UsableHook } from "./types.ts";
export { userSources } from "./user-sources.ts";
