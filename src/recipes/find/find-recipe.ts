import { findAssetHome, findHome, readText, resolvePath } from "../../state/index.ts";
import { ancestors, dirname, isAbsolute, isInside, join, resolve } from "../../system/paths.ts";
import type { Files, System } from "../../system/system.ts";
import { RECIPE_BYTE_LIMIT } from "../format/parse-recipe.ts";
import { readYaml } from "../format/read-yaml.ts";
import { SHIPPED_RECIPES } from "../shipped-recipes.ts";
import { findGitRoot, isDirectory, isFile } from "./look.ts";

/** Where to look for recipes. All directories absolute. */
export interface RecipeSearch {
  /** the process's directory; relative names start here */
  readonly currentDir: string;
  readonly workingDir: string;
  /** `-R`, in order */
  readonly recipeDirs: readonly string[];
}

export type RecipeLookup =
  | { readonly kind: "found"; readonly path: string }
  | { readonly kind: "missing"; readonly message: string }
  | { readonly kind: "bad-name"; readonly message: string };

const EXTENSIONS = [".yaml", ".yml"];
const MOST_ANCESTORS = 10;
const RECIPE_FOLDERS = [".claude/recipes", "amplifier-bundle/recipes"];

function isRecipeFile(name: string): boolean {
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
 * somebody else is passed over: nobody else may put recipes in our way.
 */
function projectDirectories(files: Files, workingDir: string): readonly string[] {
  const owner = files.follow(workingDir)?.uid;
  const chosen: string[] = [];
  for (const directory of ancestors(workingDir).slice(0, MOST_ANCESTORS + 1)) {
    if (directory === workingDir || files.follow(directory)?.uid === owner) chosen.push(directory);
    if (files.inspect(join(directory, ".git")) !== undefined) break;
  }
  return chosen;
}

/** Resolves what a user typed: a path, or a name. */
export function findRecipe(system: System, argument: string, search: RecipeSearch): RecipeLookup {
  const { files } = system;
  if (argument.includes("/") || isRecipeFile(argument)) {
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
    message: `Recipe '${argument}' not found. Searched:\n${listSearched(files, directories)}`,
  };
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

export type SubRecipeLookup =
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
  const explicit = search.recipeDirs.map(directory => resolve(search.currentDir, directory));
  const searched = [
    ...new Set([
      ...explicit,
      dirname(mentionedIn.file),
      dirname(mentionedIn.topLevelFile),
      search.workingDir,
      ...searchDirectories(system, search),
    ]),
  ];
  const path = findInDirectories(system, name, searched, (directory, file) =>
    isInside(resolvePath(system.files, directory), resolvePath(system.files, file)),
  );
  return path === undefined ? { kind: "missing", searched } : { kind: "found", path };
}

function findInDirectories(
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

/** The recipe files of a directory in order of their names; none when it cannot be read. */
export function recipeFilesIn(files: Files, directory: string): readonly string[] {
  if (!isDirectory(files, directory)) return [];
  return [...files.list(directory)]
    .filter(isRecipeFile)
    .sort()
    .map(name => join(directory, name))
    .filter(path => isFile(files, path));
}

function declaresName(system: System, path: string, name: string): boolean {
  let text: string | undefined;
  try {
    text = readText(system, path, RECIPE_BYTE_LIMIT);
  } catch {
    return false;
  }
  if (text === undefined || !text.includes(name)) return false;
  const { root } = readYaml(text);
  const declared = root?.kind === "map" ? root.entries.get("name")?.node : undefined;
  return declared?.kind === "scalar" && declared.spelling === name;
}
