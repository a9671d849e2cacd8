/** `amplihack/recipes`: read, check and run recipes. */
export { type ConditionResult, evaluateCondition } from "./conditions/evaluate.ts";
export type { Observer, RunEvent, StepReference } from "./events.ts";
export { Interruption } from "./interruption.ts";
export { type ParsedRecipe, type ParseOptions, parseRecipe } from "./parse-recipe.ts";
export type { Problem, Recipe, RecipeOutput, Step, StepType } from "./recipe.ts";
export type { ResultDocument, RunStatus, StepResult, StepStatus, SubResult } from "./result.ts";
export type { RunOutcome } from "./run-outcome.ts";
export { runRecipe } from "./run-recipe.ts";
export type { RunRequest } from "./run-request.ts";
export { type Rendered, renderTemplate } from "./template.ts";
export { type Validation, type ValidationRequest, validateRecipe } from "./validate-recipe.ts";
