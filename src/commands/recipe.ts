import { randomUUID } from "node:crypto";
import { defineCommand, defineFamily, type Invocation } from "../cli/command.ts";
import { usageError } from "../cli/errors.ts";
import { type OptionValues, option } from "../cli/option.ts";
import { FORMAT } from "./recipe/options.ts";
import { runsCommand } from "./recipe/runs.ts";

const SEARCH_OPTIONS = {
  "recipe-dir": option.string("DIR", "look for recipes here first", { short: "R", isRepeatable: true }),
  "working-dir": option.string("DIR", "directory to work in", { short: "w" }),
  cd: option.string("DIR", "the same as --working-dir", { short: "C", isHidden: true }),
} as const;
const STRICT = option.boolean("treat warnings about the recipe as errors");
const RECIPE = { name: "RECIPE", summary: "name or path of a recipe", completes: "recipe" } as const;

function searchOf(options: OptionValues<typeof SEARCH_OPTIONS>) {
  return { recipeDirs: options["recipe-dir"], workingDir: options["working-dir"] ?? options.cd };
}

function outputOf({ system, terminal }: Pick<Invocation, "system" | "terminal">) {
  const { print, warn, paint, columns } = terminal;
  return { system, print, warn, paint, columns };
}

function tagsIn(list = ""): readonly string[] {
  return list
    .split(",")
    .map(tag => tag.trim())
    .filter(Boolean);
}

const run = defineCommand({
  name: "run",
  summary: "run a recipe",
  positionals: [RECIPE],
  options: {
    context: option.string("KEY=VALUE", "set a variable", { short: "c", isRepeatable: true }),
    set: option.string("KEY=VALUE", "the same as --context", { isRepeatable: true, sameAs: "context" }),
    "context-file": option.string("FILE", "set variables from a JSON or YAML file"),
    "dry-run": option.boolean("check and show the steps, execute nothing"),
    verbose: option.boolean("also show what the steps print", { short: "v" }),
    format: FORMAT,
    ...SEARCH_OPTIONS,
    "step-timeout": option.number("SECONDS", "replaces the timeout of every step; 0 switches them off"),
    "include-tags": option.string("A,B", "of the tagged steps run only these"),
    "exclude-tags": option.string("A,B", "leave out steps with these tags"),
    "agent-binary": option.string("AGENT", "agent for agent steps"),
    "auto-stage": option.boolean("stage all changes after each agent step"),
    "no-auto-stage": option.boolean("do not; this is the default"),
    "audit-dir": option.string("DIR", "write one line per step to a new file there"),
    "no-context": option.boolean("leave the variables out of the result"),
    resume: option.string(
      "ID|last|FILE",
      "go on where an earlier run stopped; the beginning of its id will do",
    ),
    force: option.boolean("resume although the recipe has changed"),
    strict: STRICT,
    progress: option.boolean("not needed", { isHidden: true }),
  },
  examples: {
    "amplihack recipe run hello": "takes the tour of what a recipe can do",
    "amplihack recipe run investigate -c 'question=How does login work?'":
      "lets the active agent answer a question about this project",
    "amplihack recipe run quality-check --dry-run": "shows the steps without running them",
    "amplihack recipe run default-workflow --resume last":
      "goes on after a failure, leaving out what is done",
  },
  failureDocument: (error, words) => ({
    recipe_name: words.find(word => !word.startsWith("-")) ?? "",
    success: false,
    status: "ERROR",
    run_id: randomUUID(),
    step_results: [],
    duration: 0,
    error: error.message,
    error_kind: "bad_args",
  }),
  async run(invocation) {
    const { options, positionals, isQuiet } = invocation;
    if (options.progress) {
      throw usageError(
        "--progress is not an option: progress is already shown on stderr",
        "leave --progress out; --quiet silences it, --verbose shows more",
      );
    }
    const { runInTerminal } = await import("../recipes/run-in-terminal.ts");
    return runInTerminal(
      {
        recipe: positionals[0] ?? "",
        contextPairs: options.context,
        ...searchOf(options),
        isDryRun: options["dry-run"],
        includeTags: tagsIn(options["include-tags"]),
        excludeTags: tagsIn(options["exclude-tags"]),
        autoStage: options["auto-stage"] && !options["no-auto-stage"],
        hidesContext: options["no-context"],
        isForced: options.force,
        isStrict: options.strict,
        contextFile: options["context-file"],
        stepTimeoutSeconds: options["step-timeout"],
        agentBinary: options["agent-binary"],
        auditDir: options["audit-dir"],
        resume: options.resume,
        launcher: [process.execPath, process.argv[1] ?? "amplihack"],
      },
      { format: options.format, isVerbose: options.verbose, isQuiet },
      outputOf(invocation),
    );
  },
});

const list = defineCommand({
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
  examples: {
    "amplihack recipe list": "shows every recipe found, nearest first",
    "amplihack recipe list -t rewrite -v": "shows those with a tag, in detail",
  },
  async run(invocation) {
    const { options, positionals } = invocation;
    const { printRecipeList } = await import("../recipes/print-recipe-list.ts");
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

const show = defineCommand({
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
  examples: {
    "amplihack recipe show hello --graph": "draws steps, conditions and groups",
    "amplihack recipe show hello -f json": "prints the recipe as one object",
  },
  async run(invocation) {
    const { options, positionals } = invocation;
    const { printRecipe } = await import("../recipes/print-recipes.ts");
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

const validate = defineCommand({
  name: "validate",
  summary: "check a recipe without running it",
  positionals: [RECIPE],
  options: {
    verbose: option.boolean("also description and number of steps", { short: "v" }),
    strict: STRICT,
    format: FORMAT,
    ...SEARCH_OPTIONS,
  },
  examples: {
    "amplihack recipe validate ./deploy.yaml": "points at every error, with line and column",
    "amplihack recipe validate deploy --strict": "also fails on doubts, for use in CI",
  },
  async run(invocation) {
    const { options, positionals } = invocation;
    const { printValidation } = await import("../recipes/print-recipes.ts");
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

export const command = defineFamily({
  name: "recipe",
  summary: "run repeatable work: shell, agents and recipes in recipes",
  group: "Work",
  usageExitCode: 4,
  details:
    "Exit codes: 0 success, 1 the recipe failed, 2 invalid, 3 not found, 4 wrong usage, 128+n signal n.",
  examples: {
    "amplihack recipe list": "shows what can be run",
    "amplihack recipe run hello": "takes the tour",
  },
  subcommands: [run, list, show, validate, runsCommand],
});
