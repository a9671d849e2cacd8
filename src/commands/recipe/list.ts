import { defineCommand, option } from "../../cli/index.ts";
import { loadPrintRecipeList } from "../../recipes/index.ts";
import { FORMAT, outputOf, SEARCH_OPTIONS, searchOf } from "./options.ts";

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
    const { printRecipeList } = await loadPrintRecipeList();
    return printRecipeList(
      {
        directory: positionals[0],
        ...searchOf(options),
        tags: options.tag,
        isVerbose: options.verbose,
        format: options.format,
      },
      outputOf(invocation),
    );
  },
});
