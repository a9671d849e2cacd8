import {
  type Contribution,
  type EventDescriptor,
  fold,
  type JsonObject,
  type Outcome,
  ownValue,
  type Power,
  powerOf,
  type Run,
} from "../protocol/index.ts";
import { type Core, notify } from "./core.ts";
import { diagnose } from "./diagnostics.ts";
import type { Interruption } from "./interruption.ts";
import { andThen } from "./maybe.ts";
import type { DispatchOptions } from "./options.ts";
import { EMPTY_SELECTION, type Plan, type Selection, selectFor } from "./plan.ts";
import { CallState } from "./run/call-state.ts";
import { FunctionLane } from "./run/functions.ts";
import { HandlerLanes } from "./run/lanes.ts";
import type { Handler } from "./source/load.ts";
import type { MaybePromise } from "./types.ts";

/** One event on its way to its hooks. */
export interface Moment {
  readonly event: EventDescriptor;
  readonly subject: string;
  readonly payload: JsonObject;
  readonly plan: Plan;
  readonly options: DispatchOptions;
  /** how many handlers of this event are not trusted, for telemetry */
  readonly refused: number;
}

/** Runs a plan and folds what its hooks say; synchronous as long as they are. Never throws. */
export function dispatchMoment(core: Core, moment: Moment): MaybePromise<Outcome> {
  const { recorder } = core;
  if (recorder === undefined) return new Dispatch(core, moment).run();
  const { event, plan, refused } = moment;
  // Where an event has no subject, hooks may still look at the prompt; that is payload and is not told.
  const subject = event.subject === undefined ? "" : moment.subject;
  const begunMs = core.seams.timers.nowMs();
  const matched = plan.functions.length + plan.handlers.length;
  return recorder.dispatch(event.name, subject, matched, refused, span =>
    andThen(new Dispatch(core, moment).run(), outcome => {
      recorder.endDispatch(span, event.name, outcome, core.seams.timers.nowMs() - begunMs);
      return outcome;
    }),
  );
}

/** The facts an `if` rule is tried on. */
export function conditionFacts(core: Core, payload: JsonObject, toolNames: readonly string[]) {
  const cwd = ownValue(payload, "cwd");
  return {
    toolNames,
    input: ownValue(payload, "tool_input"),
    cwd: typeof cwd === "string" ? cwd : core.projectDir,
    projectDir: core.projectDir,
    home: core.home,
  };
}

export function sessionOf(payload: JsonObject): string {
  return textOf(payload, "session_id");
}

function textOf(payload: JsonObject, name: string): string {
  const value = ownValue(payload, name);
  return typeof value === "string" ? value : "";
}

class Dispatch {
  private readonly core: Core;
  private readonly moment: Moment;
  private readonly power: Power;
  private readonly interruption: Interruption;
  private readonly names: readonly string[];
  private readonly onRun: DispatchOptions["onRun"];

  constructor(core: Core, moment: Moment) {
    const { event, payload, subject, options } = moment;
    this.core = core;
    this.moment = moment;
    this.power = powerOf(event, payload);
    this.interruption = core.closing.or(options.signal);
    this.names = event.requiresTool ? core.namesOf(event, subject) : [];
    const { onRun } = options;
    this.onRun = onRun === undefined ? undefined : run => notify(core, () => onRun(run));
  }

  run(): MaybePromise<Outcome> {
    const { event, payload, plan } = this.moment;
    const functions = plan.functions.filter(
      item => !item.isOnce || this.core.once.claim(sessionOf(payload), item.run),
    );
    if (functions.length === 0) return this.runConfigured(undefined);
    const state = new CallState(event, payload, this.names, this.core.tools);
    const lane = new FunctionLane(this.core, state, this.power, this.interruption, this.onRun);
    return andThen(lane.run(functions), () => this.runConfigured(lane));
  }

  private runConfigured(functions: FunctionLane | undefined): MaybePromise<Outcome> {
    const { event, plan } = this.moment;
    if (plan.handlers.length === 0) return this.conclude(functions, []);
    if (functions?.isRefused === true) return this.conclude(functions, this.idle(plan.handlers, "skipped"));
    if (this.interruption.isRaised) return this.conclude(functions, this.idle(plan.handlers, "aborted"));
    const payload = this.payloadAfter(functions);
    const selection = this.select(payload);
    const lanes = new HandlerLanes(this.core, {
      event,
      power: this.power,
      payload,
      tool: this.core.tools.find(this.names),
      interruption: this.interruption,
      onRun: this.onRun,
    });
    return lanes.run(selection).then(contributions => this.conclude(functions, contributions));
  }

  private select(payload: JsonObject): Selection {
    const { event, plan } = this.moment;
    if (plan.handlers.length === 0) return EMPTY_SELECTION;
    const facts = () => conditionFacts(this.core, payload, this.names);
    const claim = (handler: Handler) => this.core.once.claim(sessionOf(payload), handler.identity());
    return selectFor(plan, event, facts, claim);
  }

  /** What configured handlers read: the payload with the changes of the functions, and its event named. */
  private payloadAfter(functions: FunctionLane | undefined): JsonObject {
    const { event, payload } = this.moment;
    const state = functions?.state;
    return {
      hook_event_name: event.name,
      ...payload,
      ...(state?.isInputNew === true
        ? { tool_input: state.input, tool_input_original: state.originalInput }
        : {}),
      ...(state?.isResultNew === true ? { tool_response: state.result } : {}),
    };
  }

  /** Handlers that are not even started. */
  private idle(handlers: readonly Handler[], status: "skipped" | "aborted"): Contribution[] {
    return handlers.map(({ spec }) => {
      const run: Run = { hook: spec.id, status, durationMs: 0 };
      this.onRun?.(run);
      const diagnostics =
        status === "aborted" ? [diagnose("aborted", "the host gave up before it started")] : [];
      return { hook: spec.id, effect: diagnostics.length === 0 ? {} : { diagnostics }, run };
    });
  }

  private conclude(functions: FunctionLane | undefined, configured: readonly Contribution[]): Outcome {
    const { event, payload } = this.moment;
    const isInputReplaced = configured.some(({ effect }) => effect.input !== undefined);
    const contributions = [...(functions?.finished(isInputReplaced) ?? []), ...configured];
    const aborted = this.interruption.isRaised;
    const agent = `${event.name}\n${sessionOf(payload)}\n${textOf(payload, "agent_id")}`;
    const isHeldBack = this.power === "retry";
    const outcome = fold(contributions, {
      power: this.power,
      aborted,
      isStopCapReached: isHeldBack && this.core.stops.isCapReached(agent),
    });
    if (isHeldBack) this.core.stops.record(agent, outcome.decision.kind === "deny");
    if (event.name === "SessionEnd") this.core.once.forget(sessionOf(payload));
    return outcome;
  }
}
