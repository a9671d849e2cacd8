import { isWithheld, notStarted } from "../handlers/index.ts";
import {
  type Contribution,
  type EventDescriptor,
  fold,
  isSameJson,
  type JsonObject,
  type Outcome,
  powerOf,
  stringAt,
} from "../protocol/index.ts";
import { type EngineContext, notify } from "./context.ts";
import type { DispatchOptions } from "./options.ts";
import type { Plan } from "./plan.ts";
import { CallState, FunctionStage, type StageContext } from "./run/functions.ts";

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

/** Runs a plan and folds what its hooks say. Never rejects. */
export function runDispatch(core: EngineContext, request: DispatchRequest): Promise<Outcome> {
  const { recorder } = core;
  if (recorder === undefined) return runStages(core, request);
  const { event, plan, refused } = request;
  // Where an event has no subject, hooks may still look at the prompt; payload is not recorded.
  const subject = event.subject === undefined ? "" : request.subject;
  const begunMs = core.timers.nowMs();
  const matched = plan.functions.length + (plan.handlers?.ids.length ?? 0);
  return recorder.dispatch(event.name, subject, matched, refused, async span => {
    const outcome = await runStages(core, request);
    recorder.endDispatch(span, event.name, outcome, core.timers.nowMs() - begunMs);
    return outcome;
  });
}

export function readSession(payload: JsonObject): string {
  return stringAt(payload, "session_id") ?? "";
}

/** Functions, then configured handlers, then the judges again about an input that was changed after they saw it. */
async function runStages(core: EngineContext, request: DispatchRequest): Promise<Outcome> {
  const { event, payload, plan, options } = request;
  const { onRun, signal, context } = options;
  const stage: StageContext = {
    core,
    power: powerOf(event, payload),
    cancel: core.closing.or(signal),
    onRun: onRun === undefined ? undefined : run => notify(core, () => onRun(run)),
    context,
  };
  // The copy is made before anything is waited for: the host may change what it passed.
  const functions = new FunctionStage(stage, new CallState(event, payload, plan, core));
  const claimed = plan.functions.filter(
    item => !item.isOnce || core.once.claim(readSession(payload), item.run),
  );
  await functions.run(claimed);
  const configured = await runConfigured(stage, plan, functions);
  const isInputReplaced = configured.some(({ effect }) => effect.input !== undefined);
  const contributions = [...functions.finished(isInputReplaced), ...configured];
  const judged = await judgeAgain(stage, plan, functions, contributions);
  return conclude(stage, event, payload, [...contributions, ...judged]);
}

async function runConfigured(
  stage: StageContext,
  { handlers, names }: Plan,
  functions: FunctionStage,
): Promise<readonly Contribution[]> {
  const { cancel, onRun, power } = stage;
  if (handlers === undefined) return [];
  if (!functions.isRefused && !cancel.isRaised) {
    const { event, payload } = functions.state;
    const named = { hook_event_name: event.name, ...payload };
    return handlers.run({ event, power, payload: named, names, cancel, onRun });
  }
  const skipped = handlers.ids.map(id => notStarted(id, functions.isRefused ? "skipped" : "aborted"));
  for (const { run } of skipped) onRun?.(run);
  return skipped;
}

async function judgeAgain(
  stage: StageContext,
  plan: Plan,
  functions: FunctionStage,
  contributions: readonly Contribution[],
): Promise<readonly Contribution[]> {
  const { shown, state } = functions;
  if (functions.isRefused || shown.size === 0) return [];
  const { input } = fold(contributions, { power: stage.power });
  if (input === undefined) return [];
  const judges = [...shown].flatMap(([hook, seen]) => (isSameJson(seen, input) ? [] : [hook]));
  if (judges.length === 0) return [];
  const final = { ...state.given, tool_input: input, tool_input_original: state.originalInput };
  const again = new FunctionStage(stage, new CallState(state.event, final, plan, stage.core));
  await again.run(judges);
  return again.finished(true);
}

function conclude(
  { core, power, cancel }: StageContext,
  event: EventDescriptor,
  payload: JsonObject,
  contributions: readonly Contribution[],
): Outcome {
  const agent = `${event.name}\n${readSession(payload)}\n${stringAt(payload, "agent_id") ?? ""}`;
  const isHeldBack = power === "retry";
  const outcome = fold(contributions, {
    power,
    aborted: cancel.isRaised,
    isStopCapReached: isHeldBack && core.stops.isCapReached(agent),
  });
  if (isHeldBack) core.stops.record(agent, outcome.decision.kind === "deny");
  if (event.name === "SessionEnd") core.once.forget(readSession(payload));
  const withheld = contributions.find(({ effect }) => isWithheld(effect))?.effect.output;
  return withheld === undefined
    ? outcome
    : { ...outcome, output: withheld, extras: { ...outcome.extras, isError: true } };
}
