import type { JsonObject } from "../../protocol/index.ts";
import {
  DEFAULT_MAX_DEPTH,
  DEFAULT_MAX_TOTAL_STEPS,
  DEFAULT_VERSION,
  type Recipe,
  type Step,
} from "../format/recipe.ts";
import type { LoadedRecipe } from "./load-recipe.ts";

export interface ListedRecipe extends Readonly<ReturnType<typeof titleOf>> {
  readonly step_count: number;
  readonly path: string;
  readonly sha256: string;
  /** the shipped recipe of this name, in whose place it stands */
  readonly shadows?: string;
}

/** What a recipe says about itself, as lists and descriptions show it. */
export function titleOf({ name, description, version, author, tags }: Recipe) {
  return {
    name,
    description: description ?? "",
    version: version ?? DEFAULT_VERSION,
    author: author ?? "",
    tags,
  };
}

/** A recipe as one JSON object, parents merged; null where nothing was written. */
export function describeRecipe(
  { recipe, path }: LoadedRecipe,
  parts: { readonly hasSteps: boolean; readonly hasContext: boolean },
): JsonObject {
  const { hooks, recursion } = recipe;
  return {
    ...titleOf(recipe),
    ...(parts.hasSteps ? { steps: recipe.steps.map(describeStep) } : {}),
    ...(parts.hasContext ? { context: recipe.context } : {}),
    recursion: {
      max_depth: recursion.maxDepth ?? DEFAULT_MAX_DEPTH,
      max_total_steps: recursion.maxTotalSteps ?? DEFAULT_MAX_TOTAL_STEPS,
    },
    hooks: {
      pre_step: hooks.pre_step ?? null,
      post_step: hooks.post_step ?? null,
      on_error: hooks.on_error ?? null,
    },
    extends: recipe.extends ?? null,
    path,
  };
}

function describeStep(step: Step): JsonObject {
  return {
    id: step.id,
    type: step.type,
    command: step.command ?? null,
    agent: step.agent ?? null,
    prompt: step.prompt ?? null,
    recipe: step.recipe ?? null,
    condition: step.condition ?? null,
    output: step.output ?? null,
    parse_json: step.parseJson,
    timeout: step.timeoutSeconds ?? null,
    continue_on_error: step.isNonFatal,
    parallel_group: step.parallelGroup ?? null,
    when_tags: step.whenTags.length === 0 ? null : step.whenTags,
  };
}
