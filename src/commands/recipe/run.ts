import { randomUUID } from "node:crypto";
import { defineCommand, option, usageError } from "../../cli/index.ts";
import { loadRunInTerminal } from "../../recipes/index.ts";
import { FORMAT, RECIPE, RUN_OPTIONS, toCommandOutput, toRunRequest } from "./options.ts";

export const runCommand = defineCommand({
  name: "run",
  summary: "run a recipe",
  positionals: [RECIPE],
  options: {
    ...RUN_OPTIONS,
    "dry-run": option.boolean("check and show the steps, execute nothing"),
    verbose: option.boolean("also show what the steps print", { short: "v" }),
    format: FORMAT,
    "no-auto-stage": option.boolean("do not; this is the default"),
    "audit-dir": option.string("DIR", "write one line per step to a new file there"),
    "no-context": option.boolean("leave the variables out of the result"),
    resume: option.string(
      "ID|last|FILE",
      "go on where an earlier run stopped; the beginning of its id will do",
    ),
    force: option.boolean("resume although the recipe has changed"),
    progress: option.boolean("not needed", { isHidden: true }),
  },
  forAgents: { use: "asks", passesWith: ["dry-run"], runs: "recipe", runsFile: ["context-file", "resume"] },
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
    const { runInTerminal } = await loadRunInTerminal();
    return runInTerminal(
      {
        ...toRunRequest(positionals[0], options),
        isDryRun: options["dry-run"],
        autoStage: options["auto-stage"] && !options["no-auto-stage"],
        hidesContext: options["no-context"],
        isForced: options.force,
        auditDir: options["audit-dir"],
        resume: options.resume,
        launcher: [process.execPath, process.argv[1] ?? "amplihack"],
      },
      { format: options.format, isVerbose: options.verbose, isQuiet },
      toCommandOutput(invocation),
    );
  },
});
