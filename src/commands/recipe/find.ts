import { defineCommand, option } from "../../cli/index.ts";
import { loadPrintRecipes } from "../../recipes/index.ts";
import { FORMAT, RECIPE, SEARCH_OPTIONS, STRICT, toCommandOutput, toSearchOptions } from "./options.ts";

export const listCommand = defineCommand({
  name: "list",
  summary: "list the recipes that can be run by name",
  positionals: [
    {
      name: "DIR",
      summary: "list only the recipes in this directory",
      isOptional: true,
      completes: "directory",
    },
  ],
  options: {
    ...SEARCH_OPTIONS,
    tag: option.string("TAG", "only recipes with this tag", { short: "t", isRepeatable: true }),
    verbose: option.boolean("also version, author, number of steps, file", { short: "v" }),
    format: FORMAT,
  },
  forAgents: "passes",
  examples: {
    "amplihack recipe list": "shows every recipe found, nearest first",
    "amplihack recipe list -t rewrite -v": "shows those with a tag, in detail",
  },
  async run(invocation) {
    const { options, positionals } = invocation;
    const { printRecipeList } = await loadPrintRecipes();
    return printRecipeList(
      {
        directory: positionals[0],
        ...toSearchOptions(options),
        tags: options.tag,
        isVerbose: options.verbose,
        format: options.format,
      },
      toCommandOutput(invocation),
    );
  },
});

export const showCommand = defineCommand({
  name: "show",
  summary: "show a recipe: its steps, variables, and how they hang together",
  positionals: [RECIPE],
  options: {
    format: FORMAT,
    graph: option.boolean("draw the steps as a graph"),
    "no-steps": option.boolean("leave out the steps"),
    "no-context": option.boolean("leave out the variables"),
    ...SEARCH_OPTIONS,
  },
  forAgents: "passes",
  examples: {
    "amplihack recipe show hello --graph": "draws steps, conditions and groups",
    "amplihack recipe show hello -f json": "prints the recipe as one object",
  },
  async run(invocation) {
    const { options, positionals } = invocation;
    const { printRecipe } = await loadPrintRecipes();
    return printRecipe(
      {
        recipe: positionals[0] ?? "",
        ...toSearchOptions(options),
        isGraph: options.graph,
        hasSteps: !options["no-steps"],
        hasContext: !options["no-context"],
        format: options.format,
      },
      toCommandOutput(invocation),
    );
  },
});

export const validateCommand = defineCommand({
  name: "validate",
  summary: "check a recipe without running it",
  positionals: [RECIPE],
  options: {
    verbose: option.boolean("also description and number of steps", { short: "v" }),
    strict: STRICT,
    format: FORMAT,
    ...SEARCH_OPTIONS,
  },
  forAgents: "passes",
  examples: {
    "amplihack recipe validate ./deploy.yaml": "points at every error, with line and column",
    "amplihack recipe validate deploy --strict": "also fails on warnings, for use in CI",
  },
  async run(invocation) {
    const { options, positionals } = invocation;
    const { printValidation } = await loadPrintRecipes();
    return printValidation(
      {
        recipe: positionals[0] ?? "",
        ...toSearchOptions(options),
        isStrict: options.strict,
        isVerbose: options.verbose,
        format: options.format,
      },
      toCommandOutput(invocation),
    );
  },
});
