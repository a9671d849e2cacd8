import { subjectOf } from "../handlers/index.ts";
import { type EventDescriptor, type JsonObject, NO_OUTCOME, type Outcome } from "../protocol/index.ts";
import type { EngineContext } from "./context.ts";
import { MatchIndex } from "./match-index.ts";
import type { EventHandlers, HandlerPlan } from "./parts.ts";
import { inRunOrder, type RegisteredHook } from "./registration.ts";

/** Everything an event and a subject set off: functions first (stage 0), then configured handlers (stage 1). */
export interface Plan {
  readonly functions: readonly RegisteredHook[];
  readonly handlers: HandlerPlan | undefined;
  /** the raw name of the tool and its aliases; empty on events without a tool */
  readonly names: readonly string[];
  /** the declared name of the tool */
  readonly tool: string | undefined;
  readonly silence: Silence | undefined;
}

const EMPTY_PLAN: Plan = {
  functions: [],
  handlers: undefined,
  names: [],
  tool: undefined,
  silence: undefined,
};

export function isEmptyPlan(plan: Plan): boolean {
  return plan.functions.length === 0 && plan.handlers === undefined;
}

/** So many dispatches are measured at first, and one of so many later. */
const MEASURED_FIRST = 8;
const MEASURED_ONE_OF = 1024;
const QUICK_MS = 0.1;

/**
 * What a plan of functions comes to when none of them has anything to say: one outcome for all such dispatches, since
 * most hooks are silent most of the time. To read the clock takes longer than many a hook, so that those which are
 * known to be quick are measured now and then only.
 */
export class Silence {
  readonly outcome: Outcome;
  readonly promise: Promise<Outcome>;
  private count = 0;
  private isSlow = false;

  constructor(functions: readonly RegisteredHook[]) {
    const runs = functions.map(({ id }) => Object.freeze({ hook: id, status: "ok" as const, durationMs: 0 }));
    this.outcome = Object.freeze({ ...NO_OUTCOME, runs: Object.freeze(runs) });
    this.promise = Promise.resolve(this.outcome);
  }

  isMeasured(): boolean {
    const count = this.count++;
    return this.isSlow || count < MEASURED_FIRST || count % MEASURED_ONE_OF === 0;
  }

  /** A function that answers later is never quick. */
  measured(durationMs: number): void {
    this.isSlow = durationMs >= QUICK_MS;
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
  readonly isEmpty: boolean;
  /** handlers of this event that are not trusted */
  readonly refused: number;
  private readonly core: EngineContext;
  private readonly functions: MatchIndex<RegisteredHook>;
  private readonly handlers: EventHandlers | undefined;
  private readonly plans = new Map<string, Plan>();

  constructor(
    core: EngineContext,
    event: EventDescriptor,
    registrations: readonly RegisteredHook[],
    handlers: EventHandlers | undefined,
    watchers: readonly OutcomeWatcher[],
  ) {
    this.core = core;
    this.event = event;
    this.watchers = watchers;
    this.handlers = handlers;
    this.refused = handlers?.refused ?? 0;
    this.functions = new MatchIndex(inRunOrder(registrations));
    this.isEmpty = registrations.length === 0 && handlers?.isEmpty !== false;
  }

  subjectOf(payload: JsonObject): string {
    return this.handlers?.subjectOf?.(payload) ?? subjectOf(this.event, payload);
  }

  planFor(subject: string): Plan {
    const known = this.plans.get(subject);
    if (known !== undefined) return known;
    const plan = this.makePlan(subject);
    if (subject.length > MAX_CACHED_SUBJECT_CHARS) return plan;
    if (this.plans.size >= MAX_CACHED_PLANS) this.plans.clear();
    this.plans.set(subject, plan);
    return plan;
  }

  private makePlan(subject: string): Plan {
    const { core, event } = this;
    const matched = core.namesOf(event, subject);
    const functions = this.functions.find(matched);
    const handlers = this.handlers?.find(matched);
    if (functions.length === 0 && handlers === undefined) return EMPTY_PLAN;
    const names = event.requiresTool ? matched : [];
    // These leave something behind in the engine even when nothing is said.
    const hasEffects = event.power === "retry" || event.name === "SessionEnd";
    const canBeSilent = handlers === undefined && !hasEffects && !functions.some(({ isOnce }) => isOnce);
    const silence = canBeSilent ? new Silence(functions) : undefined;
    return { functions, handlers, names, tool: core.tools.find(names), silence };
  }
}
