import { Buffer } from "node:buffer";
import type { JsonObject } from "../../protocol/index.ts";
import { join, quoteWord, resolve, type System } from "../../system/index.ts";
import { isDirectory } from "../find/find-recipe.ts";
import { failure, type RecipeRun, type StepOutcome, type StepTask } from "../run/run.ts";
import {
  CalculatedValueError,
  isCalculated,
  isPlainNumber,
  renderShell,
  ShellNestingError,
} from "../shell-text/render-shell.ts";
import { createMirror } from "../values/recipe-context.ts";
import { allotVariables, chooseVariables } from "../values/shell-variables.ts";
import { describeMissing, renderTemplate } from "../values/template.ts";
import { valueAtPath, valueText } from "../values/value.ts";
import {
  type Execution,
  effectiveTimeout,
  executeProcess,
  failureText,
  MAX_OUTPUT_BYTES,
} from "./execute-process.ts";
import { guardShell } from "./guard-step.ts";
import { settleOutput, variablesAfterFailure } from "./settle-output.ts";

/** A shell script with everything it needs to run; `dispose` removes its files. */
export interface PreparedShell {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** the script behind assignments of the recipe's values, as the guard reads it */
  readonly judged: string;
  readonly warnings: readonly string[];
  dispose(): void;
}

/** Fed by a socket and without `SHLVL`, bash takes itself for a remote shell and would read `~/.bashrc`. */
const BASH = ["/bin/bash", "--norc"] as const;
/** A longer script is given as a file. */
const SCRIPT_BYTES = 64 * 1024;

/** Renders shell text for a context. Throws `ShellNestingError` and `CalculatedValueError`. */
export function prepareShell(
  run: RecipeRun,
  context: JsonObject,
  source: string,
  stepVariables: Readonly<Record<string, string>>,
): PreparedShell {
  const { environment } = run;
  for (const warning of createMirror(context).warnings) run.warn(warning);
  const chooser = chooseVariables(context);
  const { script, uses } = renderShell(source, chooser.variableFor);
  for (const { path } of uses.filter(isCalculated))
    if (!isPlainNumber(valueText(valueAtPath(context, path.split(".")) ?? "")))
      throw new CalculatedValueError(path);
  const variables = allotVariables(context, chooser, {
    usedBytes: environment.bytes,
    argumentLimit: environment.argumentLimit,
    override: environment.budgetOverride,
  });
  const env: Record<string, string> = {
    ...environment.inherited,
    PATH: environment.pathFor(source),
    ...variables.exported,
  };
  for (const name of variables.removed) delete env[name];
  Object.assign(env, environment.engine, stepVariables);

  const files = new StepFiles(run);
  try {
    const loads = [...variables.deferred]
      .filter(([name]) => !Object.hasOwn(environment.engine, name) && !Object.hasOwn(stepVariables, name))
      .map(([name, value]) => `IFS= read -r -d '' ${name} <'${files.write(value)}' || :; `);
    if (loads.length > 0) env["AMPLIHACK_CONTEXT_FILE"] = files.write(JSON.stringify(context));
    const whole = loads.join("") + script;
    const isLong = Buffer.byteLength(whole) > SCRIPT_BYTES;
    return {
      argv: isLong ? [...BASH, files.write(whole)] : [...BASH, "-c", whole],
      env,
      judged: judgedText(script, variables.exported),
      warnings: describeMissing(variables.missing),
      dispose: () => files.removeAll(),
    };
  } catch (error) {
    files.removeAll();
    throw error;
  }
}

/** A longer value is left open: the guard takes a variable that nobody sets for anything. */
const MAX_JUDGED_VALUE = 4_096;

function judgedText(script: string, values: Readonly<Record<string, string>>): string {
  const assignments = Object.entries(values)
    .filter(([name, value]) => value.length <= MAX_JUDGED_VALUE && script.includes(name))
    .map(([name, value]) => `${name}=${quoteWord(value)}\n`);
  return assignments.join("") + script;
}

/** Private files that live as long as one step. */
class StepFiles {
  private readonly run: RecipeRun;
  private readonly paths: string[] = [];

  constructor(run: RecipeRun) {
    this.run = run;
  }

  write(content: string): string {
    const { system, runtimeRoot, counter } = this.run;
    const path = join(runtimeRoot, `.step-${++counter.files}`);
    system.files.append(path, system.text.encode(content), 0o600);
    this.paths.push(path);
    return path;
  }

  removeAll(): void {
    for (const path of this.paths) removeQuietly(this.run.system, path);
  }
}

function removeQuietly({ files }: System, path: string): void {
  try {
    files.remove(path);
  } catch {
    // The whole private directory goes at the end of the run; a leftover there is reported then.
  }
}

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
    if (!(error instanceof ShellNestingError || error instanceof CalculatedValueError)) throw error;
    return failure("prepare", error.message, { warnings: place.warnings });
  }
  const guarded = await guardShell(run, frame, { text: shell.judged, cwd: place.directory });
  if (guarded.refusal !== undefined) {
    shell.dispose();
    return failure("prepare", guarded.refusal, { warnings: place.warnings });
  }
  const timeoutSeconds = effectiveTimeout(run, frame, bashTimeout(task));
  const beganMs = run.system.clock.monotonicMs();
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
    await guarded.finish(run.system.clock.monotonicMs() - beganMs);
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
