import type { Json, JsonObject } from "../../protocol/index.ts";
import { resolve, type System } from "../../system/index.ts";
import { createNodeSystem } from "../../system/node.ts";
import { conditionProblem } from "../conditions/evaluate.ts";
import { placeKey } from "../format/parse-recipe.ts";
import { type Problem, type Recipe, type Step, splitBlocks } from "../format/recipe.ts";
import { EXIT_CODES } from "../run/result.ts";
import { renderShell, ShellNestingError, unprotectedUse } from "../shell-text/render-shell.ts";
import { placeholdersIn } from "../values/template.ts";
import { findAgent } from "./find-agent.ts";
import { findRecipe, findSubRecipe, type RecipeLookup, type RecipeSearch } from "./find-recipe.ts";
import { type LoadedRecipe, loadRecipe } from "./load-recipe.ts";

interface CheckContext {
  readonly system: System;
  readonly search: RecipeSearch;
  readonly topLevelFile: string;
  /** variables that recipes set, by file; a recipe under examination adds nothing to itself */
  readonly known: Map<string, readonly string[] | undefined>;
}

/**
 * What reading a recipe alone does not tell: conditions that cannot be parsed (errors), and sub-recipes, agents and
 * placeholders that lead nowhere (warnings). `given` are context keys set from outside.
 */
export function findProblems(
  system: System,
  loaded: LoadedRecipe,
  search: RecipeSearch,
  given: readonly string[] = [],
): { readonly errors: readonly Problem[]; readonly warnings: readonly Problem[] } {
  const errors: Problem[] = [];
  const warnings: Problem[] = [];
  const { recipe } = loaded;
  const check: CheckContext = { system, search, topLevelFile: loaded.path, known: new Map() };
  const at = (step: Step, field: string): Problem =>
    loaded.places.get(placeKey(step.id, field)) ?? { message: "", file: loaded.path };
  const supplied = new Suppliers(recipe, given);

  for (const block of splitBlocks(recipe.steps)) {
    for (const step of block) {
      const where = `Step '${step.id}': `;
      const problem = step.condition === undefined ? undefined : conditionProblem(step.condition);
      if (problem !== undefined)
        errors.push({ ...at(step, "condition"), message: `${where}condition: ${problem}` });
      for (const [field, text] of templatedTexts(step)) {
        for (const path of supplied.missingIn(text)) {
          warnings.push({
            ...at(step, field),
            message: `${where}nothing supplies the placeholder '{{${path}}}' in '${field}'`,
          });
        }
      }
      for (const message of shellWarnings(step.command ?? "")) {
        warnings.push({ ...at(step, "command"), message: `${where}${message}` });
      }
      const reference = referenceWarning(check, loaded, step);
      if (reference !== undefined)
        warnings.push({ ...at(step, reference.field), message: `${where}${reference.message}` });
    }
    for (const step of block) supplied.add(listOutputs(check, loaded, step));
  }
  for (const [hook, text] of Object.entries(recipe.hooks)) {
    for (const message of shellWarnings(text ?? ""))
      warnings.push({ file: loaded.path, message: `Hook '${hook}': ${message}` });
  }
  const { output } = recipe;
  const reported =
    output?.kind === "template" ? output.template : output === undefined ? "" : `{{${output.name}}}`;
  for (const path of supplied.missingIn(reported)) {
    warnings.push({ file: loaded.path, message: `output: nothing supplies '{{${path}}}'` });
  }
  return { errors, warnings };
}

/** Names that a placeholder can find at some point of the recipe. */
class Suppliers {
  private readonly names: Set<string>;
  /** a step may set variables we cannot know */
  private isOpen = false;

  constructor(recipe: Recipe, given: readonly string[]) {
    this.names = new Set([...Object.keys(recipe.context), ...given]);
  }

  add(outputs: readonly string[] | undefined): void {
    if (outputs === undefined) this.isOpen = true;
    else for (const name of outputs) this.names.add(name);
  }

  missingIn(text: string): readonly string[] {
    if (this.isOpen) return [];
    const missing = placeholdersIn(text).filter(path => !this.names.has(path.split(".")[0] ?? ""));
    return [...new Set(missing)];
  }
}

function templatedTexts(step: Step): readonly (readonly [string, string])[] {
  const texts: (readonly [string, string])[] = [];
  for (const [field, text] of [
    ["command", step.command],
    ["prompt", step.prompt],
    ["working_dir", step.workingDir],
  ] as const) {
    if (text !== undefined) texts.push([field, text]);
  }
  return [...texts, ...textsIn(step.subContext).map(text => ["sub_context", text] as const)];
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return typeof value === "object" && value !== null
    ? Object.values(value as JsonObject).flatMap(textsIn)
    : [];
}

function shellWarnings(command: string): readonly string[] {
  try {
    const { uses } = renderShell(command, () => "V");
    const messages = uses.flatMap(use => {
      const why = unprotectedUse(use);
      if (why === undefined) return [];
      return [`the placeholder '{{${use.path}}}' is in ${why}, where quoting cannot protect its value`];
    });
    return [...new Set(messages)];
  } catch (error) {
    if (error instanceof ShellNestingError) return [error.message];
    throw error;
  }
}

function referenceWarning(
  { system, search, topLevelFile }: CheckContext,
  loaded: LoadedRecipe,
  step: Step,
): { readonly field: string; readonly message: string } | undefined {
  if (step.type === "recipe" && step.recipe !== undefined) {
    const found = findSubRecipe(system, step.recipe, search, { file: loaded.path, topLevelFile });
    if (found.kind === "found") return undefined;
    const why = found.kind === "missing" ? "was not found" : "is not allowed as a name";
    return { field: "recipe", message: `sub-recipe '${step.recipe}' ${why}` };
  }
  if (step.type !== "agent" || step.agent === undefined) return undefined;
  const found = findAgent(system, step.agent, search.workingDir);
  if (found.kind === "found") return undefined;
  const why = found.kind === "missing" ? "was not found" : "is not a valid reference";
  return { field: "agent", message: `agent '${step.agent}' ${why}` };
}

/** Variables that a step sets, sub-recipes included; undefined when that cannot be known. */
function listOutputs(check: CheckContext, loaded: LoadedRecipe, step: Step): readonly string[] | undefined {
  const own = step.output === undefined ? [] : [step.output];
  if (step.type !== "recipe") return own;
  const { system, search, topLevelFile, known } = check;
  const found = findSubRecipe(system, step.recipe ?? "", search, { file: loaded.path, topLevelFile });
  if (found.kind !== "found") return undefined;
  if (!known.has(found.path)) {
    known.set(found.path, []);
    const child = loadRecipe(system, found.path, search, topLevelFile).loaded;
    const inner = child?.recipe.steps.map(one => listOutputs(check, child, one));
    known.set(found.path, inner?.every(names => names !== undefined) === true ? inner.flat() : undefined);
  }
  const names = known.get(found.path);
  return names === undefined ? undefined : [...own, ...names];
}

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
    exitCode: lookupExitCode(found.kind, errors.length === 0),
  };
}

function lookupExitCode(kind: RecipeLookup["kind"], isValid: boolean): number {
  if (kind !== "found") return kind === "missing" ? EXIT_CODES.notFound : EXIT_CODES.badArguments;
  return isValid ? EXIT_CODES.success : EXIT_CODES.invalid;
}
