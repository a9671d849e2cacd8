import { resolve } from "../../system/index.ts";
import { isDirectory } from "../find/look.ts";
import { failure, type StepOutcome, type StepTask } from "../run/run.ts";
import { ShellNestingError } from "../shell-text/render-shell.ts";
import { describeMissing, renderTemplate } from "../values/template.ts";
import {
  type Execution,
  effectiveTimeout,
  executeProcess,
  failureText,
  MAX_OUTPUT_BYTES,
} from "./execute-process.ts";
import { type PreparedShell, prepareShell } from "./prepare-shell.ts";
import { settleOutput, variablesAfterFailure } from "./settle-output.ts";

export async function runBashStep(task: StepTask): Promise<StepOutcome> {
  const { run, frame, step, context } = task;
  const place = stepDirectory(task);
  if (!place.exists)
    return failure("prepare", `Working directory does not exist: ${place.directory}`, {
      warnings: place.warnings,
    });
  let shell: PreparedShell;
  try {
    shell = prepareShell(run, context, step.command ?? "", { AMPLIHACK_STEP_ID: step.id });
  } catch (error) {
    if (!(error instanceof ShellNestingError)) throw error;
    return failure("prepare", error.message, { warnings: place.warnings });
  }
  const timeoutSeconds = effectiveTimeout(run, frame, bashTimeout(task));
  let execution: Execution;
  try {
    execution = await executeProcess(run, task.reference, {
      isShell: true,
      argv: shell.argv,
      cwd: place.directory,
      env: shell.env,
      timeoutSeconds,
    });
  } finally {
    shell.dispose();
  }
  const output = execution.stdout.trimEnd();
  const common = {
    ...executionReport(execution),
    warnings: [...place.warnings, ...shell.warnings, ...cutWarning(execution)],
  };
  const error = failureText(run, execution, "Command", timeoutSeconds);
  if (error !== undefined) {
    return failure("execute", error, { ...common, output, variables: variablesAfterFailure(step, output) });
  }
  return { ...common, ...settleOutput(step, output) };
}

function bashTimeout({ run, frame, step }: StepTask): number | undefined {
  return run.stepTimeoutSeconds ?? step.timeoutSeconds ?? frame.loaded.recipe.defaultStepTimeout;
}

/** What every executed program tells about itself. */
export function executionReport(
  execution: Execution,
): Pick<StepOutcome, "exitCode" | "isTimedOut" | "recentStdout" | "recentStderr"> {
  const { end, recentStdout, recentStderr } = execution;
  return {
    exitCode: end.kind === "exit" ? end.code : undefined,
    isTimedOut: end.kind === "timeout",
    recentStdout,
    recentStderr,
  };
}

export function cutWarning({ isStdoutCut }: Execution): readonly string[] {
  return isStdoutCut ? [`Output was longer than ${MAX_OUTPUT_BYTES} bytes; the rest was cut off`] : [];
}

/** Where a step runs. */
export function stepDirectory({ run, step, context }: StepTask): {
  readonly directory: string;
  readonly exists: boolean;
  readonly warnings: readonly string[];
} {
  if (step.workingDir === undefined) {
    return { directory: run.workingDir, exists: isDirectory(run.system.files, run.workingDir), warnings: [] };
  }
  const rendered = renderTemplate(step.workingDir, context);
  const directory = resolve(run.workingDir, rendered.value);
  return {
    directory,
    exists: !directory.includes("\0") && isDirectory(run.system.files, directory),
    warnings: describeMissing(rendered.missing),
  };
}
