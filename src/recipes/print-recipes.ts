import { resolve } from "../system/index.ts";
import { count } from "../text/index.ts";
import { type Validation, validateRecipe } from "./find/find-problems.ts";
import { findRecipe, isDirectory, searchHere } from "./find/find-recipe.ts";
import { listRecipes } from "./find/list-recipes.ts";
import { describeRecipe, findShadowedByName, loadRecipe, shadowNotice } from "./find/load-recipe.ts";
import { EXIT_CODES } from "./run/result.ts";
import type { CommandOutput, RecipeFormat } from "./run-in-terminal.ts";
import {
  type DocumentFormat,
  documentText,
  jsonText,
  problemLines,
  recipeGraph,
  recipeListDocument,
  recipeListTable,
  recipeTable,
} from "./views.ts";

/**
 * Loads nothing that reads YAML unless it has to: people type this command, and shells ask it for names.
 */
export async function printRecipeList(
  request: RecipePlace & {
    readonly directory: string | undefined;
    readonly tags: readonly string[];
    readonly isVerbose: boolean;
  },
  output: CommandOutput,
): Promise<number> {
  const search = searchHere(output.system, request);
  const { directory, tags, isVerbose, format } = request;
  if (directory !== undefined && !isDirectory(output.system.files, resolve(search.currentDir, directory))) {
    return printFailure(
      output,
      format,
      EXIT_CODES.notFound,
      "not_found",
      `Recipe directory not found: ${directory}`,
    );
  }
  const { recipes, invalid } = await listRecipes(output.system, search, { directory, tags });
  if (invalid.length > 0) {
    const lines = invalid.map(({ path, message }) => `  - ${path}: ${message.split("\n")[0]}`);
    output.warn(
      [`Warning: ${count(invalid.length, "recipe file")} not listed, because of errors:`, ...lines, ""].join(
        "\n",
      ),
    );
  }
  if (format === "table") output.print(recipeListTable(recipes, isVerbose, output.columns));
  else output.print(await listText(recipeListDocument(recipes, isVerbose), format));
  return EXIT_CODES.success;
}

async function listText(document: unknown, format: DocumentFormat): Promise<string> {
  if (format === "json") return jsonText(document);
  const { documentText } = await import("./views.ts");
  return documentText(document, format);
}

interface RecipePlace {
  readonly workingDir: string | undefined;
  readonly recipeDirs: readonly string[];
  readonly format: RecipeFormat;
}

export function printRecipe(
  request: RecipePlace & {
    readonly recipe: string;
    readonly isGraph: boolean;
    readonly hasSteps: boolean;
    readonly hasContext: boolean;
  },
  output: CommandOutput,
): number {
  const search = searchHere(output.system, request);
  const { format } = request;
  const found = findRecipe(output.system, request.recipe, search);
  if (found.kind !== "found") {
    return found.kind === "missing"
      ? printFailure(output, format, EXIT_CODES.notFound, "not_found", found.message)
      : printFailure(output, format, EXIT_CODES.badArguments, "bad_args", found.message);
  }
  const shipped = findShadowedByName(output.system, request.recipe, found.path, search);
  if (shipped !== undefined) output.warn(`Warning: ${shadowNotice(request.recipe, found.path, shipped)}\n`);
  const { loaded, errors, sources } = loadRecipe(output.system, found.path, search);
  if (loaded === undefined) {
    const lines = errors.flatMap(error => problemLines(error, sources, "", "  "));
    return printFailure(output, format, EXIT_CODES.invalid, "parse_error", lines.join("\n"));
  }
  if (request.isGraph && format === "table") output.print(recipeGraph(loaded.recipe));
  else if (format === "table") output.print(recipeTable(loaded.recipe, loaded.path, request));
  else
    output.print(
      documentText(
        { ...describeRecipe(loaded, request), ...(shipped === undefined ? {} : { shadows: shipped }) },
        format,
      ),
    );
  return EXIT_CODES.success;
}

/** Tells a failure on stderr and, for programs, as the one document on stdout. */
function printFailure(
  { print, warn }: CommandOutput,
  format: RecipeFormat,
  exitCode: number,
  kind: string,
  message: string,
): number {
  warn(`Error: ${message}\n`);
  if (format !== "table")
    print(documentText({ success: false, error: { kind, message, causes: [] } }, format));
  return exitCode;
}

export function printValidation(
  request: RecipePlace & { readonly recipe: string; readonly isStrict: boolean; readonly isVerbose: boolean },
  output: CommandOutput,
): number {
  const { recipe, isStrict, isVerbose, format } = request;
  const validation = validateRecipe(
    { recipe, isStrict, ...searchHere(output.system, request) },
    output.system,
  );
  if (validation.exitCode > EXIT_CODES.invalid) {
    output.warn(`Error: ${validation.errors[0]?.message ?? ""}\n`);
    // There was no recipe to look at.
    if (format === "table") return validation.exitCode;
  }
  output.print(
    format === "table"
      ? validationTable(validation, isVerbose)
      : documentText(validationDocument(validation), format),
  );
  return validation.exitCode;
}

function validationDocument({ isValid, errors, warnings, name }: Validation): unknown {
  const located = (severity: string) => (problem: Validation["errors"][number]) => ({ severity, ...problem });
  return {
    valid: isValid,
    errors: errors.map(error => error.message),
    warnings: warnings.map(warning => warning.message),
    ...(name === undefined ? {} : { recipe_name: name }),
    problems: [...errors.map(located("error")), ...warnings.map(located("warning"))],
  };
}

function validationTable(validation: Validation, isVerbose: boolean): string {
  const { isValid, errors, warnings, sources } = validation;
  const section = (title: string, problems: Validation["errors"]): readonly string[] =>
    problems.length === 0
      ? []
      : ["", `${title}:`, ...problems.flatMap(problem => problemLines(problem, sources, "  • ", "    "))];
  return [
    isValid ? "✓ Recipe is valid" : "✗ Recipe is invalid",
    ...(isValid ? [`  Name: ${validation.name}`] : []),
    ...(isValid && isVerbose
      ? [`  Description: ${(validation.description ?? "").trim()}`, `  Steps: ${validation.stepCount}`]
      : []),
    ...section("Errors", errors),
    ...section("Warnings", warnings),
    "",
  ].join("\n");
}
