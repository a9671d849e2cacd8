import { type JsonObject, ownValue } from "../../protocol/index.ts";
import type { RecipeOutput, Step } from "../format/recipe.ts";
import { splitBlocks } from "../format/recipe.ts";
import { type FinishedStep, referenceTo, runStep, skippedResult, stepResult } from "../steps/run-step.ts";
import { checkContext, preflightMessage } from "../values/recipe-context.ts";
import { describeMissing, renderTemplate } from "../values/template.ts";
import { valueText } from "../values/value.ts";
import type { EndedStep } from "./progress-keeper.ts";
import { runStatus, type StepResult } from "./result.ts";
import type { FailedStep, Frame, FrameEnd, RecipeRun } from "./run.ts";

const MAX_PARALLEL = 50;
/** Stands in the results for the checks before the first step. */
const PREFLIGHT = { id: "preflight-validation", type: "bash", name: undefined } as const;

/** Runs the steps of one recipe in order, groups of parallel steps together, until the end or a fatal failure. */
export async function runFrame(run: RecipeRun, frame: Frame): Promise<FrameEnd> {
  const { recipe } = frame.loaded;
  const results: StepResult[] = [];
  const warnings: string[] = [];
  let isSuccess = true;
  let failed: FailedStep | undefined;

  const preflight = checkContext(run.system, recipe.contextValidation, frame.context, run.workingDir);
  warnings.push(...preflight.warnings);
  if (preflight.failures.length > 0) {
    const message = preflightMessage(recipe.name, preflight.failures);
    if (run.isDryRun) warnings.push(message);
    else {
      isSuccess = false;
      const result = failUnstarted(run, frame, PREFLIGHT, message);
      results.push(result);
      failed = { result, phase: "preflight", outcome: undefined };
    }
  }

  for (const block of isSuccess ? splitBlocks(recipe.steps) : []) {
    if (run.interruption.signal !== undefined) {
      isSuccess = false;
      break;
    }
    const finished = await runBlock(run, frame, block);
    results.push(...finished.map(({ result }) => result));
    const fatal = finished.find(step => step.isFatal);
    failed = fatal === undefined ? (failed ?? failureIn(finished)) : describeFailed(fatal);
    if (fatal === undefined) continue;
    isSuccess = false;
    break;
  }

  const isFlawed = frame.progress.isFlawed;
  const status = runStatus(results, isSuccess);
  const output =
    isSuccess && !run.isDryRun ? renderOutput(recipe.output, frame.context, warnings) : undefined;
  return {
    results,
    isSuccess,
    status: status === "SUCCESS" && isFlawed ? "PARTIAL" : status,
    assigned: frame.assigned,
    context: frame.context,
    output,
    warnings,
    failed,
  };
}

function failureIn(finished: readonly FinishedStep[]): FailedStep | undefined {
  const first = finished.find(({ result }) => result.status === "failed");
  return first === undefined ? undefined : describeFailed(first);
}

function describeFailed({ result, outcome }: FinishedStep): FailedStep {
  return { result, phase: outcome?.phase ?? "limit", outcome };
}

/**
 * All members see the context as it was; the order of the answers is the order of the steps. A step's end is recorded
 * before it is reported: a step whose end was shown or logged does not run again when a killed run is resumed.
 */
async function runBlock(
  run: RecipeRun,
  frame: Frame,
  block: readonly Step[],
): Promise<readonly FinishedStep[]> {
  const { context } = frame;
  const exceeding = countSteps(run, frame, block);
  if (exceeding !== undefined) return [exceeding];
  const isGroup = block.length > 1;
  const finished: FinishedStep[] = new Array(block.length);
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < block.length; index = next++) {
      const step = block[index] as Step;
      const end = await runStep(run, frame, step, context, child => runFrame(run, child));
      finished[index] = end;
      if (!isGroup) await commit(run, frame, finished);
      else if (end.isOver) await hold(run, frame, step, end);
      run.observe({ kind: "step_end", step: referenceTo(frame, step), result: end.result });
    }
  };
  await Promise.all(Array.from({ length: Math.min(block.length, MAX_PARALLEL) }, work));
  if (isGroup) await commit(run, frame, finished);
  return finished;
}

/** Counts a block before it starts; the first step beyond the limit fails and nothing of the block runs. */
function countSteps(run: RecipeRun, frame: Frame, block: readonly Step[]): FinishedStep | undefined {
  const { maxTotalSteps } = frame.limits;
  if (run.isDryRun) return undefined;
  const counted = block.filter(step => skippedResult(run, frame, step) === undefined);
  const exceeding = counted[Math.max(0, maxTotalSteps - run.counter.steps)];
  run.counter.steps += counted.length;
  if (exceeding === undefined) return undefined;
  const result = failUnstarted(run, frame, exceeding, `Total step limit (${maxTotalSteps}) exceeded`);
  return { result, variables: {}, isFatal: true, isOver: false };
}

/** A failure before anything of a step could start. */
function failUnstarted(
  run: RecipeRun,
  frame: Frame,
  step: Pick<Step, "id" | "type" | "name">,
  error: string,
): StepResult {
  const result = stepResult(step, 0, { status: "failed", error });
  run.observe({ kind: "step_end", step: referenceTo(frame, step), result });
  return result;
}

/** A member of a group that is over is remembered at once, and set into the context with the whole group. */
async function hold(run: RecipeRun, frame: Frame, step: Step, end: FinishedStep): Promise<void> {
  const { progress } = frame;
  if (run.isDryRun || Object.hasOwn(progress.held, step.id)) return;
  progress.held = { ...progress.held, [step.id]: end.variables };
  progress.children.delete(step.id);
  progress.isFlawed ||= isFlawed(end);
  await run.progress.save([endedStep(frame, end)]);
}

async function commit(run: RecipeRun, frame: Frame, finished: readonly FinishedStep[]): Promise<void> {
  const { progress } = frame;
  let { context, assigned } = frame;
  const over: FinishedStep[] = [];
  for (const end of finished) {
    const { result, variables, isOver } = end;
    if (Object.keys(variables).length > 0) {
      context = { ...context, ...variables };
      assigned = { ...assigned, ...variables };
    }
    if (isOver && !progress.completed.includes(result.step_id)) over.push(end);
  }
  frame.context = context;
  frame.assigned = assigned;
  if (run.isDryRun || over.length === 0) return;
  const ids = over.map(({ result }) => result.step_id);
  progress.completed = [...progress.completed, ...ids];
  progress.context = context;
  progress.assigned = assigned;
  progress.held = {};
  for (const id of ids) progress.children.delete(id);
  progress.isFlawed ||= finished.some(isFlawed);
  await run.progress.save(over.map(end => endedStep(frame, end)));
}

function endedStep({ pathPrefix }: Frame, { result }: FinishedStep): EndedStep {
  return { path: pathPrefix + result.step_id, result };
}

function isFlawed({ result, isOver }: FinishedStep): boolean {
  return isOver && runStatus([result], true) === "PARTIAL";
}

function renderOutput(
  output: RecipeOutput | undefined,
  context: JsonObject,
  warnings: string[],
): string | undefined {
  if (output === undefined) return undefined;
  if (output.kind === "variable") {
    const value = ownValue(context, output.name);
    if (value === undefined) warnings.push(`output: there is no variable '${output.name}'`);
    return valueText(value);
  }
  const rendered = renderTemplate(output.template, context);
  warnings.push(...describeMissing(rendered.missing));
  return rendered.value;
}
