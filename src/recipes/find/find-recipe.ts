import { findAssetHome, findHome, readText } from "../../state/index.ts";
import { dirname, type Files, isAbsolute, join, resolve, type System } from "../../system/index.ts";
import { readYaml } from "../format/read-yaml.ts";
import { MAX_RECIPE_BYTES } from "../format/recipe.ts";
import { findGitRoot, isDirectory, isFile, staysInside } from "./look.ts";
import {
  EXTENSIONS,
  isRecipeFile,
  type RecipeSearch,
  recipeFilesIn,
  searchDirectories,
} from "./search-directories.ts";

export type RecipeLookup =
  | { readonly kind: "found"; readonly path: string }
  | { readonly kind: "missing"; readonly message: string }
  | { readonly kind: "bad-name"; readonly message: string };

/** Resolves what a user typed: a path, or a name. */
export function findRecipe(system: System, argument: string, search: RecipeSearch): RecipeLookup {
  const { files } = system;
  if (isRecipePath(argument)) {
    const path = pathCandidates(system, argument, search).find(candidate => isFile(files, candidate));
    return path === undefined
      ? { kind: "missing", message: `Recipe file not found: ${argument}` }
      : { kind: "found", path };
  }
  if (argument === "" || argument.startsWith(".") || argument.includes("..") || /[\\\0]/.test(argument)) {
    return { kind: "bad-name", message: `'${argument}' is not a recipe name; use a plain name or a path` };
  }
  const directories = searchDirectories(system, search);
  const path = findInDirectories(system, argument, directories);
  if (path !== undefined) return { kind: "found", path };
  return {
    kind: "missing",
    message: `Recipe '${argument}' not found. Searched:\n${listSearched(files, directories)}\nWhat there is: amplihack recipe list`,
  };
}

/** Is it a path, and not a name? */
export function isRecipePath(argument: string): boolean {
  return argument.includes("/") || isRecipeFile(argument);
}

function pathCandidates(system: System, argument: string, search: RecipeSearch): readonly string[] {
  if (isAbsolute(argument)) return [resolve("/", argument)];
  const home = findHome(system);
  const roots = [
    search.currentDir,
    search.workingDir,
    findGitRoot(system.files, search.workingDir),
    findAssetHome(system),
    home === undefined ? undefined : join(home, ".amplihack"),
  ];
  return roots.filter(root => root !== undefined).map(root => resolve(root, argument));
}

export function listSearched(files: Files, directories: readonly string[]): string {
  return directories
    .map(directory => `  - ${directory}${isDirectory(files, directory) ? "" : " (does not exist)"}`)
    .join("\n");
}

type SubRecipeLookup =
  | { readonly kind: "found"; readonly path: string }
  | { readonly kind: "missing"; readonly searched: readonly string[] }
  | { readonly kind: "bad-name" };

/** Resolves a name that another recipe mentions; a link may not lead out of the directory it was found in. */
export function findSubRecipe(
  system: System,
  name: string,
  search: RecipeSearch,
  mentionedIn: { readonly file: string; readonly topLevelFile: string },
): SubRecipeLookup {
  if (!/^[A-Za-z0-9_-]+$/.test(name)) return { kind: "bad-name" };
  const searched = subRecipeDirectories(system, search, mentionedIn);
  const path = findInDirectories(system, name, searched, (directory, file) =>
    staysInside(system.files, directory, file),
  );
  return path === undefined ? { kind: "missing", searched } : { kind: "found", path };
}

function subRecipeDirectories(
  system: System,
  search: RecipeSearch,
  { file, topLevelFile }: { readonly file: string; readonly topLevelFile: string },
): readonly string[] {
  if (search.isSealed === true) return [dirname(topLevelFile)];
  const explicit = search.recipeDirs.map(directory => resolve(search.currentDir, directory));
  const near = [dirname(file), dirname(topLevelFile), search.workingDir];
  return [...new Set([...explicit, ...near, ...searchDirectories(system, search)])];
}

/** The first file of that name, or that declares it. */
export function findInDirectories(
  system: System,
  name: string,
  directories: readonly string[],
  isAcceptable: (directory: string, file: string) => boolean = () => true,
): string | undefined {
  const { files } = system;
  for (const directory of directories) {
    const byFile = EXTENSIONS.map(extension => join(directory, `${name}${extension}`));
    const found =
      byFile.find(path => isFile(files, path) && isAcceptable(directory, path)) ??
      recipeFilesIn(files, directory).find(
        path => declaresName(system, path, name) && isAcceptable(directory, path),
      );
    if (found !== undefined) return found;
  }
  return undefined;
}

function declaresName(system: System, path: string, name: string): boolean {
  let text: string | undefined;
  try {
    text = readText(system, path, MAX_RECIPE_BYTES);
  } catch {
    return false;
  }
  if (text === undefined || !text.includes(name)) return false;
  const { root } = readYaml(text);
  const declared = root?.kind === "map" ? root.entries.get("name")?.node : undefined;
  return declared?.kind === "scalar" && declared.spelling === name;
}
