import { DEFAULT_VERSION, type Recipe, type Step } from "../format/recipe.ts";
import { firstCharacters } from "../steps/snippet.ts";
import { textOf } from "../values/value.ts";

const PREVIEW_CHARACTERS = 100;

/** A recipe for people. */
export function recipeTable(
  recipe: Recipe,
  path: string,
  parts: { readonly hasSteps: boolean; readonly hasContext: boolean },
): string {
  const context = Object.entries(recipe.context);
  return [
    `Recipe: ${recipe.name}`,
    ...(recipe.description === undefined ? [] : [`Description: ${recipe.description.trim()}`]),
    `Version: ${recipe.version ?? DEFAULT_VERSION}`,
    ...(recipe.author === undefined ? [] : [`Author: ${recipe.author}`]),
    ...(recipe.tags.length === 0 ? [] : [`Tags: ${recipe.tags.join(", ")}`]),
    ...(recipe.extends === undefined ? [] : [`Extends: ${recipe.extends}`]),
    `File: ${path}`,
    ...(parts.hasContext && context.length > 0
      ? ["", "Context:", ...context.map(([key, value]) => `  ${key}: ${preview(textOf(value))}`)]
      : []),
    ...(parts.hasSteps ? ["", `Steps (${recipe.steps.length}):`, ...recipe.steps.flatMap(stepLines)] : []),
    "",
  ].join("\n");
}

function stepLines(step: Step, index: number): readonly string[] {
  const fields: readonly (readonly [string, string | undefined])[] = [
    ["Agent", step.agent],
    ["Recipe", step.recipe],
    ["Command", step.command],
    ["Prompt", step.prompt],
    ["Condition", step.condition],
    ["Output", step.output],
    ["Parallel group", step.parallelGroup],
    ["Tags", step.whenTags.length === 0 ? undefined : step.whenTags.join(", ")],
    ["Timeout", step.timeoutSeconds === undefined ? undefined : `${step.timeoutSeconds}s`],
  ];
  return [
    `  ${index + 1}. ${step.id} (${step.type})${step.name === undefined ? "" : `: ${step.name}`}`,
    ...fields.flatMap(([name, text]) => (text === undefined ? [] : [`     ${name}: ${preview(text)}`])),
  ];
}

function preview(text: string): string {
  const line = text.trim().replace(/\s*\n\s*/g, " ⏎ ");
  return firstCharacters(line, PREVIEW_CHARACTERS, "...");
}
