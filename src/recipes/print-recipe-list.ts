import { resolve } from "../system/index.ts";
import { count } from "../text/index.ts";
import { listRecipes } from "./find/list-recipes.ts";
import { isDirectory } from "./find/look.ts";
import { searchHere } from "./find/search-directories.ts";
import type { RecipePlace } from "./print-recipes.ts";
import { EXIT_CODES } from "./run/result.ts";
import type { CommandOutput } from "./run-in-terminal.ts";
import type { DocumentFormat } from "./views/document-text.ts";
import { jsonText } from "./views/json-text.ts";
import { recipeListDocument, recipeListTable } from "./views/list-view.ts";

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
    const { printFailure } = await import("./print-recipes.ts");
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
  const { documentText } = await import("./views/document-text.ts");
  return documentText(document, format);
}
