import type { Contribution, Effect, EventDescriptor, JsonObject, Power, Run } from "../../protocol/index.ts";
import { type Core, notify } from "../core.ts";
import { diagnose } from "../diagnostics.ts";
import type { Interruption } from "../interruption.ts";
import type { AsyncReport, Dialect, DispatchOptions } from "../options.ts";
import type { Selection, Step } from "../plan.ts";
import { type Finished, runHandler, type Setting } from "./handler.ts";

export interface LanesSetting {
  readonly event: EventDescriptor;
  readonly power: Power;
  readonly payload: JsonObject;
  readonly tool: string | undefined;
  readonly interruption: Interruption;
  readonly onRun: DispatchOptions["onRun"];
}

/** Whether the first deny of a lane ends it: always, on some events, or never because lanes hold one handler. */
const ENDS_LANE: Readonly<Record<Dialect, (event: string) => boolean>> = {
  claude: () => false,
  batuta: () => true,
  atomcode: event => event === "PreToolUse" || event === "UserPromptSubmit",
};

/** Stage 1: the lanes of configured handlers at the same time, their results in fold order. */
export class HandlerLanes {
  private readonly core: Core;
  private readonly setting: Setting;
  private readonly interruption: Interruption;
  private readonly onRun: DispatchOptions["onRun"];
  private readonly results = new Map<Step, Contribution>();

  constructor(core: Core, { interruption, onRun, ...given }: LanesSetting) {
    this.core = core;
    this.interruption = interruption;
    this.onRun = onRun;
    let text: string | undefined;
    this.setting = {
      ...given,
      payloadText() {
        text ??= JSON.stringify(given.payload);
        return text;
      },
    };
  }

  async run({ steps, lanes, background, duplicates }: Selection): Promise<Contribution[]> {
    for (const step of background) this.startInBackground(step);
    await Promise.all(lanes.map(lane => this.runLane(lane)));
    const repeated = duplicates.map(({ kept, dropped }) => ({
      hook: kept,
      effect: {
        diagnostics: [diagnose("deduplicated", `${dropped} is the same handler and ran as this one`)],
      },
    }));
    return [...repeated, ...steps.flatMap(step => this.results.get(step) ?? [])];
  }

  private async runLane(lane: readonly Step[]): Promise<void> {
    let isOver = false;
    for (const step of lane) {
      const { id, dialect } = step.handler.spec;
      if (isOver) this.keep(step, {}, { hook: id, status: "skipped", durationMs: 0 });
      else {
        const { effect } = await this.runStep(step);
        isOver = effect.decision?.kind === "deny" && ENDS_LANE[dialect](this.setting.event.name);
      }
    }
  }

  private async runStep(step: Step): Promise<Finished> {
    const { id } = step.handler.spec;
    this.onRun?.({ hook: id, status: "started" });
    const mayDetach = this.setting.event.name !== "SessionEnd";
    const finished = await this.observed(step, this.interruption, mayDetach);
    this.keep(step, finished.effect, finished.run);
    if (finished.later !== undefined)
      this.core.background.adopt(finished.later.then(later => this.deliver(step, later)));
    return finished;
  }

  private keep(step: Step, effect: Effect, run: Run): void {
    this.results.set(step, { hook: step.handler.spec.id, effect, run });
    this.onRun?.(run);
  }

  /** Nobody waits for it and it decides nothing; what it has to say goes to the host when it is done. */
  private startInBackground(step: Step): void {
    this.keep(step, {}, { hook: step.handler.spec.id, status: "async", durationMs: 0 });
    this.core.background.add(async () => {
      const finished = await this.observed(step, this.core.closing, false);
      this.deliver(step, finished);
    });
  }

  private observed(step: Step, interruption: Interruption, mayDetach: boolean): Promise<Finished> {
    const { core, setting } = this;
    const work = () => runHandler(core, step, setting, interruption, mayDetach);
    const { recorder } = core;
    if (recorder === undefined) return work();
    const { id, action, dialect, source } = step.handler.spec;
    const facts = { id, kind: action.kind, dialect, source: source.kind, timeoutMs: step.timeoutMs };
    return recorder.run(facts, span =>
      work().then(finished => {
        const { run, failureCode, queueMs, effect } = finished;
        const isRewrite = effect.input !== undefined || effect.output !== undefined;
        recorder.endRun(span, {
          run,
          failureCode,
          queueMs,
          isRewrite,
          diagnostics: effect.diagnostics ?? [],
        });
        return finished;
      }),
    );
  }

  private deliver({ handler }: Step, { effect, run, failureCode }: Finished): void {
    const { onAsync, closing } = this.core;
    if (onAsync === undefined || closing.isRaised || run.status === "aborted") return;
    const { id, rewakes } = handler.spec;
    const reason = effect.decision?.kind === "deny" ? (effect.decision.reason ?? "") : undefined;
    const isWaking = rewakes && run.exitCode === 2 && reason !== undefined;
    const message = effect.message?.text ?? failureMessage(failureCode) ?? (isWaking ? undefined : reason);
    const report: AsyncReport = {
      hook: id,
      ...(effect.context === undefined ? {} : { context: effect.context }),
      ...(message === undefined ? {} : { message }),
      ...(isWaking ? { rewake: reason } : {}),
    };
    if (Object.keys(report).length > 1) notify(this.core, () => onAsync(report));
  }
}

function failureMessage(code: string | undefined): string | undefined {
  return code === undefined ? undefined : `the hook failed in the background: ${code}`;
}
