import type { ConditionFacts } from "../hooks/handlers/condition.ts";
import { strictestPolicy } from "../hooks/handlers/failure.ts";
import { isMatch, type Matcher, promptSubjectOf, subjectOf } from "../hooks/handlers/match.ts";
import type { EventDescriptor, FailurePolicy, JsonObject, Outcome } from "../protocol/index.ts";
import { inRunOrder, type RegisteredHook } from "./registration.ts";
import type { ConfiguredHandler } from "./source/load.ts";
import { canonicalJson } from "./trust.ts";

/** A handler about to run, with the time and policy it runs under. */
export interface PlannedStep {
  readonly handler: ConfiguredHandler;
  readonly timeoutMs: number;
  readonly onFailure: FailurePolicy;
}

/** What stage 1 runs: lanes at the same time, the steps of a lane one after another, all listed in fold order. */
export interface HandlerSelection {
  readonly steps: readonly PlannedStep[];
  readonly lanes: readonly (readonly PlannedStep[])[];
  /** started in the background, never waited for */
  readonly background: readonly PlannedStep[];
  readonly duplicates: readonly { readonly kept: string; readonly dropped: string }[];
}

/** Everything an event and a subject set off: functions first (stage 0), then configured handlers (stage 1). */
export interface Plan {
  readonly functions: readonly RegisteredHook[];
  readonly handlers: readonly ConfiguredHandler[];
  /** what runs, when that does not depend on the payload */
  readonly selection: HandlerSelection | undefined;
}

const NO_HANDLERS: HandlerSelection = { steps: [], lanes: [], background: [], duplicates: [] };
const EMPTY_PLAN: Plan = { functions: [], handlers: [], selection: NO_HANDLERS };

export function isEmptyPlan(plan: Plan): boolean {
  return plan.functions.length === 0 && plan.handlers.length === 0;
}

function makePlan(
  functions: readonly RegisteredHook[],
  handlers: readonly ConfiguredHandler[],
  event: EventDescriptor,
): Plan {
  if (functions.length === 0 && handlers.length === 0) return EMPTY_PLAN;
  const isStatic = handlers.every(({ spec, condition }) => condition === undefined && !spec.isOnce);
  return { functions, handlers, selection: isStatic ? select(handlers, event) : undefined };
}

/** The handlers of a plan that a payload sets off. `claim` is asked last: it may use up a `once`. */
export function selectFor(
  plan: Plan,
  event: EventDescriptor,
  facts: () => ConditionFacts,
  claim: (handler: ConfiguredHandler) => boolean,
): HandlerSelection {
  if (plan.selection !== undefined) return plan.selection;
  let known: ConditionFacts | undefined;
  const runs = plan.handlers.filter(handler => {
    if (handler.condition !== undefined) {
      known ??= facts();
      if (!handler.condition(known)) return false;
    }
    return !handler.spec.isOnce || claim(handler);
  });
  return select(runs, event);
}

function select(handlers: readonly ConfiguredHandler[], event: EventDescriptor): HandlerSelection {
  const { steps, duplicates } = deduplicate(handlers);
  const isBackground = ({ handler }: PlannedStep): boolean =>
    handler.spec.isAsync && event.name !== "SessionEnd";
  const background = steps.filter(isBackground);
  const lanes: PlannedStep[][] = [];
  const shared = new Map<string, PlannedStep[]>();
  for (const step of steps) {
    if (isBackground(step)) continue;
    const { dialect } = step.handler.spec;
    const lane = dialect === "claude" ? undefined : shared.get(dialect);
    if (lane !== undefined) {
      lane.push(step);
      continue;
    }
    const fresh = [step];
    lanes.push(fresh);
    if (dialect !== "claude") shared.set(dialect, fresh);
  }
  return { steps, lanes, background, duplicates };
}

/** Equal handlers of the claude dialect run once: in the place of the first, as long and as strict as any. */
function deduplicate(handlers: readonly ConfiguredHandler[]): Pick<HandlerSelection, "steps" | "duplicates"> {
  const steps: PlannedStep[] = [];
  const duplicates: { kept: string; dropped: string }[] = [];
  const places = new Map<string, number>();
  for (const handler of handlers) {
    const step: PlannedStep = { handler, timeoutMs: handler.spec.timeoutMs, onFailure: handler.onFailure };
    const key = handler.spec.dialect === "claude" ? dedupeKey(handler) : undefined;
    const place = key === undefined ? undefined : places.get(key);
    const first = place === undefined ? undefined : steps[place];
    if (place === undefined || first === undefined) {
      if (key !== undefined) places.set(key, steps.length);
      steps.push(step);
      continue;
    }
    duplicates.push({ kept: first.handler.spec.id, dropped: handler.spec.id });
    steps[place] = {
      handler: first.handler,
      timeoutMs: Math.max(first.timeoutMs, step.timeoutMs),
      onFailure: strictestPolicy(first.onFailure, step.onFailure),
    };
  }
  return { steps, duplicates };
}

function dedupeKey({ spec }: ConfiguredHandler): string {
  return canonicalJson({ action: spec.action, root: spec.source.pluginRoot, isAsync: spec.isAsync });
}

/** Handlers by what they match, so that a subject is looked up and not tried against every handler. */
class MatchIndex<H extends { readonly matcher: Matcher; readonly position: number }> {
  private readonly exact = new Map<string, H[]>();
  private readonly tested: H[] = [];
  private readonly always: H[] = [];

  constructor(handlers: readonly H[]) {
    for (const handler of handlers) {
      const { matcher } = handler;
      if (matcher.kind === "all") this.always.push(handler);
      else if (matcher.kind === "test") this.tested.push(handler);
      else for (const name of matcher.names) this.listOf(name).push(handler);
    }
  }

  private listOf(name: string): H[] {
    const known = this.exact.get(name);
    if (known !== undefined) return known;
    const fresh: H[] = [];
    this.exact.set(name, fresh);
    return fresh;
  }

  /** What matches any of the names, each once, in order of position. */
  find(subjects: readonly string[]): H[] {
    const found = new Set<H>(this.always);
    for (const subject of subjects) for (const handler of this.exact.get(subject) ?? []) found.add(handler);
    for (const handler of this.tested) if (isMatch(handler.matcher, subjects)) found.add(handler);
    return [...found].sort((left, right) => left.position - right.position);
  }
}

export type OutcomeWatcher = (payload: JsonObject, outcome: Outcome) => void;

const MAX_CACHED_PLANS = 512;
/** Longer subjects are prompts or nonsense, and would make the cache large. */
const MAX_CACHED_SUBJECT_CHARS = 512;

/** Everything that one event sets off. Immutable but for its cache: a change of hooks makes a new one. */
export class EventEntry {
  readonly event: EventDescriptor;
  readonly watchers: readonly OutcomeWatcher[];
  /** handlers of this event that are not trusted */
  readonly refused: number;
  /** whether any handler looks at the prompt, where the event itself has no subject */
  private readonly readsPrompt: boolean;
  private readonly functions: MatchIndex<RegisteredHook & { readonly position: number }>;
  private readonly handlers: MatchIndex<ConfiguredHandler>;
  private readonly namesOf: (event: EventDescriptor, subject: string) => readonly string[];
  private readonly plans = new Map<string, Plan>();
  readonly isEmpty: boolean;

  constructor(
    event: EventDescriptor,
    registrations: readonly RegisteredHook[],
    handlers: readonly ConfiguredHandler[],
    watchers: readonly OutcomeWatcher[],
    refused: number,
    namesOf: (event: EventDescriptor, subject: string) => readonly string[],
  ) {
    this.event = event;
    this.watchers = watchers;
    this.refused = refused;
    this.namesOf = namesOf;
    this.functions = new MatchIndex(
      inRunOrder(registrations).map((item, position) => ({ ...item, position })),
    );
    this.handlers = new MatchIndex(handlers);
    this.readsPrompt = handlers.some(
      ({ spec, matcher }) => spec.dialect === "batuta" && matcher.kind === "test",
    );
    this.isEmpty = registrations.length === 0 && handlers.length === 0;
  }

  subjectOf(payload: JsonObject): string {
    const prompt = this.readsPrompt ? promptSubjectOf(this.event, payload) : undefined;
    return prompt ?? subjectOf(this.event, payload);
  }

  planFor(subject: string): Plan {
    const known = this.plans.get(subject);
    if (known !== undefined) return known;
    const names = this.namesOf(this.event, subject);
    const made = makePlan(this.functions.find(names), this.handlers.find(names), this.event);
    const plan = isEmptyPlan(made) ? EMPTY_PLAN : made;
    if (subject.length > MAX_CACHED_SUBJECT_CHARS) return plan;
    if (this.plans.size >= MAX_CACHED_PLANS) this.plans.clear();
    this.plans.set(subject, plan);
    return plan;
  }
}
