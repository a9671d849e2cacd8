import type { Json } from "../../protocol/index.ts";
import type { ListedRecipe } from "../find/describe-recipe.ts";

export function recipeListTable(recipes: readonly ListedRecipe[], isVerbose: boolean): string {
  if (recipes.length === 0) return "No recipes found (0 recipes)\n";
  const blocks = recipes.map(recipe =>
    [
      `• ${recipe.name}`,
      ...(recipe.description === "" ? [] : [`  ${oneLine(recipe.description)}`]),
      ...(isVerbose
        ? [`  Version: ${recipe.version}`, `  Author: ${recipe.author}`, `  Steps: ${recipe.step_count}`]
        : []),
      ...(recipe.shadows === undefined
        ? []
        : [`  ! ${recipe.path} takes the place of the recipe that comes with amplihack`]),
      ...(recipe.tags.length === 0 ? [] : [`  Tags: ${recipe.tags.join(", ")}`]),
    ].join("\n"),
  );
  return `Available Recipes (${recipes.length}):\n\n${blocks.join("\n\n")}\n`;
}

export function recipeListDocument(recipes: readonly ListedRecipe[], isVerbose: boolean): Json {
  return recipes.map(({ name, description, shadows, ...rest }) => ({
    name,
    description,
    ...(isVerbose ? rest : {}),
    ...(shadows === undefined ? {} : { path: rest.path, shadows }),
  }));
}

function oneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, " ");
}
