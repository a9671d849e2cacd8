import { defineCommand, option } from "../../cli/index.ts";
import { loadPrintRecipes } from "../../recipes/index.ts";
import { FORMAT, outputOf, RECIPE, SEARCH_OPTIONS, searchOf } from "./options.ts";

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
        ...searchOf(options),
        isGraph: options.graph,
        hasSteps: !options["no-steps"],
        hasContext: !options["no-context"],
        format: options.format,
      },
      outputOf(invocation),
    );
  },
});
