import { statSync } from "node:fs";
import type { System } from "../system/index.ts";
import { listRecipes } from "./find/list-recipes.ts";
import { loadRecipe, type ShippedIndex } from "./find/load-recipe.ts";
import { SHIPPED_RECIPES } from "./shipped-recipes.ts";

/** For the build: what `recipe list` says about the shipped recipes, so that it need not read their YAML. */
export async function makeShippedIndex(system: System): Promise<ShippedIndex> {
  const search = { currentDir: SHIPPED_RECIPES, workingDir: SHIPPED_RECIPES, recipeDirs: [] };
  const { recipes, invalid } = await listRecipes(system, search, { directory: SHIPPED_RECIPES });
  if (invalid[0] !== undefined) throw new Error(`${invalid[0].path}: ${invalid[0].message}`);
  return recipes
    .filter(({ path }) => loadRecipe(system, path, search).loaded?.recipe.extends === undefined)
    .map(({ path, ...facts }) => ({ ...facts, size: statSync(path).size }));
}
