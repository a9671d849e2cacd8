/** `amplihack/recipes`: read, check and run recipes. */
export { type ConditionResult, evaluateCondition } from "./conditions/evaluate.ts";
export { type Validation, type ValidationRequest, validateRecipe } from "./find/validate-recipe.ts";
export { type ParsedRecipe, type ParseOptions, parseRecipe } from "./format/parse-recipe.ts";
export type { Problem, Recipe, RecipeOutput, Step, StepType } from "./format/recipe.ts";
export type { Observer, RunEvent, StepReference } from "./logs/events.ts";
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
export { type Rendered, renderTemplate } from "./values/template.ts";
