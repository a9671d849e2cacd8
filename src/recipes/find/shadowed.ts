import { findHome, readText } from "../../state/index.ts";
import { isInside, join, resolve, type System } from "../../system/index.ts";
import { MAX_RECIPE_BYTES } from "../format/recipe.ts";
import { SHIPPED_RECIPES } from "../shipped-recipes.ts";
import { findInDirectories, isRecipePath } from "./find-recipe.ts";
import type { RecipeSearch } from "./search-directories.ts";

/**
 * The shipped recipe that would have been found if a repository did not have another one of its name. Nothing where
 * both say the same, or where the user put it there: with `-R`, or in the own home.
 */
export function findShadowed(
  system: System,
  name: string,
  path: string,
  search: RecipeSearch,
): string | undefined {
  const home = findHome(system);
  const chosen = [
    ...search.recipeDirs.map(directory => resolve(search.currentDir, directory)),
    ...(home === undefined ? [] : [join(home, ".amplihack")]),
    SHIPPED_RECIPES,
  ];
  if (chosen.some(directory => isInside(directory, path))) return undefined;
  const shipped = findInDirectories(system, name, [SHIPPED_RECIPES]);
  if (shipped === undefined) return undefined;
  return readText(system, shipped, MAX_RECIPE_BYTES) === textOf(system, path) ? undefined : shipped;
}

/** As `findShadowed` for what a user typed: whoever types a path has chosen the file. */
export function findShadowedByName(
  system: System,
  argument: string,
  path: string,
  search: RecipeSearch,
): string | undefined {
  return isRecipePath(argument) ? undefined : findShadowed(system, argument, path, search);
}

function textOf(system: System, path: string): string | undefined {
  try {
    return readText(system, path, MAX_RECIPE_BYTES);
  } catch {
    // It differs; whoever loads it says what is wrong with it.
    return undefined;
  }
}

export function shadowNotice(name: string, path: string, shipped: string): string {
  return `'${name}' is not the recipe that comes with amplihack: ${path} takes its place. The shipped one: ${shipped}`;
}
