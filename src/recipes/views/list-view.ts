import type { Json } from "../../protocol/index.ts";
import { wrapWords } from "../../text/index.ts";
import type { ListedRecipe } from "../find/describe-recipe.ts";
import { plain } from "../progress/plain-text.ts";

export function recipeListTable(
  recipes: readonly ListedRecipe[],
  isVerbose: boolean,
  columns: number | undefined,
): string {
  if (recipes.length === 0) return "No recipes found (0 recipes)\n";
  const blocks = recipes.map(recipe =>
    [
      `• ${plain(recipe.name)}`,
      ...(recipe.description === "" ? [] : described(recipe.description, columns)),
      ...(isVerbose
        ? [
            `  Version: ${plain(recipe.version)}`,
            `  Author: ${plain(recipe.author)}`,
            `  Steps: ${recipe.step_count}`,
          ]
        : []),
      ...(recipe.shadows === undefined
        ? []
        : [`  ! ${recipe.path} takes the place of the recipe that comes with amplihack`]),
      ...(recipe.tags.length === 0 ? [] : [`  Tags: ${plain(recipe.tags.join(", "))}`]),
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

/** On one line, or on as many as the terminal needs. */
function described(text: string, columns: number | undefined): readonly string[] {
  const lines = columns === undefined ? [oneLine(text)] : wrapWords(oneLine(text), columns - 2);
  return lines.map(line => `  ${plain(line)}`);
}

function oneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, " ");
}
