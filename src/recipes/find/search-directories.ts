import { findAssetHome, findHome } from "../../state/index.ts";
import { ancestors, type Files, join, resolve, type System } from "../../system/index.ts";
import { SHIPPED_RECIPES } from "../shipped-recipes.ts";
import { isDirectory, isFile } from "./look.ts";

/** Where to look for recipes. All directories absolute. */
export interface RecipeSearch {
  /** the process's directory; relative names start here */
  readonly currentDir: string;
  readonly workingDir: string;
  /** `-R`, in order */
  readonly recipeDirs: readonly string[];
  /** recipes that are mentioned are looked for beside the recipe that was asked for, and nowhere else */
  readonly isSealed?: boolean;
}

export const EXTENSIONS = [".yaml", ".yml"];
const MAX_ANCESTORS = 10;
const RECIPE_FOLDERS = [".claude/recipes", "amplifier-bundle/recipes"];

export function isRecipeFile(name: string): boolean {
  return EXTENSIONS.some(extension => name.endsWith(extension) && name.length > extension.length);
}

/** Every directory that is searched by name, highest precedence first, existing or not. */
export function searchDirectories(system: System, search: RecipeSearch): readonly string[] {
  const { currentDir, workingDir, recipeDirs } = search;
  const fromEnvironment = (system.env.get("RECIPE_RUNNER_RECIPE_DIRS") ?? "").split(":").filter(Boolean);
  const home = findHome(system);
  const assets = findAssetHome(system);
  const directories = [
    ...[...recipeDirs, ...fromEnvironment].map(directory => resolve(currentDir, directory)),
    ...projectDirectories(system.files, workingDir).flatMap(base =>
      RECIPE_FOLDERS.map(folder => join(base, folder)),
    ),
    ...(assets === undefined ? [] : [join(assets, "amplifier-bundle/recipes")]),
    ...(home === undefined
      ? []
      : [join(home, ".amplihack/amplifier-bundle/recipes"), join(home, ".amplihack/.claude/recipes")]),
    SHIPPED_RECIPES,
  ];
  return [...new Set(directories)];
}

/**
 * The working directory and those above it, up to the one that holds `.git`. A directory above that belongs to
 * another user is passed over: other users must not supply recipes.
 */
function projectDirectories(files: Files, workingDir: string): readonly string[] {
  const owner = files.follow(workingDir)?.uid;
  const chosen: string[] = [];
  for (const directory of ancestors(workingDir).slice(0, MAX_ANCESTORS + 1)) {
    if (directory === workingDir || files.follow(directory)?.uid === owner) chosen.push(directory);
    if (files.inspect(join(directory, ".git")) !== undefined) break;
  }
  return chosen;
}

/** The recipe files of a directory in order of their names; none when it cannot be read. */
export function recipeFilesIn(files: Files, directory: string): readonly string[] {
  if (!isDirectory(files, directory)) return [];
  return [...files.list(directory)]
    .filter(isRecipeFile)
    .sort()
    .map(name => join(directory, name))
    .filter(path => isFile(files, path));
}

/** The search of a command that is typed in the current directory. */
export function searchHere(
  system: System,
  place: { readonly workingDir: string | undefined; readonly recipeDirs: readonly string[] },
): RecipeSearch {
  const currentDir = system.files.workingDirectory() ?? "/";
  return {
    currentDir,
    workingDir: resolve(currentDir, place.workingDir ?? "."),
    recipeDirs: place.recipeDirs,
  };
}
