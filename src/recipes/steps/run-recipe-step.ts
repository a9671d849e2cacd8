import { defined, type JsonObject } from "../../protocol/index.ts";
import { findSubRecipe, listSearched } from "../find/find-recipe.ts";
import { findShadowed, type LoadedRecipe, loadRecipe, shadowRefusal } from "../find/load-recipe.ts";
import { type FrameProgress, newProgress } from "../run/progress-keeper.ts";
import type { StepResult, SubResult } from "../run/result.ts";
import { type Frame, type FrameEnd, failure, type StepOutcome, type StepTask } from "../run/run.ts";
import { describeMissing, renderValue } from "../values/template.ts";
import { effectiveTimeout } from "./execute-process.ts";
import { isAsShown, notAsShown } from "./guard-step.ts";
import { askAgent } from "./run-agent-step.ts";
import { stepDirectory } from "./run-bash-step.ts";
import { settleOutput, variablesAfterFailure } from "./settle-output.ts";

/** Runs a sub-recipe; `runFrame` is given because recipes and steps contain each other. */
export async function runRecipeStep(
  task: StepTask,
  runFrame: (frame: Frame) => Promise<FrameEnd>,
): Promise<StepOutcome> {
  const { run, frame, step } = task;
  const name = step.recipe ?? "";
  if (frame.depth >= frame.limits.maxDepth) {
    return failure(
      "prepare",
      `Maximum recipe recursion depth (${frame.limits.maxDepth}) exceeded. Check for circular recipe references.`,
    );
  }
  // Recipes that only call recipes wait for nothing: without a turn of the event loop no signal would be heard.
  await new Promise(resume => setImmediate(resume));
  if (run.interruption.signal !== undefined) {
    return failure("execute", `interrupted by ${run.interruption.signal}`);
  }
  const child = loadChild(task, name);
  if (typeof child === "string") return failure("prepare", child);

  const overrides = renderValue(step.subContext, task.context);
  const warnings = [...describeMissing(overrides.missing)];
  const context: JsonObject = {
    ...child.recipe.context,
    ...task.context,
    ...(overrides.value as JsonObject),
  };
  const { progress, warning } = childProgress(task, child, context);
  if (warning !== undefined) warnings.push(warning);
  const timeoutSeconds = recipeTimeout(task);
  const startedMs = run.system.clock.monotonicMs();
  const ownDeadline = timeoutSeconds === undefined ? undefined : startedMs + timeoutSeconds * 1000;
  const end = await runFrame({
    loaded: child,
    depth: frame.depth + 1,
    limits: {
      maxDepth: Math.min(frame.limits.maxDepth, child.recipe.recursion.maxDepth ?? frame.limits.maxDepth),
      maxTotalSteps: Math.min(
        frame.limits.maxTotalSteps,
        child.recipe.recursion.maxTotalSteps ?? frame.limits.maxTotalSteps,
      ),
    },
    pathPrefix: `${task.reference.path}/`,
    deadlineMs: earlier(frame.deadlineMs, ownDeadline),
    context: progress.context,
    assigned: progress.assigned,
    progress,
  });
  const isTimedOut = ownDeadline !== undefined && run.system.clock.monotonicMs() >= ownDeadline;
  const outcome = toOutcome(task, child.recipe.name, end, isTimedOut ? timeoutSeconds : undefined);
  const finished = { ...outcome, warnings: [...warnings, ...end.warnings] };
  const isRecoverable = !end.isSuccess && !isTimedOut && run.interruption.signal === undefined;
  return step.recoveryOnFailure && isRecoverable ? recover(task, finished) : finished;
}

function toOutcome(
  { run, step }: StepTask,
  childName: string,
  end: FrameEnd,
  timedOutAfter: number | undefined,
): StepOutcome {
  const subResult: SubResult = {
    recipe_name: childName,
    success: end.isSuccess,
    status: end.status,
    step_results: end.results,
    ...defined({ output: end.output }),
  };
  if (end.isSuccess) {
    const settled = settleOutput(step, end.output ?? summarise(childName, end.results));
    return { ...settled, variables: { ...end.assigned, ...settled.variables }, warnings: [], subResult };
  }
  if (run.interruption.signal !== undefined)
    return failure("execute", `interrupted by ${run.interruption.signal}`, { subResult });
  const name = step.recipe ?? "";
  const summary = describeFailure(name, end.results);
  const isTimedOut = timedOutAfter !== undefined;
  const error = isTimedOut ? `Sub-recipe '${name}' timed out after ${timedOutAfter}s.\n${summary}` : summary;
  return failure("execute", error, {
    variables: variablesAfterFailure(step, error),
    subResult,
    isTimedOut,
  });
}

/** The sub-recipe, or why there is none. */
function loadChild({ run, frame }: StepTask, name: string): LoadedRecipe | string {
  const { system, search, topLevelFile } = run;
  const found = findSubRecipe(system, name, search, { file: frame.loaded.path, topLevelFile });
  if (found.kind === "bad-name") return `Sub-recipe name '${name}' is not allowed`;
  if (found.kind === "missing") {
    return `Sub-recipe '${name}' not found. Searched:\n${listSearched(system.files, found.searched)}`;
  }
  const shipped = findShadowed(system, name, found.path, search);
  if (shipped !== undefined) return shadowRefusal(name, found.path);
  const { loaded, errors } = loadRecipe(system, found.path, search, topLevelFile);
  if (loaded !== undefined)
    return isAsShown(run, loaded.path, loaded.fileSha256) ? loaded : notAsShown(loaded.path);
  return `Failed to parse sub-recipe '${name}': ${errors.map(error => error.message).join("; ")}`;
}

/** Where the sub-recipe starts: anew, or where a killed run left it. */
function childProgress(
  { run, frame, step }: StepTask,
  child: LoadedRecipe,
  context: JsonObject,
): { progress: FrameProgress; warning?: string } {
  const left = frame.progress.children.get(step.id);
  if (left !== undefined && left.sha256 === child.sha256) return { progress: left };
  const progress = newProgress(child.sha256, context);
  if (!run.isDryRun) frame.progress.children.set(step.id, progress);
  if (left === undefined) return { progress };
  return {
    progress,
    warning: `Sub-recipe '${step.recipe}' has changed since the checkpoint; it starts over`,
  };
}

function recipeTimeout({ run, step }: StepTask): number | undefined {
  const own = step.timeoutSeconds === undefined ? undefined : (run.stepTimeoutSeconds ?? step.timeoutSeconds);
  return own === 0 ? undefined : own;
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}

function summarise(name: string, results: readonly StepResult[]): string {
  return [
    `Recipe '${name}': SUCCESS`,
    ...results.map(result => `  [${result.status}] ${result.step_id}`),
  ].join("\n");
}

function describeFailure(name: string, results: readonly StepResult[]): string {
  const failed = results.filter(result => result.status === "failed");
  const completed = results.filter(result => result.status === "completed" || result.status === "degraded");
  return [
    `Sub-recipe '${name}' failed.`,
    "Failed steps:",
    ...failed.map(result => `- ${result.step_id} [error]: ${result.error}`),
    `Completed steps: ${completed.map(result => result.step_id).join(", ")}`,
  ].join("\n");
}

/** One agent run with the failure; it counts as recovered only if the agent says so in the agreed words. */
async function recover(task: StepTask, failed: StepOutcome): Promise<StepOutcome> {
  const { run, frame, step } = task;
  const answer = await askAgent(run, task.reference, {
    prompt: [
      "A sub-recipe has failed. Find out why, repair it, and finish what it was meant to do.",
      failed.error,
      "When everything it was meant to do is done, end your answer with the line: STATUS: COMPLETE",
      "Otherwise say what is missing and end with the line: STATUS: INCOMPLETE",
    ].join("\n\n"),
    systemPrompt: "You are repairing one failed step of a recipe. Do not start another workflow or recipe.",
    directory: stepDirectory(task).directory,
    model: step.model,
    timeoutSeconds: effectiveTimeout(run, frame, run.stepTimeoutSeconds ?? step.timeoutSeconds),
  });
  const lastLine = answer.text
    .split("\n")
    .map(line => line.trim())
    .filter(Boolean)
    .at(-1);
  if (answer.error === undefined && lastLine === "STATUS: COMPLETE") {
    const settled = settleOutput(step, answer.text);
    return {
      ...settled,
      warnings: [...failed.warnings, `Sub-recipe '${step.recipe}' failed and was recovered by the agent`],
      ...defined({ subResult: failed.subResult }),
    };
  }
  const why = answer.error ?? "the agent did not report completion";
  return { ...failed, error: `${failed.error}\nRecovery did not succeed: ${why}` };
}
