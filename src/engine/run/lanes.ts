import { diagnose } from "../../handlers/index.ts";
import { type Contribution, defined, type Effect, type Run } from "../../protocol/index.ts";
import type { CancelSignal } from "../cancel-signal.ts";
import { notify } from "../context.ts";
import type { AsyncReport, Dialect, DispatchOptions } from "../options.ts";
import { type HandlerOutcome, runHandler } from "./handler.ts";
import type { HandlerSelection, PlannedStep } from "./handler-selection.ts";
import type { DispatchContext } from "./invocation.ts";

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
