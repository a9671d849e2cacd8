/**
 * YAML becomes a validated recipe, a run and a result document; workers run recipes on many machines. Values are only
 * data: none of them is ever read as shell text.
 */
export type { Artifact, ScanMode, ScanResult } from "./artifacts.ts";
export { type ConditionResult, evaluateCondition } from "./conditions/evaluate.ts";
export { type Validation, type ValidationRequest, validateRecipe } from "./find/find-problems.ts";
export { searchHere } from "./find/find-recipe.ts";
export { listRecipes } from "./find/list-recipes.ts";
export { type ParsedRecipe, type ParseOptions, parseRecipe } from "./format/parse-recipe.ts";
export {
  MAX_RECIPE_BYTES,
  type Problem,
  type Recipe,
  type RecipeOutput,
  type Step,
  type StepType,
  splitBlocks,
} from "./format/recipe.ts";
export type { Observer, RunEvent, StepReference } from "./logs/events.ts";
export { listRuns, type RecordedRun, type RecordedStep, type RunState } from "./logs/run-records.ts";
export type { TaskView } from "./orchestration/multitask.ts";
export { cutToWidth, formatSeconds, plain, STATUS_MARKS } from "./progress.ts";
export { checkpointPath } from "./run/find-checkpoint.ts";
export { Interruption } from "./run/interruption.ts";
export type {
  ResultDocument,
  RunOutcome,
  RunStatus,
  StepResult,
  StepStatus,
  SubResult,
} from "./run/result.ts";
export { runRecipe } from "./run/run-recipe.ts";
export type { RunRequest } from "./run/run-request.ts";
export { type CommandOutput, type RecipeFormat, SHOWN_ID_LENGTH } from "./run-in-terminal.ts";
export { type Rendered, renderTemplate } from "./values/template.ts";
export { recipeListDocument } from "./views.ts";
export type { Connection } from "./workers/connection.ts";
export { findQueuedRun, hasTables, listQueuedRuns, type QueuedRun } from "./workers/run-queries.ts";
export const loadWorkstreams = () => import("./orchestration/workstreams.ts");
export const loadArtifacts = () => import("./artifacts.ts");
export const loadBundleAsset = () => import("./find/bundle-asset.ts");
export const loadApprovals = () => import("./workers/run-submitted.ts");
export const loadSchedules = () => import("./workers/schedules.ts");
export const loadCancelRun = () => import("./workers/queue-limits.ts");
export const loadConnection = () => import("./workers/connection.ts");
export const loadDocumentText = () => import("./views.ts");
export const loadInterruption = () => import("./run/interruption.ts");
export const loadMultitask = () => import("./orchestration/multitask.ts");
export const loadKeptFiles = () => import("./workers/kept-files.ts");
export const loadListRecipes = () => import("./find/list-recipes.ts");
export const loadProtection = () => import("./branch-protection.ts");
export const loadPrintLog = () => import("./workers/print-log.ts");
export const loadPrintRecipes = () => import("./print-recipes.ts");
export const loadRunInTerminal = () => import("./run-in-terminal.ts");
export const loadRunQueries = () => import("./workers/run-queries.ts");
export const loadRunRecipe = () => import("./run/run-recipe.ts");
export const loadRunRecords = () => import("./logs/run-records.ts");
export const loadRunRequest = () => import("./run/run-request.ts");
export const loadRunWorkstreams = () => import("./orchestration/run-workstreams.ts");
export const loadSearchDirectories = () => import("./find/find-recipe.ts");
export const loadSessionTree = () => import("./orchestration/session-tree.ts");
export const loadSubmitInTerminal = () => import("./workers/submit.ts");
export const loadValue = () => import("./values/value.ts");
export const loadWorkInTerminal = () => import("./workers/worker.ts");
