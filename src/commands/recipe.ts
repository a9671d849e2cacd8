import { randomUUID } from "node:crypto";
import { defineCommand, defineFamily, type OptionSpec } from "../cli/command.ts";
import { usageError } from "../cli/errors.ts";

const USAGE_EXIT_CODE = 4;
const FORMAT = {
  kind: "choice",
  short: "f",
  summary: "how to print the result",
  choices: ["table", "json", "yaml"],
  synonyms: { text: "table" },
  initial: "table",
} as const satisfies OptionSpec;
const RECIPE_DIR = {
  kind: "string",
  short: "R",
  label: "DIR",
  summary: "look for recipes here first",
  isRepeatable: true,
} as const satisfies OptionSpec;
const WORKING_DIR = {
  kind: "string",
  short: "w",
  label: "DIR",
  summary: "directory to work in",
} as const satisfies OptionSpec;
const CHDIR = {
  kind: "string",
  short: "C",
  label: "DIR",
  summary: "the same as --working-dir",
  isHidden: true,
} as const satisfies OptionSpec;
const STRICT = { kind: "boolean", summary: "treat warnings about the recipe as errors" } as const;
const RECIPE = { name: "RECIPE", summary: "name or path of a recipe", completes: "recipe" } as const;

const run = defineCommand({
  name: "run",
  summary: "run a recipe",
  usageExitCode: USAGE_EXIT_CODE,
  positionals: [RECIPE],
  options: {
    context: {
      kind: "string",
      short: "c",
      label: "KEY=VALUE",
      summary: "set a variable",
      isRepeatable: true,
    },
    set: {
      kind: "string",
      label: "KEY=VALUE",
      summary: "the same as --context",
      isRepeatable: true,
      sameAs: "context",
    },
    "context-file": { kind: "string", label: "FILE", summary: "set variables from a JSON or YAML file" },
    "dry-run": { kind: "boolean", summary: "check and show the steps, execute nothing" },
    verbose: { kind: "boolean", short: "v", summary: "also show what the steps print" },
    format: FORMAT,
    "working-dir": WORKING_DIR,
    cd: CHDIR,
    "recipe-dir": RECIPE_DIR,
    "step-timeout": {
      kind: "number",
      label: "SECONDS",
      summary: "replaces the timeout of every step; 0 switches them off",
    },
    "include-tags": { kind: "string", label: "A,B", summary: "of the tagged steps run only these" },
    "exclude-tags": { kind: "string", label: "A,B", summary: "leave out steps with these tags" },
    "agent-binary": { kind: "string", label: "AGENT", summary: "agent for agent steps" },
    "auto-stage": { kind: "boolean", summary: "stage all changes after each agent step" },
    "no-auto-stage": { kind: "boolean", summary: "do not; this is the default" },
    "audit-dir": { kind: "string", label: "DIR", summary: "write one line per step to a new file there" },
    "no-context": { kind: "boolean", summary: "leave the variables out of the result" },
    resume: { kind: "string", label: "ID|FILE", summary: "go on where an earlier run stopped" },
    force: { kind: "boolean", summary: "resume although the recipe has changed" },
    strict: STRICT,
    progress: { kind: "boolean", summary: "not needed", isHidden: true },
  },
  examples: [
    { command: "amplihack recipe run hello", does: "takes the tour of what a recipe can do" },
    {
      command: "amplihack recipe run investigate -c 'question=How does login work?'",
      does: "lets the active agent answer a question about this project",
    },
    { command: "amplihack recipe run quality-check --dry-run", does: "shows the steps without running them" },
    {
      command: "amplihack recipe run default-workflow --resume 6f1c…",
      does: "goes on after a failure, leaving out what is done",
    },
  ],
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
  async run({ options, positionals, isQuiet, system, terminal }) {
    if (options.progress) {
      throw usageError(
        "--progress is not an option: progress is already shown on stderr",
        "leave --progress out; --quiet silences it, --verbose shows more",
        USAGE_EXIT_CODE,
      );
    }
    const { runInTerminal } = await import("../recipes/run-in-terminal.ts");
    const list = (text: string | undefined) =>
      text
        ?.split(",")
        .map(tag => tag.trim())
        .filter(Boolean) ?? [];
    return runInTerminal(
      {
        recipe: positionals[0] ?? "",
        contextPairs: options.context,
        recipeDirs: options["recipe-dir"],
        isDryRun: options["dry-run"],
        includeTags: list(options["include-tags"]),
        excludeTags: list(options["exclude-tags"]),
        autoStage: options["auto-stage"] && !options["no-auto-stage"],
        hidesContext: options["no-context"],
        isForced: options.force,
        isStrict: options.strict,
        contextFile: options["context-file"],
        workingDir: options["working-dir"] ?? options.cd,
        stepTimeoutSeconds: options["step-timeout"],
        agentBinary: options["agent-binary"],
        auditDir: options["audit-dir"],
        resume: options.resume,
        launcher: [process.execPath, process.argv[1] ?? "amplihack"],
      },
      { format: options.format, isVerbose: options.verbose, isQuiet },
      { system, print: text => terminal.print(text), warn: text => terminal.warn(text) },
    );
  },
});

const list = defineCommand({
  name: "list",
  summary: "list the recipes that can be run by name",
  usageExitCode: USAGE_EXIT_CODE,
  positionals: [
    {
      name: "DIR",
      summary: "list only the recipes in this directory",
      isOptional: true,
      completes: "directory",
    },
  ],
  options: {
    "recipe-dir": RECIPE_DIR,
    "working-dir": WORKING_DIR,
    cd: CHDIR,
    tag: {
      kind: "string",
      short: "t",
      label: "TAG",
      summary: "only recipes with this tag",
      isRepeatable: true,
    },
    verbose: { kind: "boolean", short: "v", summary: "also version, author, number of steps, file" },
    format: FORMAT,
  },
  examples: [
    { command: "amplihack recipe list", does: "shows every recipe found, nearest first" },
    { command: "amplihack recipe list -t rewrite -v", does: "shows those with a tag, in detail" },
  ],
  async run({ options, positionals, system, terminal }) {
    const { printRecipeList } = await import("../recipes/print-recipe-list.ts");
    return printRecipeList(
      {
        directory: positionals[0],
        workingDir: options["working-dir"] ?? options.cd,
        recipeDirs: options["recipe-dir"],
        tags: options.tag,
        isVerbose: options.verbose,
        format: options.format,
      },
      { system, print: text => terminal.print(text), warn: text => terminal.warn(text) },
    );
  },
});

const show = defineCommand({
  name: "show",
  summary: "show a recipe: its steps, variables, and how they hang together",
  usageExitCode: USAGE_EXIT_CODE,
  positionals: [RECIPE],
  options: {
    format: FORMAT,
    graph: { kind: "boolean", summary: "draw the steps as a graph" },
    "no-steps": { kind: "boolean", summary: "leave out the steps" },
    "no-context": { kind: "boolean", summary: "leave out the variables" },
    "recipe-dir": RECIPE_DIR,
    "working-dir": WORKING_DIR,
    cd: CHDIR,
  },
  examples: [
    { command: "amplihack recipe show hello --graph", does: "draws steps, conditions and groups" },
    { command: "amplihack recipe show hello -f json", does: "prints the recipe as one object" },
  ],
  async run({ options, positionals, system, terminal }) {
    const { printRecipe } = await import("../recipes/print-recipes.ts");
    return printRecipe(
      {
        recipe: positionals[0] ?? "",
        workingDir: options["working-dir"] ?? options.cd,
        recipeDirs: options["recipe-dir"],
        isGraph: options.graph,
        hasSteps: !options["no-steps"],
        hasContext: !options["no-context"],
        format: options.format,
      },
      { system, print: text => terminal.print(text), warn: text => terminal.warn(text) },
    );
  },
});

const validate = defineCommand({
  name: "validate",
  summary: "check a recipe without running it",
  usageExitCode: USAGE_EXIT_CODE,
  positionals: [RECIPE],
  options: {
    verbose: { kind: "boolean", short: "v", summary: "also description and number of steps" },
    strict: STRICT,
    format: FORMAT,
    "recipe-dir": RECIPE_DIR,
    "working-dir": WORKING_DIR,
    cd: CHDIR,
  },
  examples: [
    {
      command: "amplihack recipe validate ./deploy.yaml",
      does: "points at every error, with line and column",
    },
    { command: "amplihack recipe validate deploy --strict", does: "also fails on doubts, for use in CI" },
  ],
  async run({ options, positionals, system, terminal }) {
    const { printValidation } = await import("../recipes/print-recipes.ts");
    return printValidation(
      {
        recipe: positionals[0] ?? "",
        workingDir: options["working-dir"] ?? options.cd,
        recipeDirs: options["recipe-dir"],
        isStrict: options.strict,
        isVerbose: options.verbose,
        format: options.format,
      },
      { system, print: text => terminal.print(text), warn: text => terminal.warn(text) },
    );
  },
});

export const command = defineFamily({
  name: "recipe",
  summary: "run repeatable work: shell, agents and recipes in recipes",
  group: "Work",
  usageExitCode: USAGE_EXIT_CODE,
  details:
    "Exit codes: 0 success, 1 the recipe failed, 2 invalid, 3 not found, 4 wrong usage, 128+n signal n.",
  examples: [
    { command: "amplihack recipe list", does: "shows what can be run" },
    { command: "amplihack recipe run hello", does: "takes the tour" },
  ],
  subcommands: [run, list, show, validate],
});
