import { resolve, type System } from "../../system/index.ts";
import { createNodeSystem } from "../../system/node.ts";
import type { Problem } from "../format/recipe.ts";
import { EXIT_CODES } from "../run/result.ts";
import { findProblems } from "./find-problems.ts";
import { findRecipe, type RecipeLookup } from "./find-recipe.ts";
import { loadRecipe } from "./load-recipe.ts";

export interface ValidationRequest {
  /** a name or a path */
  readonly recipe: string;
  readonly currentDir?: string;
  readonly workingDir?: string;
  readonly recipeDirs?: readonly string[];
  /** warnings count as errors */
  readonly isStrict?: boolean;
}

export interface Validation {
  readonly isValid: boolean;
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly stepCount: number;
  /** texts that the problems point into, by file */
  readonly sources: ReadonlyMap<string, string>;
  readonly exitCode: number;
}

/** Everything that can be said about a recipe without running it. */
export function validateRecipe(request: ValidationRequest, system: System = createNodeSystem()): Validation {
  const currentDir = request.currentDir ?? system.files.workingDirectory() ?? "/";
  const workingDir = resolve(currentDir, request.workingDir ?? ".");
  const search = { currentDir, workingDir, recipeDirs: request.recipeDirs ?? [] };
  const found = findRecipe(system, request.recipe, search);
  const read =
    found.kind === "found"
      ? loadRecipe(system, found.path, search)
      : { loaded: undefined, errors: [{ message: found.message }], warnings: [], sources: new Map() };
  const checked =
    read.loaded === undefined ? { errors: [], warnings: [] } : findProblems(system, read.loaded, search);
  const allWarnings = [...read.warnings, ...checked.warnings];
  const errors = [...read.errors, ...checked.errors, ...(request.isStrict === true ? allWarnings : [])];
  return {
    isValid: errors.length === 0,
    errors,
    warnings: request.isStrict === true ? [] : allWarnings,
    name: read.loaded?.recipe.name,
    description: read.loaded?.recipe.description,
    stepCount: read.loaded?.recipe.steps.length ?? 0,
    sources: read.sources,
    exitCode: exitCodeOf(found.kind, errors.length === 0),
  };
}

function exitCodeOf(kind: RecipeLookup["kind"], isValid: boolean): number {
  if (kind !== "found") return kind === "missing" ? EXIT_CODES.notFound : EXIT_CODES.badArguments;
  return isValid ? EXIT_CODES.success : EXIT_CODES.invalid;
}
