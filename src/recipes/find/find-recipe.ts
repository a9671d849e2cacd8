import { createHash } from "node:crypto";
import { RECIPE_EXTENSIONS, RECIPE_FOLDERS } from "../../programs/index.ts";
import { findAssetHome, findHome, readText, resolvePath } from "../../state/index.ts";
import {
  ancestors,
  basename,
  dirname,
  type Files,
  isAbsolute,
  isInside,
  join,
  resolve,
  type System,
} from "../../system/index.ts";
import { escapeControls, nearest } from "../../text/index.ts";
import { readYaml } from "../format/read-yaml.ts";
import { MAX_RECIPE_BYTES } from "../format/recipe.ts";
import { SHIPPED_RECIPES } from "../shipped-recipes.ts";

export function isFile(files: Files, path: string): boolean {
  return fileKind(files, path) === "file";
}

export function isDirectory(files: Files, path: string): boolean {
  return fileKind(files, path) === "directory";
}

/** What cannot be inspected counts as absent. */
function fileKind(files: Files, path: string): string | undefined {
  try {
    return files.follow(path)?.kind;
  } catch {
    return undefined;
  }
}

/** Links must not lead out of the directory. */
export function staysInside(files: Files, directory: string, file: string): boolean {
  return isInside(resolvePath(files, directory), resolvePath(files, file));
}

export function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export function findGitRoot(files: Files, directory: string): string | undefined {
  return ancestors(directory).find(base => files.inspect(join(base, ".git")) !== undefined);
}

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

const MAX_ANCESTORS = 10;

function isRecipeFile(name: string): boolean {
  return RECIPE_EXTENSIONS.some(extension => name.endsWith(extension) && name.length > extension.length);
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

/** The name that a file goes by unless it declares another. */
function nameFromFile(path: string): string {
  const name = basename(path);
  return name.slice(0, -(RECIPE_EXTENSIONS.find(extension => name.endsWith(extension)) ?? "").length);
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
  const names = directories.flatMap(directory => recipeFilesIn(files, directory)).map(nameFromFile);
  const meant = nearest(argument, names);
  return {
    kind: "missing",
    message: `Recipe '${argument}' not found. Searched:\n${listSearched(files, directories)}\n${meant === undefined ? "" : `Did you mean ${escapeControls(meant)}? `}What there is: amplihack recipe list`,
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
    const byFile = RECIPE_EXTENSIONS.map(extension => join(directory, `${name}${extension}`));
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
