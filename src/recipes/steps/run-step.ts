import { defined, errorText, type JsonObject, ownValue } from "../../protocol/index.ts";
import { evaluateCondition } from "../conditions/evaluate.ts";
import type { HookName, Step } from "../format/recipe.ts";
import type { StepReference } from "../logs/events.ts";
import { type StepPreview, type StepResult, type StepStatus, seconds } from "../run/result.ts";
import {
  type Frame,
  type FrameEnd,
  failure,
  type RecipeRun,
  type StepOutcome,
  type StepTask,
} from "../run/run.ts";
import { fillTemplate } from "../values/template.ts";
import { endText, executeProcess } from "./execute-process.ts";
import { guardShell } from "./guard-step.ts";
import { runAgentStep } from "./run-agent-step.ts";
import { type PreparedShell, prepareShell, runBashStep, stepDirectory } from "./run-bash-step.ts";
import { runRecipeStep } from "./run-recipe-step.ts";
import { wantsJson } from "./settle-output.ts";
import { clipBytes } from "./snippet.ts";

/** What a step would do. A value that an earlier step makes is not known yet: its placeholder stays. */
function previewStep(step: Step, { context, assigned }: Frame): StepPreview {
  const known: JsonObject = Object.fromEntries(
    Object.entries(context).filter(([name]) => !Object.hasOwn(assigned, name)),
  );
  const fill = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : fillTemplate(text, known);
  return defined({
    command: fill(step.command),
    agent: step.agent,
    prompt: fill(step.prompt),
    recipe: step.recipe,
    condition: step.condition,
    working_dir: fill(step.workingDir),
    output: step.output,
  });
}

const HOOK_TIMEOUT_SECONDS = 30;
/** An error text goes into an environment variable, which has its limits. */
const MAX_ERROR_BYTES = 32 * 1024;

/** Runs one hook of the recipe around a step, if it has it. A hook that fails is a warning, nothing more. */
async function runHook(task: StepTask, name: HookName, outcome?: StepOutcome): Promise<readonly string[]> {
  const { run, frame, step, context, reference } = task;
  const source = frame.loaded.recipe.hooks[name];
  if (source === undefined || source.trim() === "") return [];
  let shell: PreparedShell;
  try {
    shell = prepareShell(run, context, source, {
      AMPLIHACK_STEP_ID: step.id,
      ...(outcome === undefined
        ? {}
        : {
            AMPLIHACK_STEP_STATUS: outcome.status,
            AMPLIHACK_STEP_ERROR: clipBytes(outcome.error.replaceAll("\0", ""), MAX_ERROR_BYTES),
          }),
    });
  } catch (error) {
    return [`Hook '${name}' could not run: ${errorText(error)}`];
  }
  const guarded = await guardShell(run, frame, { text: shell.judged, cwd: run.workingDir });
  if (guarded.refusal !== undefined) {
    shell.dispose();
    return [`Hook '${name}' did not run. ${guarded.refusal}`];
  }
  const beganMs = run.system.clock.monotonicMs();
  try {
    const { end, stdout, stderr } = await executeProcess(run, reference, {
      isShell: true,
      argv: shell.argv,
      cwd: run.workingDir,
      env: shell.env,
      timeoutSeconds: HOOK_TIMEOUT_SECONDS,
    });
    const said = [stdout, stderr].filter(text => text !== "").join("");
    if (said !== "") run.observe({ kind: "notice", text: said.trimEnd(), isWarning: false });
    if (end.kind === "exit" && end.code === 0) return shell.warnings;
    const how = end.kind === "timeout" ? `timed out after ${HOOK_TIMEOUT_SECONDS}s` : endText(end);
    return [...shell.warnings, `Hook '${name}' failed (${how})`];
  } finally {
    shell.dispose();
    await guarded.finish(run.system.clock.monotonicMs() - beganMs);
  }
}

export interface FinishedStep {
  readonly result: StepResult;
  /** to be set into the context when the step is committed */
  readonly variables: JsonObject;
  /** ends the recipe */
  readonly isFatal: boolean;
  /** need not run again when the recipe is resumed */
  readonly isOver: boolean;
  /** how it went; absent when nothing was executed */
  readonly outcome?: StepOutcome;
}

const RESUMED = "skipped (resume from checkpoint)";

/** Runs one step, or finds out that it need not run. Its end is told by the caller, once it is recorded. */
export async function runStep(
  run: RecipeRun,
  frame: Frame,
  step: Step,
  context: JsonObject,
  runFrame: (frame: Frame) => Promise<FrameEnd>,
): Promise<FinishedStep> {
  const skipped = skippedResult(run, frame, step) ?? dryRunResult(run, frame, step);
  if (skipped !== undefined) return skipped;
  const decided = step.condition === undefined ? undefined : evaluateCondition(step.condition, context);
  if (decided?.ok === true && !decided.value) {
    const result = stepResult(step, 0, { status: "skipped" });
    return { result, variables: {}, isFatal: false, isOver: true };
  }
  const reference = referenceTo(frame, step);
  const task: StepTask = { run, frame, step, reference, context };
  const startedMs = run.system.clock.monotonicMs();
  run.observe({ kind: "step_start", step: reference });
  const beat = startHeartbeat(task, startedMs);
  try {
    const outcome =
      decided?.ok === false
        ? await reportFailure(task, failure("condition", `Condition error: ${decided.message}`))
        : await execute(task, runFrame);
    const elapsedMs = run.system.clock.monotonicMs() - startedMs;
    const result = stepResult(step, elapsedMs, outcome);
    const isFailed = outcome.status === "failed";
    const isInterrupted = run.interruption.signal !== undefined && isFailed;
    return {
      result,
      variables: outcome.variables,
      isFatal: isFailed && (!step.isNonFatal || isInterrupted),
      isOver: !isFailed || (step.isNonFatal && !isInterrupted),
      outcome,
    };
  } finally {
    clearInterval(beat);
  }
}

/** A step as observers know it. */
export function referenceTo(frame: Frame, step: Pick<Step, "id" | "type" | "name">): StepReference {
  const { id, type, name } = step;
  return { id, type, name, depth: frame.depth, path: frame.pathPrefix + id };
}

/** Steps left out without being looked at: done before a resume, or not wanted by their tags. */
export function skippedResult(run: RecipeRun, frame: Frame, step: Step): FinishedStep | undefined {
  const { completed, held, results } = frame.progress;
  const skip = (isOver: boolean, variables: JsonObject): FinishedStep => ({
    result:
      (isOver ? results?.get(step.id) : undefined) ??
      stepResult(step, 0, { status: "skipped", error: isOver ? RESUMED : "" }),
    variables,
    isFatal: false,
    isOver,
  });
  if (completed.includes(step.id)) return skip(true, {});
  const variables = ownValue(held, step.id);
  if (variables !== undefined && step.parallelGroup !== undefined) return skip(true, variables);
  const has = (tags: readonly string[]) => step.whenTags.some(tag => tags.includes(tag));
  if (step.whenTags.length === 0) return undefined;
  if (has(run.excludeTags) || (run.includeTags.length > 0 && !has(run.includeTags))) return skip(false, {});
  return undefined;
}

function dryRunResult(run: RecipeRun, frame: Frame, step: Step): FinishedStep | undefined {
  if (!run.isDryRun) return undefined;
  const output = wantsJson(step) ? JSON.stringify({ dry_run: true, step: step.id }) : "[dry run]";
  const result = stepResult(step, 0, { status: "skipped", output });
  return {
    result: { ...result, would_run: previewStep(step, frame) },
    variables: step.output === undefined ? {} : { [step.output]: "(dry-run)" },
    isFatal: false,
    isOver: true,
  };
}

async function execute(task: StepTask, runFrame: (frame: Frame) => Promise<FrameEnd>): Promise<StepOutcome> {
  const refused = await awaitApproval(task);
  if (refused !== undefined) return reportFailure(task, refused);
  const before = await runHook(task, "pre_step");
  const outcome = withWarnings(await attemptAgain(task, runFrame), before, "first");
  await keepArtifacts(task);
  if (outcome.status === "failed") return reportFailure(task, outcome);
  return withWarnings(outcome, await runHook(task, "post_step", outcome), "last");
}

/** Waits for a person where the step asks for one; undefined when it may run. */
async function awaitApproval({ run, step, context, reference }: StepTask): Promise<StepOutcome | undefined> {
  if (step.approval === undefined) return undefined;
  if (run.approve === undefined)
    return failure(
      "approval",
      "A person must approve this step: submit the recipe to a queue (amplihack recipe submit), where others can",
    );
  const question = fillTemplate(step.approval, context);
  run.observe({
    kind: "notice",
    text: `Waits for approval of '${reference.path}': ${question}`,
    isWarning: false,
  });
  const answer = await run.approve(reference, question);
  if (answer === undefined) return failure("approval", "interrupted while it waited for approval");
  run.observe({
    kind: "notice",
    text: `'${reference.path}' was ${answer.isApproved ? "approved" : "refused"} by ${answer.by}`,
    isWarning: false,
  });
  return answer.isApproved ? undefined : failure("approval", `Refused by ${answer.by}`);
}

/** Also of a step that failed: they may say why. */
async function keepArtifacts(task: StepTask): Promise<void> {
  const { run, step, context, reference } = task;
  if (run.keepFiles === undefined || step.artifacts.length === 0) return;
  const patterns = step.artifacts.map(name => fillTemplate(name, context));
  const problems = await run.keepFiles(reference, stepDirectory(task).directory, patterns);
  for (const problem of problems)
    run.observe({ kind: "notice", text: `Not kept of '${reference.path}': ${problem}`, isWarning: true });
}

const MAX_RETRY_DELAY_SECONDS = 600;

/** Only what ran and failed is tried again: what was refused stays refused. */
async function attemptAgain(
  task: StepTask,
  runFrame: (frame: Frame) => Promise<FrameEnd>,
): Promise<StepOutcome> {
  const { run, step, reference } = task;
  for (let tried = 0; ; tried++) {
    const outcome = await attempt(task, runFrame);
    const mayRetry = outcome.status === "failed" && outcome.phase === "execute" && tried < step.retries;
    if (!mayRetry || run.interruption.signal !== undefined) return outcome;
    const seconds = Math.min(step.retryDelaySeconds * 2 ** tried, MAX_RETRY_DELAY_SECONDS);
    run.observe({
      kind: "notice",
      text: `'${reference.path}' failed (${outcome.error}); attempt ${tried + 2} of ${step.retries + 1} in ${seconds} s`,
      isWarning: true,
    });
    await run.interruption.pause(seconds * 1000);
  }
}

async function attempt(task: StepTask, runFrame: (frame: Frame) => Promise<FrameEnd>): Promise<StepOutcome> {
  const { run, frame, step } = task;
  if (run.interruption.signal !== undefined) {
    return failure("execute", `interrupted by ${run.interruption.signal}`);
  }
  if (frame.deadlineMs !== undefined && run.system.clock.monotonicMs() >= frame.deadlineMs) {
    return failure("execute", "The time of the enclosing recipe step has run out", { isTimedOut: true });
  }
  try {
    if (step.type === "bash") return await runBashStep(task);
    return await (step.type === "agent" ? runAgentStep(task) : runRecipeStep(task, runFrame));
  } catch (error) {
    // A fault of one step must not take the report of all the others with it.
    return failure("internal", `Internal error: ${errorText(error)}`);
  }
}

async function reportFailure(task: StepTask, outcome: StepOutcome): Promise<StepOutcome> {
  if (task.run.interruption.signal !== undefined) return outcome;
  return withWarnings(outcome, await runHook(task, "on_error", outcome), "last");
}

function withWarnings(
  outcome: StepOutcome,
  warnings: readonly string[],
  where: "first" | "last",
): StepOutcome {
  if (warnings.length === 0) return outcome;
  const all = where === "first" ? [...warnings, ...outcome.warnings] : [...outcome.warnings, ...warnings];
  return { ...outcome, warnings: all };
}

function startHeartbeat({ run, reference }: StepTask, startedMs: number): NodeJS.Timeout | undefined {
  if (run.heartbeatSeconds <= 0) return undefined;
  const timer = setInterval(() => {
    run.observe({
      kind: "heartbeat",
      step: reference,
      elapsedMs: run.system.clock.monotonicMs() - startedMs,
    });
  }, run.heartbeatSeconds * 1000);
  timer.unref();
  return timer;
}

/** The members of a result that are always there, and those that have something to say. */
export function stepResult(
  step: Pick<Step, "id" | "type" | "name">,
  elapsedMs: number,
  outcome: Partial<Omit<StepOutcome, "status">> & { readonly status: StepStatus },
): StepResult {
  const { exitCode, warnings = [], recentStdout, recentStderr, subResult } = outcome;
  const isFailed = outcome.status === "failed";
  return {
    step_id: step.id,
    status: outcome.status,
    output: outcome.output ?? "",
    error: outcome.error ?? "",
    duration: seconds(elapsedMs),
    ...(step.name === undefined ? {} : { step_name: step.name }),
    step_type: step.type,
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
    ...(outcome.isTimedOut === true ? { timed_out: true as const } : {}),
    ...(warnings.length === 0 ? {} : { warnings: [...new Set(warnings)] }),
    ...(isFailed && recentStdout !== undefined ? { recent_stdout: recentStdout.lines } : {}),
    ...(isFailed && recentStderr !== undefined ? { recent_stderr: recentStderr.lines } : {}),
    ...(subResult === undefined ? {} : { sub_result: subResult }),
  };
}
