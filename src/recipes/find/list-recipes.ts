import { resolve } from "../../system/paths.ts";
import type { System } from "../../system/system.ts";
import { DEFAULT_VERSION } from "../format/recipe.ts";
import { type RecipeSearch, recipeFilesIn, searchDirectories } from "./find-recipe.ts";
import { loadRecipe } from "./load-recipe.ts";

export interface ListedRecipe {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly author: string;
  readonly tags: readonly string[];
  readonly step_count: number;
  readonly path: string;
  readonly sha256: string;
}

export interface RecipeList {
  /** by name; of recipes with one name only the one that a run would take */
  readonly recipes: readonly ListedRecipe[];
  /** files that hold no valid recipe */
  readonly invalid: readonly { readonly path: string; readonly message: string }[];
}

/** All recipes of the search directories, or of one directory; with all of the given tags. */
export function listRecipes(
  system: System,
  search: RecipeSearch,
  options: { readonly directory?: string | undefined; readonly tags?: readonly string[] } = {},
): RecipeList {
  const directories =
    options.directory === undefined
      ? searchDirectories(system, search)
      : [resolve(search.currentDir, options.directory)];
  const recipes = new Map<string, ListedRecipe>();
  const invalid: { path: string; message: string }[] = [];
  for (const path of directories.flatMap(directory => recipeFilesIn(system.files, directory))) {
    const { loaded, errors } = loadRecipe(system, path, search);
    if (loaded === undefined) {
      invalid.push({ path, message: errors[0]?.message ?? "not a recipe" });
      continue;
    }
    const { recipe, fileSha256 } = loaded;
    if (recipes.has(recipe.name)) continue;
    recipes.set(recipe.name, {
      name: recipe.name,
      description: recipe.description ?? "",
      version: recipe.version ?? DEFAULT_VERSION,
      author: recipe.author ?? "",
      tags: recipe.tags,
      step_count: recipe.steps.length,
      path,
      sha256: fileSha256,
    });
  }
  const tags = options.tags ?? [];
  const chosen = [...recipes.values()].filter(recipe => tags.every(tag => recipe.tags.includes(tag)));
  return { recipes: chosen.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)), invalid };
}
