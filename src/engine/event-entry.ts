import type { EventDescriptor, JsonObject, Outcome } from "../protocol/index.ts";
import { promptSubjectOf, subjectOf } from "./match.ts";
import { EMPTY_PLAN, isEmptyPlan, MatchIndex, makePlan, type Plan } from "./plan.ts";
import { inRunOrder, type Registration } from "./registration.ts";
import type { Handler } from "./source/load.ts";

export type OutcomeWatcher = (payload: JsonObject, outcome: Outcome) => void;

const CACHED_PLANS = 512;
/** Longer subjects are prompts or nonsense, and would make the cache large. */
const CACHED_SUBJECT_CHARS = 512;

/** Everything that one event sets off. Immutable but for its cache: a change of hooks makes a new one. */
export class EventEntry {
  readonly event: EventDescriptor;
  readonly watchers: readonly OutcomeWatcher[];
  /** handlers of this event that are not trusted */
  readonly refused: number;
  /** whether any handler looks at the prompt, where the event itself has no subject */
  private readonly readsPrompt: boolean;
  private readonly functions: MatchIndex<Registration & { readonly position: number }>;
  private readonly handlers: MatchIndex<Handler>;
  private readonly namesOf: (event: EventDescriptor, subject: string) => readonly string[];
  private readonly plans = new Map<string, Plan>();
  readonly isEmpty: boolean;

  constructor(
    event: EventDescriptor,
    registrations: readonly Registration[],
    handlers: readonly Handler[],
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
    if (subject.length > CACHED_SUBJECT_CHARS) return plan;
    if (this.plans.size >= CACHED_PLANS) this.plans.clear();
    this.plans.set(subject, plan);
    return plan;
  }
}
