import { defineFamily } from "../cli/index.ts";
import { artifactsCommand } from "./recipe/artifacts.ts";
import { listCommand, showCommand, validateCommand } from "./recipe/find.ts";
import { approveCommand, resumeCommand } from "./recipe/resume.ts";
import { runCommand } from "./recipe/run.ts";
import { logsCommand, runsCommand } from "./recipe/runs.ts";
import { scheduleCommand } from "./recipe/schedule.ts";
import { cancelCommand, submitCommand } from "./recipe/submit.ts";
import { workerCommand } from "./recipe/worker.ts";

export const command = defineFamily({
  name: "recipe",
  summary: "run repeatable work: YAML files with steps for the shell and for agents",
  group: "Work",
  usageExitCode: 4,
  details:
    "Exit codes: 0 success, 1 the recipe failed, 2 invalid, 3 not found, 4 wrong usage, 128+n signal n.",
  examples: {
    "amplihack recipe list": "shows what can be run",
    "amplihack recipe run hello": "takes the tour",
  },
  subcommands: [
    runCommand,
    listCommand,
    showCommand,
    validateCommand,
    runsCommand,
    submitCommand,
    workerCommand,
    logsCommand,
    cancelCommand,
    resumeCommand,
    approveCommand,
    artifactsCommand,
    scheduleCommand,
  ],
});
