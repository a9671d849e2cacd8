import { dirname, resolve, type System } from "../../system/index.ts";
import { SHIPPED_RECIPES } from "../shipped-recipes.ts";
import { type RecipeSearch, recipeFilesIn, searchDirectories } from "./find-recipe.ts";
import {
  findShadowed,
  findShipped,
  type ListedRecipe,
  readShippedIndex,
  summarizeRecipe,
} from "./load-recipe.ts";

interface RecipeList {
  /** by name; of recipes with one name only the one that a run would take */
  readonly recipes: readonly ListedRecipe[];
  /** files that hold no valid recipe */
  readonly invalid: readonly { readonly path: string; readonly message: string }[];
}

/** All recipes of the search directories, or of one directory; with all of the given tags. */
export async function listRecipes(
  system: System,
  search: RecipeSearch,
  options: { readonly directory?: string | undefined; readonly tags?: readonly string[] } = {},
): Promise<RecipeList> {
  const directories =
    options.directory === undefined
      ? searchDirectories(system, search)
      : [resolve(search.currentDir, options.directory)];
  const shipped = readShippedIndex();
  const recipes = new Map<string, ListedRecipe>();
  const invalid: { path: string; message: string }[] = [];
  for (const path of directories.flatMap(directory => recipeFilesIn(system.files, directory))) {
    const listed = findShipped(system, shipped, path) ?? (await readListed(system, search, path));
    if ("message" in listed) invalid.push(listed);
    else if (!recipes.has(listed.name)) recipes.set(listed.name, listed);
    else if (dirname(path) === SHIPPED_RECIPES) noteShadow(system, search, recipes, listed);
  }
  const tags = options.tags ?? [];
  const chosen = [...recipes.values()].filter(recipe => tags.every(tag => recipe.tags.includes(tag)));
  return { recipes: chosen.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)), invalid };
}

/** The recipe that a run would take says that it stands in the place of a shipped one. */
function noteShadow(
  system: System,
  search: RecipeSearch,
  recipes: Map<string, ListedRecipe>,
  shipped: ListedRecipe,
): void {
  const taken = recipes.get(shipped.name);
  if (taken === undefined || taken.sha256 === shipped.sha256) return;
  const shadows = findShadowed(system, shipped.name, taken.path, search);
  if (shadows !== undefined) recipes.set(shipped.name, { ...taken, shadows });
}

async function readListed(
  system: System,
  search: RecipeSearch,
  path: string,
): Promise<ListedRecipe | { path: string; message: string }> {
  const { loadRecipe } = await import("./load-recipe.ts");
  const { loaded, errors } = loadRecipe(system, path, search);
  if (loaded === undefined) return { path, message: errors[0]?.message ?? "not a recipe" };
  const { recipe, fileSha256 } = loaded;
  return {
    ...summarizeRecipe(recipe),
    step_count: recipe.steps.length,
    path,
    sha256: fileSha256,
  };
}
