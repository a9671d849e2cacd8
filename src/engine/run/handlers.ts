import {
  applyFailure,
  diagnose,
  endFacts,
  failed,
  type HandlerSpec,
  type HandlerVerdict,
  interpretAtomcodeJson,
  interpretClaude,
  type RawResult,
  toFailure,
  toRunStatus,
} from "../../handlers/index.ts";
import { type Contribution, defined, type Effect, type Run } from "../../protocol/index.ts";
import type { CancelSignal } from "../cancel-signal.ts";
import { notify } from "../context.ts";
import type { AsyncReport, Dialect, DispatchOptions } from "../options.ts";
import { interpretAtomcode, interpretBatuta, interpretModel } from "../output/dialects.ts";
import { describeError } from "../reply.ts";
import { type CommandResult, runCommand } from "./command.ts";
import { runHttp } from "./http.ts";
import { type DispatchContext, type HandlerInvocation, runMcpTool, runModel } from "./invocation.ts";
import type { HandlerSelection, PlannedStep } from "./select.ts";

/** Whether the first deny of a lane ends it. A lane of the claude dialect holds one handler. */
const ENDS_LANE: Readonly<Record<Dialect, (event: string) => boolean>> = {
  claude: () => false,
  batuta: () => true,
  atomcode: event => event === "PreToolUse" || event === "UserPromptSubmit",
  "atomcode-json": event => event === "PreToolUse",
};

/** Stage 1: the lanes of configured handlers at the same time, their results in fold order. */
export class HandlerLanes {
  private readonly context: DispatchContext;
  private readonly cancel: CancelSignal;
  private readonly onRun: DispatchOptions["onRun"];
  private readonly results = new Map<PlannedStep, Contribution>();

  constructor(context: DispatchContext, cancel: CancelSignal, onRun: DispatchOptions["onRun"]) {
    this.context = context;
    this.cancel = cancel;
    this.onRun = onRun;
  }

  async run({ steps, lanes, background, duplicates }: HandlerSelection): Promise<Contribution[]> {
    for (const step of background) this.startInBackground(step);
    await Promise.all(lanes.map(lane => this.runLane(lane)));
    const repeated = duplicates.map(({ kept, dropped }) => {
      const diagnostics = [diagnose("deduplicated", `${dropped} is the same handler and ran as this one`)];
      return { hook: kept, effect: { diagnostics } };
    });
    return [...repeated, ...steps.flatMap(step => this.results.get(step) ?? [])];
  }

  private async runLane(lane: readonly PlannedStep[]): Promise<void> {
    let isOver = false;
    for (const step of lane) {
      const { id, dialect } = step.handler.spec;
      if (isOver) this.keep(step, {}, { hook: id, status: "skipped", durationMs: 0 });
      else {
        const effect = await this.runStep(step);
        isOver = effect.decision?.kind === "deny" && ENDS_LANE[dialect](this.context.event.name);
      }
    }
  }

  private async runStep(step: PlannedStep): Promise<Effect> {
    this.onRun?.({ hook: step.handler.spec.id, status: "started" });
    const mayDetach = this.context.event.name !== "SessionEnd";
    const { effect, run, later } = await this.observed(step, this.cancel, mayDetach);
    this.keep(step, effect, run);
    if (later !== undefined)
      this.context.core.background.adopt(later.then(outcome => this.deliver(step, outcome)));
    return effect;
  }

  private keep(step: PlannedStep, effect: Effect, run: Run): void {
    this.results.set(step, { hook: step.handler.spec.id, effect, run });
    this.onRun?.(run);
  }

  /** It decides nothing; what it says goes to the host when it is done. */
  private startInBackground(step: PlannedStep): void {
    const { background, closing } = this.context.core;
    this.keep(step, {}, { hook: step.handler.spec.id, status: "async", durationMs: 0 });
    background.add(async () => this.deliver(step, await this.observed(step, closing, false)));
  }

  private observed(step: PlannedStep, cancel: CancelSignal, mayDetach: boolean): Promise<HandlerOutcome> {
    const { recorder } = this.context.core;
    const work = () => runHandler(this.context, step, cancel, mayDetach);
    if (recorder === undefined) return work();
    const { id, action, dialect, source } = step.handler.spec;
    const facts = { id, kind: action.kind, dialect, source: source.kind, timeoutMs: step.timeoutMs };
    return recorder.run(facts, span =>
      work().then(outcome => {
        const { run, failureCode, queueMs, effect } = outcome;
        const isRewrite = effect.input !== undefined || effect.output !== undefined;
        const { diagnostics = [] } = effect;
        recorder.endRun(span, { run, failureCode, queueMs, isRewrite, diagnostics });
        return outcome;
      }),
    );
  }

  private deliver({ handler }: PlannedStep, { effect, run, failureCode }: HandlerOutcome): void {
    const { core } = this.context;
    const { onAsync, closing } = core;
    if (onAsync === undefined || closing.isRaised || run.status === "aborted") return;
    const { id, rewakes } = handler.spec;
    const reason = effect.decision?.kind === "deny" ? (effect.decision.reason ?? "") : undefined;
    const isWaking = rewakes && run.exitCode === 2 && reason !== undefined;
    const failure =
      failureCode === undefined ? undefined : `the hook failed in the background: ${failureCode}`;
    const message = effect.message?.text ?? failure ?? (isWaking ? undefined : reason);
    const rewake = isWaking ? reason : undefined;
    const report: AsyncReport = { hook: id, ...defined({ context: effect.context, message, rewake }) };
    if (Object.keys(report).length > 1) notify(core, () => onAsync(report));
  }
}

/** One finished run of a configured handler. */
interface HandlerOutcome {
  readonly effect: Effect;
  readonly run: Run;
  readonly failureCode: string | undefined;
  readonly queueMs: number | undefined;
  /** the handler went to the background: what it says in the end */
  readonly later?: Promise<HandlerOutcome>;
}

/** Runs a handler and interprets its result. Never rejects. */
async function runHandler(
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

async function execute(
  spec: HandlerSpec,
  invocation: HandlerInvocation,
  mayDetach: boolean,
): Promise<Executed> {
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
    status: toRunStatus(verdict.effect, verdict.failure),
    durationMs: context.core.timers.nowMs() - begunMs - (queueMs ?? 0),
    ...endFacts(raw.end),
    ...(raw.stdout.isTruncated ? { truncated: true } : {}),
  };
  const effect = applyFailure(spec.id, verdict, onFailure, context.power);
  return { effect, run, failureCode: verdict.failure?.code, queueMs };
}

function interpret({ core, event }: DispatchContext, spec: HandlerSpec, raw: RawResult): HandlerVerdict {
  if (raw.end.kind === "aborted")
    return { effect: { diagnostics: raw.diagnostics }, failure: toFailure(raw.end) };
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
  const detail = `the new input of ${tool} is not valid: ${problem}`;
  return { effect: rest, failure: { code: "rewrite-invalid", detail } };
}
