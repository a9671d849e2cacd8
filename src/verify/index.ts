/**
 * Compare, replay, capture and scan: the tools that test hooks. Sessions are replayed in memory; the live drivers start
 * real hosts with a scripted model.
 */
export {
  type Answered,
  answerIn,
  type CompareInput,
  type CompareOptions,
  type Comparison,
  canonicalOutput,
  compareEngines,
  compareGolden,
} from "./compare.ts";
export { type ExactJson, ExactNumber, type ExactRead, readExact } from "./exact-json.ts";
export { findGoldenCases, type GoldenCase, type GoldenFilter } from "./golden.ts";
export type { PastCall, Suggestion } from "./guard-suggestions.ts";
export type { GuardSummary, PastVerdict, RecordedIn, StoppedCall } from "./guard-summary.ts";
export type { ExampleResult, Trial } from "./hook-trials/run-trials.ts";
export {
  canonicalNumber,
  canonicalText,
  type Difference,
  type DifferenceKind,
  type EqualOptions,
  jsonEqual,
  toPlain,
} from "./json-equal.ts";
export type { Proof } from "./live/prove.ts";
export type { OwnHooksSummary } from "./own-hooks-summary.ts";
export type { PastSession } from "./past-sessions.ts";
export { type Engine, type EngineRun, splitCommandLine } from "./run-engine.ts";
export type { Sandbox } from "./sandbox.ts";
export type { ScanFinding } from "./scan/scan.ts";
export { createMover, type TranscriptInput } from "./transcript-inputs.ts";
export const loadCapture = () => import("./capture.ts");
export const loadCompare = () => import("./compare.ts");
export const loadExamples = () => import("./hook-trials/examples.ts");
export const loadFindFiles = () => import("./scan/find-files.ts");
export const loadGolden = () => import("./golden.ts");
export const loadGuardSuggestions = () => import("./guard-suggestions.ts");
export const loadGuardSummary = () => import("./guard-summary.ts");
export const loadLive = () => import("./live/live.ts");
export const loadOwnHooksSummary = () => import("./own-hooks-summary.ts");
export const loadPastSessions = () => import("./past-sessions.ts");
export const loadRecordedInputs = () => import("./hook-trials/recorded-inputs.ts");
export const loadRunTrials = () => import("./hook-trials/run-trials.ts");
export const loadSandbox = () => import("./sandbox.ts");
export const loadSarif = () => import("./scan/sarif.ts");
export const loadArtifacts = () => import("./scan/scan.ts");
export const loadTranscriptInputs = () => import("./transcript-inputs.ts");
