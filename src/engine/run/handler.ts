import {
  applyFailure,
  endFacts,
  failed,
  failureOf,
  type HandlerSpec,
  type HandlerVerdict,
  interpretAtomcodeJson,
  interpretClaude,
  type RawResult,
  runStatusOf,
} from "../../handlers/index.ts";
import type { Effect, Run } from "../../protocol/index.ts";
import type { CancelSignal } from "../cancel-signal.ts";
import { interpretAtomcode } from "../output/atomcode.ts";
import { interpretBatuta } from "../output/batuta.ts";
import { interpretModel } from "../output/model.ts";
import { type CommandResult, runCommand } from "./command.ts";
import { runMcpTool, runModel } from "./delegate.ts";
import type { PlannedStep } from "./handler-selection.ts";
import { runHttp } from "./http.ts";
import { type DispatchContext, describeError, type Invocation } from "./invocation.ts";

/** One finished run of a configured handler. */
export interface HandlerOutcome {
  readonly effect: Effect;
  readonly run: Run;
  readonly failureCode: string | undefined;
  readonly queueMs: number | undefined;
  /** the handler went to the background: what it says in the end */
  readonly later?: Promise<HandlerOutcome>;
}

/** Runs a handler and interprets its result. Never rejects. */
export async function runHandler(
  context: DispatchContext,
  step: PlannedStep,
  cancel: CancelSignal,
  mayDetach: boolean,
): Promise<HandlerOutcome> {
  const { timers } = context.core;
  const begunMs = timers.nowMs();
  const invocation = { ...context, timeoutMs: step.timeoutMs, cancel };
  const { result, queueMs, later } = await execute(step.handler.spec, invocation, mayDetach);
  const finish = (raw: RawResult): Promise<HandlerOutcome> => conclude(context, step, raw, begunMs, queueMs);
  if (later === undefined) return finish(result);
  const run: Run = { hook: step.handler.spec.id, status: "async", durationMs: timers.nowMs() - begunMs };
  const outcome = later.then(raw => finish(withoutAnnouncement(raw)));
  return { effect: {}, run, failureCode: undefined, queueMs, later: outcome };
}

/** The line that announced the background is not part of the answer. */
function withoutAnnouncement(raw: RawResult): RawResult {
  const { text } = raw.stdout;
  const newline = text.indexOf("\n");
  return { ...raw, stdout: { ...raw.stdout, text: newline < 0 ? "" : text.slice(newline + 1) } };
}

/** Only commands wait for a slot. */
type Executed = Omit<CommandResult, "queueMs"> & { readonly queueMs: number | undefined };

async function execute(spec: HandlerSpec, invocation: Invocation, mayDetach: boolean): Promise<Executed> {
  const { action, problem } = spec;
  if (problem !== undefined) return { result: failed("handler-invalid", problem), queueMs: undefined };
  const unqueued = async (result: Promise<RawResult>): Promise<Executed> => ({
    result: await result,
    queueMs: undefined,
  });
  try {
    switch (action.kind) {
      case "command":
        return await runCommand(spec, action, invocation, mayDetach && spec.dialect === "claude");
      case "http":
        return await unqueued(runHttp(action, invocation));
      case "mcp_tool":
        return await unqueued(runMcpTool(action, invocation));
      case "prompt":
      case "agent":
        return await unqueued(runModel(action, invocation));
    }
  } catch (error) {
    return { result: failed("spawn-failed", describeError(error)), queueMs: undefined };
  }
}

async function conclude(
  context: DispatchContext,
  { handler, onFailure }: PlannedStep,
  raw: RawResult,
  begunMs: number,
  queueMs: number | undefined,
): Promise<HandlerOutcome> {
  const { spec } = handler;
  const verdict = await checkRewrite(context, interpret(context, spec, raw));
  const run: Run = {
    hook: spec.id,
    status: runStatusOf(verdict.effect, verdict.failure),
    durationMs: context.core.timers.nowMs() - begunMs - (queueMs ?? 0),
    ...endFacts(raw.end),
    ...(raw.stdout.isTruncated ? { truncated: true } : {}),
  };
  const effect = applyFailure(spec.id, verdict, onFailure, context.power);
  return { effect, run, failureCode: verdict.failure?.code, queueMs };
}

function interpret({ core, event }: DispatchContext, spec: HandlerSpec, raw: RawResult): HandlerVerdict {
  if (raw.end.kind === "aborted")
    return { effect: { diagnostics: raw.diagnostics }, failure: failureOf(raw.end) };
  const { action, dialect } = spec;
  const options = { event, limits: core.limits, promptNonZero: core.promptNonZero };
  if (action.kind === "prompt" || action.kind === "agent") return interpretModel(raw, options);
  switch (dialect) {
    case "claude":
      return interpretClaude(raw, options);
    case "batuta":
      return interpretBatuta(raw, options);
    case "atomcode":
      return interpretAtomcode(raw, options);
    case "atomcode-json":
      return interpretAtomcodeJson(raw, options);
  }
}

/** A new input that its tool would not accept is a failure of the handler that wrote it. */
async function checkRewrite(
  { core, tool }: DispatchContext,
  verdict: HandlerVerdict,
): Promise<HandlerVerdict> {
  const { input, ...rest } = verdict.effect;
  if (input === undefined || tool === undefined) return verdict;
  let problem: string;
  try {
    const checked = await core.tools.checkInput(tool, input);
    if (checked.ok) return verdict;
    problem = checked.problem;
  } catch (error) {
    problem = describeError(error);
  }
  const detail = `the new input of ${tool} does not fit: ${problem}`;
  return { effect: rest, failure: { code: "rewrite-invalid", detail } };
}
