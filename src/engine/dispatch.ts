import type { ConditionFacts } from "../hooks/handlers/condition.ts";
import { isWithheld, notStarted } from "../hooks/handlers/failure.ts";
import { defined } from "../protocol/defined.ts";
import {
  type Contribution,
  type EventDescriptor,
  fold,
  isSameJson,
  type JsonObject,
  type Outcome,
  ownValue,
  type Power,
  powerOf,
} from "../protocol/index.ts";
import { stringAt } from "../protocol/members.ts";
import type { CancelSignal } from "./cancel-signal.ts";
import { type EngineContext, notify } from "./context.ts";
import { andThen, type MaybePromise } from "./maybe.ts";
import type { DispatchOptions } from "./options.ts";
import type { EngineParts } from "./parts.ts";
import { type Plan, selectFor } from "./plan.ts";
import { CallState } from "./run/call-state.ts";
import { FunctionLane } from "./run/functions.ts";

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
export function runDispatch(
  core: EngineContext,
  parts: EngineParts,
  request: DispatchRequest,
): MaybePromise<Outcome> {
  const { recorder } = core;
  if (recorder === undefined) return new Dispatch(core, parts, request).run();
  const { event, plan, refused } = request;
  // Where an event has no subject, hooks may still look at the prompt; payload is not recorded.
  const subject = event.subject === undefined ? "" : request.subject;
  const begunMs = core.timers.nowMs();
  const matched = plan.functions.length + plan.handlers.length;
  return recorder.dispatch(event.name, subject, matched, refused, span =>
    andThen(new Dispatch(core, parts, request).run(), outcome => {
      recorder.endDispatch(span, event.name, outcome, core.timers.nowMs() - begunMs);
      return outcome;
    }),
  );
}

/** The facts an `if` rule is tried on. */
export function conditionFacts(
  { projectDir, home }: EngineContext,
  payload: JsonObject,
  toolNames: readonly string[],
): ConditionFacts {
  const cwd = stringAt(payload, "cwd") ?? projectDir;
  return { toolNames, input: ownValue(payload, "tool_input"), cwd, projectDir, home };
}

export function sessionOf(payload: JsonObject): string {
  return stringAt(payload, "session_id") ?? "";
}

class Dispatch {
  private readonly core: EngineContext;
  private readonly parts: EngineParts;
  private readonly request: DispatchRequest;
  private readonly power: Power;
  private readonly cancel: CancelSignal;
  private readonly names: readonly string[];
  private readonly onRun: DispatchOptions["onRun"];
  private readonly laneOptions: DispatchOptions;

  constructor(core: EngineContext, parts: EngineParts, request: DispatchRequest) {
    const { event, payload, subject, options } = request;
    this.core = core;
    this.parts = parts;
    this.request = request;
    this.power = powerOf(event, payload);
    this.cancel = core.closing.or(options.signal);
    this.names = event.requiresTool ? core.namesOf(event, subject) : [];
    const { onRun } = options;
    this.onRun = onRun === undefined ? undefined : run => notify(core, () => onRun(run));
    this.laneOptions = { ...options, ...defined({ onRun: this.onRun }) };
  }

  run(): MaybePromise<Outcome> {
    const { event, payload, plan } = this.request;
    const functions = plan.functions.filter(
      item => !item.isOnce || this.core.once.claim(sessionOf(payload), item.run),
    );
    if (functions.length === 0) return this.runConfigured(undefined);
    const state = new CallState(event, payload, this.names, this.core.tools);
    const lane = new FunctionLane(this.core, state, this.power, this.cancel, this.laneOptions);
    return andThen(lane.run(functions), () => this.runConfigured(lane));
  }

  private runConfigured(functions: FunctionLane | undefined): MaybePromise<Outcome> {
    const { core, power, request, names } = this;
    const { event, plan } = request;
    if (plan.handlers.length === 0) return this.conclude(functions, []);
    if (functions?.isRefused === true) return this.skipHandlers(functions, "skipped");
    if (this.cancel.isRaised) return this.skipHandlers(functions, "aborted");
    const payload = this.payloadAfter(functions);
    const selection = selectFor(
      plan,
      event,
      () => conditionFacts(core, payload, names),
      handler => core.once.claim(sessionOf(payload), handler.identity()),
    );
    let text: string | undefined;
    const payloadText = (): string => {
      text ??= JSON.stringify(payload);
      return text;
    };
    const tool = core.tools.find(names);
    return this.parts
      .runHandlers({ event, power, payload, payloadText, tool }, selection, this.cancel, this.onRun)
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
    status: "skipped" | "aborted",
  ): MaybePromise<Outcome> {
    const skipped = this.request.plan.handlers.map(({ spec }) => notStarted(spec.id, status));
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
    const { event, payload } = this.request;
    if (functions === undefined || functions.isRefused || functions.shown.size === 0) return [];
    const { input } = fold(contributions, { power: this.power });
    if (input === undefined) return [];
    const judges = [...functions.shown].flatMap(([hook, seen]) => (isSameJson(seen, input) ? [] : [hook]));
    if (judges.length === 0) return [];
    const final = { ...payload, tool_input: input, tool_input_original: functions.state.originalInput };
    const state = new CallState(event, final, this.names, this.core.tools);
    const lane = new FunctionLane(this.core, state, this.power, this.cancel, this.laneOptions);
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
