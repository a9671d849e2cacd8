import { defineCommand, option } from "../../cli/index.ts";
import { loadPrintRecipes } from "../../recipes/index.ts";
import { FORMAT, outputOf, RECIPE, SEARCH_OPTIONS, STRICT, searchOf } from "./options.ts";

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
    "amplihack recipe validate deploy --strict": "also fails on doubts, for use in CI",
  },
  async run(invocation) {
    const { options, positionals } = invocation;
    const { printValidation } = await loadPrintRecipes();
    return printValidation(
      {
        recipe: positionals[0] ?? "",
        ...searchOf(options),
        isStrict: options.strict,
        isVerbose: options.verbose,
        format: options.format,
      },
      outputOf(invocation),
    );
  },
});
