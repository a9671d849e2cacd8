import { basename, dirname, join, type System } from "../../system/index.ts";
import { findSubRecipe } from "../find/find-recipe.ts";
import { type LoadedRecipe, loadRecipe } from "../find/load-recipe.ts";
import type { RecipeSearch } from "../find/search-directories.ts";
import { parseRecipe } from "../format/parse-recipe.ts";
import { RunRefusal } from "../run/run-request.ts";
import { isFileName, MAX_FILES, type RecipeFile } from "./submitted-run.ts";

interface Packing {
  readonly system: System;
  readonly search: RecipeSearch;
  readonly topLevelFile: string;
  /** by the name that a worker will look for */
  readonly files: Map<string, { readonly path: string; readonly text: string }>;
  readonly warnings: string[];
}

/**
 * The text of a recipe and of every file that it mentions, found as a run here would find them. A sub-recipe that is
 * missing fails its step when that is reached, as here, whatever the worker has under that name.
 */
export function packRecipe(
  system: System,
  loaded: LoadedRecipe,
  search: RecipeSearch,
): {
  readonly files: readonly [RecipeFile, ...RecipeFile[]];
  readonly warnings: readonly string[];
} {
  const topLevelFile = loaded.path;
  const packing: Packing = { system, search, topLevelFile, files: new Map(), warnings: [] };
  const name = basename(topLevelFile);
  const first = isFileName(name) ? name : "recipe.yaml";
  pack(packing, first, topLevelFile);
  const [recipe, ...others] = [...packing.files].map(([file, { text }]) => ({ name: file, text }));
  if (recipe === undefined) throw new RunRefusal("not_found", `Recipe file not found: ${topLevelFile}`);
  return { files: [recipe, ...others], warnings: packing.warnings };
}

function pack(packing: Packing, name: string, path: string): void {
  const { system, search, topLevelFile, files } = packing;
  const known = files.get(name);
  if (known?.path === path) return;
  const { sources, loaded, errors } = loadRecipe(system, path, search, topLevelFile);
  const text = sources.get(path);
  if (text === undefined || loaded === undefined) {
    const why = errors.map(error => error.message).join("; ");
    throw new RunRefusal("parse_error", `${path}: ${why}`);
  }
  if (known !== undefined && known.text !== text) {
    throw new RunRefusal(
      "bad_args",
      `'${name}' means two files here: ${known.path} and ${path}. A worker has one folder for all; rename one`,
    );
  }
  if (known !== undefined) return;
  if (files.size >= MAX_FILES)
    throw new RunRefusal("bad_args", `The recipe mentions more than ${MAX_FILES} files`);
  files.set(name, { path, text });
  const own = parseRecipe(text, { file: path }).recipe;
  const mentioned = [own?.extends, ...(own?.steps ?? []).map(step => step.recipe)];
  for (const each of new Set(mentioned)) if (each !== undefined) packMentioned(packing, each, path);
}

function packMentioned(packing: Packing, name: string, file: string): void {
  const { system, search, topLevelFile, warnings } = packing;
  const found = findSubRecipe(system, name, search, { file, topLevelFile });
  if (found.kind === "found") pack(packing, `${name}.yaml`, found.path);
  else warnings.push(`Sub-recipe '${name}' was not found and is not sent along; its step will fail`);
}

/** Writes the files into a folder. Answers the path of the recipe. */
export function unpackRecipe(
  { files, text }: System,
  folder: string,
  packed: readonly [RecipeFile, ...RecipeFile[]],
): string {
  for (const file of packed) {
    const path = join(folder, file.name);
    if (!isFileName(file.name) || dirname(path) !== folder) throw new Error(`'${file.name}' is no file name`);
    files.createExclusive(path, text.encode(file.text), 0o600);
  }
  return join(folder, packed[0].name);
}
