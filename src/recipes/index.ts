/**
 * YAML becomes a validated recipe, a run and a result document; workers run recipes on many machines. Values are only
 * data: none of them is ever read as shell text.
 */
export type { Artifact, ScanMode, ScanResult } from "./artifacts/scan.ts";
export { type ConditionResult, evaluateCondition } from "./conditions/evaluate.ts";
export { listRecipes } from "./find/list-recipes.ts";
export { searchHere } from "./find/search-directories.ts";
export { type Validation, type ValidationRequest, validateRecipe } from "./find/validate-recipe.ts";
export { type ParsedRecipe, type ParseOptions, parseRecipe } from "./format/parse-recipe.ts";
export {
  blocksOf,
  MAX_RECIPE_BYTES,
  type Problem,
  type Recipe,
  type RecipeOutput,
  type Step,
  type StepType,
} from "./format/recipe.ts";
export type { Observer, RunEvent, StepReference } from "./logs/events.ts";
export { listRuns, type RecordedRun, type RecordedStep, type RunState } from "./logs/run-records.ts";
export { cutToWidth } from "./progress/cut-to-width.ts";
export { formatSeconds, STATUS_MARKS } from "./progress/plain-progress.ts";
export { plain } from "./progress/plain-text.ts";
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
export { recipeListDocument } from "./views/list-view.ts";
export type { Connection } from "./workers/connection.ts";
export { findQueuedRun, hasTables, listQueuedRuns, type QueuedRun } from "./workers/run-queries.ts";
export const loadAgentAnswers = () => import("./orchestration/agent-answers.ts");
export const loadAllowlist = () => import("./artifacts/allowlist.ts");
export const loadBundleAsset = () => import("./find/bundle-asset.ts");
export const loadCancelRun = () => import("./workers/cancel-run.ts");
export const loadConnection = () => import("./workers/connection.ts");
export const loadDocumentText = () => import("./views/document-text.ts");
export const loadInterruption = () => import("./run/interruption.ts");
export const loadListRecipes = () => import("./find/list-recipes.ts");
export const loadPrintLog = () => import("./workers/print-log.ts");
export const loadPrintRecipeList = () => import("./print-recipe-list.ts");
export const loadPrintRecipes = () => import("./print-recipes.ts");
export const loadRunInTerminal = () => import("./run-in-terminal.ts");
export const loadRunQueries = () => import("./workers/run-queries.ts");
export const loadRunRecipe = () => import("./run/run-recipe.ts");
export const loadRunRecords = () => import("./logs/run-records.ts");
export const loadRunRequest = () => import("./run/run-request.ts");
export const loadRunWorkstreams = () => import("./orchestration/run-workstreams.ts");
export const loadScan = () => import("./artifacts/scan.ts");
export const loadSearchDirectories = () => import("./find/search-directories.ts");
export const loadSessionTree = () => import("./orchestration/session-tree.ts");
export const loadSubmitInTerminal = () => import("./workers/submit-in-terminal.ts");
export const loadValue = () => import("./values/value.ts");
export const loadWorkInTerminal = () => import("./workers/work-in-terminal.ts");
export const loadWorkstreams = () => import("./orchestration/workstreams.ts");
