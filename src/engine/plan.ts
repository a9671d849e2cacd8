import { isMatch, type Matcher, matchSubject } from "../handlers/index.ts";
import type { EventDescriptor, JsonObject, Outcome } from "../protocol/index.ts";
import type { EngineContext } from "./context.ts";
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
}

const EMPTY_PLAN: Plan = { functions: [], handlers: undefined, names: [], tool: undefined };

export function isEmptyPlan(plan: Plan): boolean {
  return plan.functions.length === 0 && plan.handlers === undefined;
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
  /** it tells something about a session that a hook may look at later */
  readonly isRecorded: boolean;
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
    isRecorded: boolean,
  ) {
    this.isRecorded = isRecorded;
    this.core = core;
    this.event = event;
    this.watchers = watchers;
    this.handlers = handlers;
    this.refused = handlers?.refused ?? 0;
    this.functions = new MatchIndex(inRunOrder(registrations));
    this.isEmpty = registrations.length === 0 && handlers?.isEmpty !== false;
  }

  subjectOf(payload: JsonObject): string {
    return this.handlers?.subjectOf?.(payload) ?? matchSubject(this.event, payload);
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
    return { functions, handlers, names, tool: core.tools.find(names) };
  }
}

/** Hooks by what they match, so that a subject is looked up and not tried against every hook. */
export class MatchIndex<H extends { readonly matcher: Matcher }> {
  private readonly hooks: readonly H[];
  /** places in the list */
  private readonly exact = new Map<string, number[]>();
  private readonly tested: number[] = [];
  private readonly always: number[] = [];

  constructor(hooks: readonly H[]) {
    this.hooks = hooks;
    for (const [place, { matcher }] of hooks.entries()) {
      if (matcher.kind === "all") this.always.push(place);
      else if (matcher.kind === "test") this.tested.push(place);
      else for (const name of matcher.names) this.listPlaces(name).push(place);
    }
  }

  private listPlaces(name: string): number[] {
    const known = this.exact.get(name);
    if (known !== undefined) return known;
    const fresh: number[] = [];
    this.exact.set(name, fresh);
    return fresh;
  }

  /** What matches any of the names, each once, in the order of the list. */
  find(subjects: readonly string[]): readonly H[] {
    const found = new Set(this.always);
    for (const subject of subjects) for (const place of this.exact.get(subject) ?? []) found.add(place);
    const isWanted = (place: number): boolean => {
      const hook = this.hooks[place];
      return hook !== undefined && isMatch(hook.matcher, subjects);
    };
    for (const place of this.tested) if (isWanted(place)) found.add(place);
    const places = [...found].sort((left, right) => left - right);
    return places.flatMap(place => this.hooks[place] ?? []);
  }
}
