import { type CommandInvocation, type OptionValues, option } from "../../cli/index.ts";
import type { CommandOutput, RunRequest } from "../../recipes/index.ts";

export const FORMAT = option.choice(["table", "json", "yaml"], "how to print the result", {
  short: "f",
  synonyms: { text: "table" },
  initial: "table",
});

export const SEARCH_OPTIONS = {
  "recipe-dir": option.string("DIR", "look for recipes here first", { short: "R", isRepeatable: true }),
  "working-dir": option.string("DIR", "directory to work in", { short: "w" }),
  cd: option.string("DIR", "the same as --working-dir", { short: "C", isHidden: true }),
} as const;

const CONTEXT_OPTIONS = {
  context: option.string("KEY=VALUE", "set a variable", { short: "c", isRepeatable: true }),
  set: option.string("KEY=VALUE", "the same as --context", { isRepeatable: true, sameAs: "context" }),
  "context-file": option.string("FILE", "set variables from a JSON or YAML file"),
} as const;

export const STRICT = option.boolean("treat warnings about the recipe as errors");

/** How a recipe is run, here or by a worker. */
export const RUN_OPTIONS = {
  ...CONTEXT_OPTIONS,
  ...SEARCH_OPTIONS,
  "step-timeout": option.number("SECONDS", "replaces all timeouts; 0 switches them off"),
  "include-tags": option.string("A,B", "of steps with tags, run only those with one of these"),
  "exclude-tags": option.string("A,B", "leave out steps with these tags"),
  "agent-binary": option.string("AGENT", "agent for agent steps"),
  "auto-stage": option.boolean("stage all changes after each agent step"),
  strict: STRICT,
} as const;

export const RECIPE = { name: "RECIPE", summary: "name or path of a recipe", completes: "recipe" } as const;

export const QUEUED_RUN = { name: "RUN", summary: "its id, the beginning of it, or last" } as const;

export const NOT_FOUND_EXIT_CODE = 3;

export function toRunRequest(
  recipe: string | undefined,
  options: OptionValues<typeof RUN_OPTIONS>,
): RunRequest {
  return {
    recipe: recipe ?? "",
    contextPairs: options.context,
    contextFile: options["context-file"],
    ...toSearchOptions(options),
    stepTimeoutSeconds: options["step-timeout"],
    includeTags: tagsIn(options["include-tags"]),
    excludeTags: tagsIn(options["exclude-tags"]),
    agentBinary: options["agent-binary"],
    autoStage: options["auto-stage"],
    isStrict: options.strict,
  };
}

function tagsIn(list = ""): readonly string[] {
  return list
    .split(",")
    .map(tag => tag.trim())
    .filter(Boolean);
}

export function toSearchOptions(options: OptionValues<typeof SEARCH_OPTIONS>) {
  return { recipeDirs: options["recipe-dir"], workingDir: options["working-dir"] ?? options.cd };
}

export function toCommandOutput({
  system,
  terminal,
}: Pick<CommandInvocation, "system" | "terminal">): CommandOutput {
  const { print, warn, paint, columns } = terminal;
  return { system, print, warn, paint, columns };
}
