/**
 * Compare, replay, capture and scan: the tools that test hooks. Sessions are replayed in memory; the live drivers start
 * real hosts with a scripted model.
 */
export type { AnsweredCalls } from "./answered-calls.ts";
export {
  type Answered,
  answerIn,
  type CompareInput,
  type CompareOptions,
  type Comparison,
  canonicalOutput,
  compareEngines,
  compareGolden,
  type Engine,
  type EngineRun,
  splitCommandLine,
} from "./compare.ts";
export { findGoldenCases, type GoldenCase, type GoldenFilter } from "./golden.ts";
export type { PastCall, Suggestion } from "./guard-suggestions.ts";
export type {
  GuardSummary,
  PastVerdict,
  RecordedIn,
  StoppedCall,
  UserHooksSummary,
} from "./guard-summary.ts";
export type { ExampleResult, Trial } from "./hook-trials.ts";
export {
  canonicalNumber,
  canonicalText,
  type Difference,
  type DifferenceKind,
  type EqualOptions,
  type ExactJson,
  ExactNumber,
  type ExactRead,
  jsonEqual,
  readExact,
  toPlain,
} from "./json-equal.ts";
export type { Proof } from "./live/live.ts";
export type { Sandbox } from "./sandbox.ts";
export type { ScanFinding } from "./scan.ts";
export { createMover, type TranscriptInput } from "./transcript-inputs.ts";
export const loadAnsweredCalls = () => import("./answered-calls.ts");
export const loadCompare = () => import("./compare.ts");
export const loadExamples = () => import("./hook-trials.ts");
export const loadFindFiles = () => import("./scan.ts");
export const loadGolden = () => import("./golden.ts");
export const loadGuardSuggestions = () => import("./guard-suggestions.ts");
export const loadGuardSummary = () => import("./guard-summary.ts");
export const loadLive = () => import("./live/live.ts");
export const loadUserHooksSummary = () => import("./guard-summary.ts");
export const loadOpenCodeRecords = () => import("./open-code-records.ts");
export const loadRecordedUsage = () => import("./open-code-records.ts");
export type { PolicyResult } from "./policy-cases.ts";
export const loadPolicyCases = () => import("./policy-cases.ts");
export const loadRecordedInputs = () => import("./hook-trials.ts");
export const loadRunTrials = () => import("./hook-trials.ts");
export const loadSandbox = () => import("./sandbox.ts");
export const loadSarif = () => import("./scan.ts");
export const loadArtifacts = () => import("./scan.ts");
export const loadTranscriptInputs = () => import("./transcript-inputs.ts");
