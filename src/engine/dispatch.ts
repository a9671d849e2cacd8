import { isWithheld, notStarted } from "../handlers/index.ts";
import {
  type Contribution,
  type EventDescriptor,
  fold,
  isSameJson,
  type JsonObject,
  type Outcome,
  type Power,
  powerOf,
  stringAt,
} from "../protocol/index.ts";
import type { CancelSignal } from "./cancel-signal.ts";
import { type EngineContext, notify } from "./context.ts";
import { andThen, type MaybePromise } from "./maybe.ts";
import type { DispatchOptions } from "./options.ts";
import type { HandlerPlan } from "./parts.ts";
import type { Plan, Silence } from "./plan.ts";
import { NO_REPLY } from "./reply.ts";
import { CallState, FunctionScope } from "./run/call-state.ts";
import { type BegunLane, FunctionLane, threw } from "./run/functions.ts";

/** One event with the plan of its hooks. */
interface DispatchRequest {
  readonly event: EventDescriptor;
  readonly subject: string;
  readonly payload: JsonObject;
  readonly plan: Plan;
  readonly options: DispatchOptions;
  /** how many handlers of this event are not trusted, for telemetry */
  readonly refused: number;
}

/** Runs a plan and folds what its hooks say; synchronous as long as they are. Never throws. */
export function runDispatch(core: EngineContext, request: DispatchRequest): MaybePromise<Outcome> {
  const { recorder } = core;
  if (recorder === undefined) return new Dispatch(core, request).run();
  const { event, plan, refused } = request;
  // Where an event has no subject, hooks may still look at the prompt; payload is not recorded.
  const subject = event.subject === undefined ? "" : request.subject;
  const begunMs = core.timers.nowMs();
  const matched = plan.functions.length + (plan.handlers?.ids.length ?? 0);
  return recorder.dispatch(event.name, subject, matched, refused, span =>
    andThen(new Dispatch(core, request).run(), outcome => {
      recorder.endDispatch(span, event.name, outcome, core.timers.nowMs() - begunMs);
      return outcome;
    }),
  );
}

/**
 * The outcome of functions that have nothing to say, which most have most of the time: nothing of what a dispatch
 * otherwise needs is made. From the first one on that does speak, fails, answers later or must not be asked, this is a
 * dispatch like any other.
 */
export function runQuickly(
  core: EngineContext,
  event: EventDescriptor,
  payload: JsonObject,
  plan: Plan,
  options: DispatchOptions,
  silence: Silence,
): MaybePromise<Outcome> {
  const { functions } = plan;
  const cancel = core.closing.or(options.signal);
  const state = new CallState(event, payload, plan, core.tools);
  let scope = new FunctionScope(state, core.projectDir, options.context);
  let answer: BegunLane["answer"];
  let place = 0;
  try {
    for (const registration of functions) {
      if (cancel.isRaised) break;
      const said = registration.run(state, scope);
      if (said !== NO_REPLY) {
        answer = { said, scope };
        break;
      }
      place++;
      // A signal that somebody holds must not be aborted because of another function.
      if (scope.isSignalTaken) scope = new FunctionScope(state, core.projectDir, options.context);
    }
  } catch (error) {
    answer = { said: threw(error), scope };
  }
  if (place === functions.length && !cancel.isRaised) return silence.outcome;
  const request = { event, subject: "", payload, plan, options, refused: 0 };
  return new Dispatch(core, request).run({ state, place, answer });
}

export function sessionOf(payload: JsonObject): string {
  return stringAt(payload, "session_id") ?? "";
}

class Dispatch {
  private readonly core: EngineContext;
  private readonly request: DispatchRequest;
  private readonly power: Power;
  private readonly cancel: CancelSignal;
  private readonly onRun: DispatchOptions["onRun"];

  constructor(core: EngineContext, request: DispatchRequest) {
    const { event, payload, options } = request;
    this.core = core;
    this.request = request;
    this.power = powerOf(event, payload);
    this.cancel = core.closing.or(options.signal);
    const { onRun } = options;
    this.onRun = onRun === undefined ? undefined : run => notify(core, () => onRun(run));
  }

  /** `begun` tells how far the functions have come already. */
  run(begun?: BegunLane): MaybePromise<Outcome> {
    const { event, payload, plan } = this.request;
    const { once, tools } = this.core;
    const functions =
      plan.silence === undefined
        ? plan.functions.filter(item => !item.isOnce || once.claim(sessionOf(payload), item.run))
        : plan.functions;
    if (functions.length === 0) return this.runConfigured(undefined);
    const lane = this.createLane(begun?.state ?? new CallState(event, payload, plan, tools));
    return andThen(lane.run(functions, begun), () => {
      plan.silence?.measured(lane.slowestMs);
      return this.runConfigured(lane);
    });
  }

  private createLane(state: CallState): FunctionLane {
    return new FunctionLane(
      this.core,
      state,
      this.power,
      this.cancel,
      this.onRun,
      this.request.options.context,
    );
  }

  private runConfigured(functions: FunctionLane | undefined): MaybePromise<Outcome> {
    const { cancel, onRun, power } = this;
    const { event, plan } = this.request;
    const { handlers, names } = plan;
    if (handlers === undefined) return this.conclude(functions, []);
    if (functions?.isRefused === true) return this.skipHandlers(functions, handlers, "skipped");
    if (cancel.isRaised) return this.skipHandlers(functions, handlers, "aborted");
    const payload = this.payloadAfter(functions);
    return handlers
      .run({ event, power, payload, names, cancel, onRun })
      .then(contributions => this.conclude(functions, contributions));
  }

  /** What configured handlers read: the payload with the changes of the functions, and its event named. */
  private payloadAfter(functions: FunctionLane | undefined): JsonObject {
    const { event, payload } = this.request;
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

  private skipHandlers(
    functions: FunctionLane | undefined,
    handlers: HandlerPlan,
    status: "skipped" | "aborted",
  ): MaybePromise<Outcome> {
    const skipped = handlers.ids.map(id => notStarted(id, status));
    for (const { run } of skipped) this.onRun?.(run);
    return this.conclude(functions, skipped);
  }

  private conclude(
    functions: FunctionLane | undefined,
    configured: readonly Contribution[],
  ): MaybePromise<Outcome> {
    const isInputReplaced = configured.some(({ effect }) => effect.input !== undefined);
    const contributions = [...(functions?.finished(isInputReplaced) ?? []), ...configured];
    return andThen(this.judge(functions, contributions), judged => this.fold([...contributions, ...judged]));
  }

  /** Asks the judges again about an input that was changed after they had seen it. */
  private judge(
    functions: FunctionLane | undefined,
    contributions: readonly Contribution[],
  ): MaybePromise<readonly Contribution[]> {
    const { event, payload, plan } = this.request;
    if (functions === undefined || functions.isRefused || functions.shown.size === 0) return [];
    const { input } = fold(contributions, { power: this.power });
    if (input === undefined) return [];
    const judges = [...functions.shown].flatMap(([hook, seen]) => (isSameJson(seen, input) ? [] : [hook]));
    if (judges.length === 0) return [];
    const final = { ...payload, tool_input: input, tool_input_original: functions.state.originalInput };
    const lane = this.createLane(new CallState(event, final, plan, this.core.tools));
    return andThen(lane.run(judges), () => lane.finished(true));
  }

  private fold(contributions: readonly Contribution[]): Outcome {
    const { event, payload } = this.request;
    const agent = `${event.name}\n${sessionOf(payload)}\n${stringAt(payload, "agent_id") ?? ""}`;
    const isHeldBack = this.power === "retry";
    const outcome = fold(contributions, {
      power: this.power,
      aborted: this.cancel.isRaised,
      isStopCapReached: isHeldBack && this.core.stops.isCapReached(agent),
    });
    if (isHeldBack) this.core.stops.record(agent, outcome.decision.kind === "deny");
    if (event.name === "SessionEnd") this.core.once.forget(sessionOf(payload));
    const withheld = contributions.find(({ effect }) => isWithheld(effect))?.effect.output;
    return withheld === undefined
      ? outcome
      : { ...outcome, output: withheld, extras: { ...outcome.extras, isError: true } };
  }
}
