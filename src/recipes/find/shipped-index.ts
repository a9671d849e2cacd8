import { existsSync, readFileSync } from "node:fs";
import { readExactText } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { MAX_RECIPE_BYTES } from "../format/recipe.ts";
import { SHIPPED_INDEX } from "../shipped-recipes.ts";
import type { ListedRecipe } from "./describe-recipe.ts";
import { hashText } from "./look.ts";

/** Shipped recipes that extend none, so that the bytes of the file say all. */
export type ShippedIndex = readonly (Omit<ListedRecipe, "path"> & { readonly size: number })[];

/** Of sources that are not built it is empty, and every recipe is read. */
export function readShippedIndex(): ShippedIndex {
  return existsSync(SHIPPED_INDEX) ? (JSON.parse(readFileSync(SHIPPED_INDEX, "utf8")) as ShippedIndex) : [];
}

/** What is known about a file that holds the very bytes of a shipped recipe. */
export function findShipped(system: System, index: ShippedIndex, path: string): ListedRecipe | undefined {
  const size = system.files.follow(path)?.size;
  if (!index.some(entry => entry.size === size)) return undefined;
  const read = readExactText(system, path, MAX_RECIPE_BYTES);
  if (read === undefined) return undefined;
  const sha256 = hashText(read.text);
  const found = index.find(entry => entry.sha256 === sha256);
  if (found === undefined) return undefined;
  const { size: _, ...facts } = found;
  return { ...facts, path };
}
