import { existsSync, readFileSync } from "node:fs";
import { errorText, type JsonObject } from "../../protocol/index.ts";
import { findHome, readExactText, readText } from "../../state/index.ts";
import { hasErrorCode, isInside, join, resolve, type System } from "../../system/index.ts";
import {
  dependencyProblems,
  type ParsedRecipe,
  parseRecipe,
  tooLargeMessage,
} from "../format/parse-recipe.ts";
import {
  DEFAULT_MAX_DEPTH,
  DEFAULT_MAX_TOTAL_STEPS,
  DEFAULT_VERSION,
  MAX_RECIPE_BYTES,
  type Problem,
  type Recipe,
  type Step,
} from "../format/recipe.ts";
import { SHIPPED_INDEX, SHIPPED_RECIPES } from "../shipped-recipes.ts";
import {
  findInDirectories,
  findSubRecipe,
  hashText,
  isRecipePath,
  listSearched,
  type RecipeSearch,
} from "./find-recipe.ts";

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
  return readText(system, shipped, MAX_RECIPE_BYTES) === tryReadText(system, path) ? undefined : shipped;
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

function tryReadText(system: System, path: string): string | undefined {
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

/** Why a recipe of a project does not run in the place of a shipped one. */
export function shadowRefusal(name: string, path: string): string {
  return `'${name}' is a recipe of amplihack, and ${path} has its name. To run that file, name its path; or give its folder with -R`;
}

export interface ListedRecipe extends Readonly<ReturnType<typeof summarizeRecipe>> {
  readonly step_count: number;
  readonly path: string;
  readonly sha256: string;
  /** the shipped recipe of this name, in whose place it stands */
  readonly shadows?: string;
}

/** What a recipe says about itself, as lists and descriptions show it. */
export function summarizeRecipe({ name, description, version, author, tags }: Recipe) {
  return {
    name,
    description: description ?? "",
    version: version ?? DEFAULT_VERSION,
    author: author ?? "",
    tags,
  };
}

/** A recipe as one JSON object, parents merged; null where nothing was written. */
export function describeRecipe(
  { recipe, path }: LoadedRecipe,
  parts: { readonly hasSteps: boolean; readonly hasContext: boolean },
): JsonObject {
  const { hooks, recursion } = recipe;
  return {
    ...summarizeRecipe(recipe),
    ...(parts.hasSteps ? { steps: recipe.steps.map(describeStep) } : {}),
    ...(parts.hasContext ? { context: recipe.context } : {}),
    recursion: {
      max_depth: recursion.maxDepth ?? DEFAULT_MAX_DEPTH,
      max_total_steps: recursion.maxTotalSteps ?? DEFAULT_MAX_TOTAL_STEPS,
    },
    hooks: {
      pre_step: hooks.pre_step ?? null,
      post_step: hooks.post_step ?? null,
      on_error: hooks.on_error ?? null,
    },
    extends: recipe.extends ?? null,
    path,
  };
}

function describeStep(step: Step): JsonObject {
  return {
    id: step.id,
    type: step.type,
    command: step.command ?? null,
    agent: step.agent ?? null,
    prompt: step.prompt ?? null,
    recipe: step.recipe ?? null,
    condition: step.condition ?? null,
    output: step.output ?? null,
    parse_json: step.parseJson,
    timeout: step.timeoutSeconds ?? null,
    continue_on_error: step.isNonFatal,
    parallel_group: step.parallelGroup ?? null,
    when_tags: step.whenTags.length === 0 ? null : step.whenTags,
  };
}

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

/** A recipe ready to run: parents merged, with what is known about the file it came from. */
export interface LoadedRecipe {
  readonly recipe: Recipe;
  readonly path: string;
  /** of the file alone */
  readonly fileSha256: string;
  /** of the file, and of its parents' files where it has any */
  readonly sha256: string;
  readonly places: ParsedRecipe["places"];
}

interface RecipeLoad {
  /** undefined when there are errors */
  readonly loaded: LoadedRecipe | undefined;
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** the texts that problems point into, by file */
  readonly sources: ReadonlyMap<string, string>;
}

interface Reading {
  readonly system: System;
  readonly search: RecipeSearch;
  readonly topLevelFile: string;
  readonly errors: Problem[];
  readonly warnings: Problem[];
  readonly sources: Map<string, string>;
}

/** Reads a recipe file and everything it extends. */
export function loadRecipe(
  system: System,
  path: string,
  search: RecipeSearch,
  topLevelFile: string = path,
): RecipeLoad {
  const reading: Reading = {
    system,
    search,
    topLevelFile,
    errors: [],
    warnings: [],
    sources: new Map(),
  };
  const loaded = readChain(reading, path, new Set());
  const { errors, warnings, sources } = reading;
  return { loaded: errors.length === 0 ? loaded : undefined, errors, warnings, sources };
}

function readChain(reading: Reading, path: string, visited: Set<string>): LoadedRecipe | undefined {
  visited.add(realPath(reading.system, path));
  const parsed = readFile(reading, path);
  if (parsed === undefined) return undefined;
  const { recipe, places, sha256 } = parsed;
  const own: LoadedRecipe = { recipe, path, fileSha256: sha256, sha256, places };
  if (recipe.extends === undefined) return own;
  const parent = readParent(reading, own, recipe.extends, visited);
  if (parent === undefined) return undefined;
  const merged = mergeRecipes(parent.recipe, recipe);
  const allPlaces = new Map([...parent.places, ...places]);
  if (merged.steps.length === 0) {
    reading.errors.push({ message: "Recipe must have a 'steps' field with at least one step", file: path });
  }
  reading.errors.push(...dependencyProblems(merged.steps, allPlaces));
  const combined = hashText(`${parent.sha256}\n${sha256}\n`);
  return { recipe: merged, path, fileSha256: sha256, sha256: combined, places: allPlaces };
}

function readParent(
  reading: Reading,
  child: LoadedRecipe,
  name: string,
  visited: Set<string>,
): LoadedRecipe | undefined {
  const { system, search, topLevelFile, errors } = reading;
  const fail = (message: string): undefined => {
    errors.push({ message, file: child.path });
  };
  const found = findSubRecipe(system, name, search, { file: child.path, topLevelFile });
  if (found.kind === "bad-name") return fail(`Parent recipe name '${name}' is not allowed`);
  if (found.kind === "missing") {
    return fail(
      `Parent recipe '${name}' not found. Searched:\n${listSearched(system.files, found.searched)}`,
    );
  }
  const shipped = findShadowed(system, name, found.path, search);
  if (shipped !== undefined) return fail(shadowRefusal(name, found.path));
  if (visited.has(realPath(system, found.path))) {
    return fail(`Circular extends detected: '${name}' was already visited in the extends chain`);
  }
  return readChain(reading, found.path, visited);
}

function readFile(
  reading: Reading,
  path: string,
): { recipe: Recipe; places: ParsedRecipe["places"]; sha256: string } | undefined {
  const { system, errors, warnings, sources } = reading;
  let read: ReturnType<typeof readExactText>;
  try {
    read = readExactText(system, path, MAX_RECIPE_BYTES);
  } catch (error) {
    const size = system.files.follow(path)?.size ?? 0;
    const message = hasErrorCode(error, "EFBIG")
      ? tooLargeMessage(size)
      : `Cannot read recipe: ${errorText(error)}`;
    errors.push({ message, file: path });
    return undefined;
  }
  if (read === undefined || read.replaced) {
    const message = read === undefined ? `Recipe file not found: ${path}` : "Recipe file is not valid UTF-8";
    errors.push({ message, file: path });
    return undefined;
  }
  sources.set(path, read.text);
  const parsed = parseRecipe(read.text, { file: path });
  errors.push(...parsed.errors);
  warnings.push(...parsed.warnings);
  if (parsed.recipe === undefined) return undefined;
  return { recipe: parsed.recipe, places: parsed.places, sha256: hashText(read.text) };
}

/** The child over its parent; a step with the parent's id takes its place, others follow. */
function mergeRecipes(parent: Recipe, child: Recipe): Recipe {
  return {
    name: child.name,
    description: child.description ?? parent.description,
    version: child.version ?? parent.version,
    author: child.author ?? parent.author,
    tags: [...new Set([...parent.tags, ...child.tags])].sort(),
    context: { ...parent.context, ...child.context },
    contextValidation: { ...parent.contextValidation, ...child.contextValidation },
    steps: mergeSteps(parent.steps, child.steps),
    recursion: {
      maxDepth: child.recursion.maxDepth ?? parent.recursion.maxDepth,
      maxTotalSteps: child.recursion.maxTotalSteps ?? parent.recursion.maxTotalSteps,
    },
    hooks: {
      pre_step: child.hooks.pre_step ?? parent.hooks.pre_step,
      post_step: child.hooks.post_step ?? parent.hooks.post_step,
      on_error: child.hooks.on_error ?? parent.hooks.on_error,
    },
    extends: child.extends,
    output: child.output ?? parent.output,
    defaultStepTimeout: child.defaultStepTimeout ?? parent.defaultStepTimeout,
  };
}

function mergeSteps(parent: readonly Step[], child: readonly Step[]): readonly Step[] {
  const own = new Map(child.map(step => [step.id, step]));
  const inherited = new Set(parent.map(step => step.id));
  return [...parent.map(step => own.get(step.id) ?? step), ...child.filter(step => !inherited.has(step.id))];
}

function realPath(system: System, path: string): string {
  try {
    return system.files.realPath(path);
  } catch {
    return path;
  }
}
