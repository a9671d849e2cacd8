import {
  type EventDescriptor,
  type FailurePolicy,
  isJsonObject,
  type JsonObject,
  NO_OUTCOME,
  type Outcome,
} from "../protocol/index.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { ToolCalls } from "./calls/tool-calls.ts";
import type {
  Answer,
  CallDecision,
  CallOptions,
  CallResult,
  PendingCall,
  ResumeOptions,
  RunTool,
} from "./calls/types.ts";
import { type EngineContext, notify } from "./context.ts";
import { conditionFacts, runDispatch, sessionOf } from "./dispatch.ts";
import { freezeCopy } from "./freeze.ts";
import { listFunction, listHandler } from "./listing.ts";
import { isThenable } from "./maybe.ts";
import type { ApprovalOptions, DispatchOptions, HookSource, Listing, LoadReport } from "./options.ts";
import type { EngineParts } from "./parts.ts";
import { EventEntry, isEmptyPlan, type OutcomeWatcher, type Plan, selectFor } from "./plan.ts";
import type { RegisteredHook } from "./registration.ts";
import {
  type AnyHook,
  registerAfter,
  registerBefore,
  registerOn,
  type ToolSelector,
} from "./registration.ts";
import type { ToolMap } from "./schema/infer.ts";
import type { Loaded } from "./source/load.ts";
import { isTrusted } from "./trust.ts";
import type { HookEngine, RegisterOptions, UntypedEngine, UsableHook, UseOptions } from "./types.ts";

/** The one promise that every dispatch without hooks returns: the empty path allocates nothing. */
const EMPTY_DISPATCH: Promise<Outcome> = Promise.resolve(NO_OUTCOME);
const NO_OPTIONS: DispatchOptions = Object.freeze({});
/** Event names are few; a host that invents them without end must not fill the memory. */
const MAX_CACHED_EVENTS = 1024;

/** The engine: what is loaded and registered now, and the plans that follow from it. */
export class Engine<T extends ToolMap> implements HookEngine<T> {
  private readonly core: EngineContext;
  private readonly parts: EngineParts;
  private readonly active = new Set<Promise<unknown>>();
  private readonly entries = new Map<string, EventEntry>();
  private readonly registrations = new Set<RegisteredHook>();
  private watchers: readonly { readonly event: string; readonly watcher: OutcomeWatcher }[] = [];
  private loaded: Loaded;
  private sequence = 0;

  private readonly calls: ToolCalls;

  constructor(
    core: EngineContext,
    parts: EngineParts,
    sources: readonly HookSource[],
    approvals: ApprovalOptions,
  ) {
    this.core = core;
    this.parts = parts;
    this.loaded = parts.load(sources);
    this.calls = new ToolCalls(core, this.dispatch.bind(this), approvals);
  }

  get report(): LoadReport {
    return this.loaded.report;
  }

  get untyped(): UntypedEngine {
    return this;
  }

  has(event: string, subject?: string): boolean {
    const entry = this.entries.get(event) ?? this.makeEntry(event);
    if (subject === undefined || entry.isEmpty) return !entry.isEmpty;
    return !isEmptyPlan(entry.planFor(subject));
  }

  dispatch(
    event: string,
    payload: object | (() => object),
    options: DispatchOptions = NO_OPTIONS,
  ): Promise<Outcome> {
    const entry = this.entries.get(event) ?? this.makeEntry(event);
    if (entry.isEmpty && entry.watchers.length === 0) return EMPTY_DISPATCH;
    let value: object;
    try {
      value = typeof payload === "function" ? payload() : payload;
    } catch (error) {
      return Promise.reject(error);
    }
    if (!isJsonObject(value))
      return Promise.reject(new TypeError(`the payload of ${event} must be an object, not ${typeof value}`));
    const subject = entry.subjectOf(value);
    const plan = entry.planFor(subject);
    if (!isEmptyPlan(plan)) return this.runPlan(entry, subject, value, plan, options);
    if (entry.watchers.length > 0) this.notifyWatchers(entry, value, NO_OUTCOME);
    return EMPTY_DISPATCH;
  }

  /** Apart from `dispatch`, whose empty path must not pay for the closures made here. */
  private runPlan(
    entry: EventEntry,
    subject: string,
    payload: JsonObject,
    plan: Plan,
    options: DispatchOptions,
  ): Promise<Outcome> {
    const { event, refused } = entry;
    const outcome = runDispatch(this.core, this.parts, { event, subject, payload, plan, options, refused });
    if (!isThenable(outcome)) {
      this.notifyWatchers(entry, payload, outcome);
      return Promise.resolve(outcome);
    }
    return this.track(
      outcome.then(settled => {
        this.notifyWatchers(entry, payload, settled);
        return settled;
      }),
    );
  }

  decide(tool: string, args: unknown, options: CallOptions = {}): Promise<CallDecision> {
    return this.calls.decide(tool, args, options);
  }

  call<R>(
    tool: string,
    args: unknown,
    run: RunTool<never, R>,
    options: CallOptions = {},
  ): Promise<CallResult<R>> {
    return this.calls.call(tool, args, run, options) as Promise<CallResult<R>>;
  }

  resume<R>(
    pending: PendingCall,
    answer: Answer,
    run: RunTool<never, R>,
    options: ResumeOptions = {},
  ): Promise<CallResult<R>> {
    return this.calls.resume(pending, answer, run, options) as Promise<CallResult<R>>;
  }

  preview(event: string, given: object): readonly Listing[] {
    const payload = isJsonObject(given) ? given : {};
    const entry = this.entries.get(event) ?? this.makeEntry(event);
    const subject = entry.subjectOf(payload);
    const plan = entry.planFor(subject);
    const session = sessionOf(payload);
    const { once, namesOf } = this.core;
    const functions = plan.functions.filter(item => !item.isOnce || !once.isUsed(session, item.run));
    const { steps } = selectFor(
      plan,
      entry.event,
      () => conditionFacts(this.core, payload, namesOf(entry.event, subject)),
      handler => !once.isUsed(session, handler.identity()),
    );
    return [
      ...functions.map(item => this.listRegistration(item, entry.event)),
      ...steps.map(({ handler, timeoutMs, onFailure }) => ({
        ...listHandler(handler, true),
        timeoutMs,
        onFailure,
      })),
    ];
  }

  list(): readonly Listing[] {
    const functions = [...this.registrations].flatMap(item =>
      item.events.map(event => this.listRegistration(item, this.core.events.describeEvent(event))),
    );
    return [...functions, ...this.loaded.listed.map(item => listHandler(item, item.isEnabled))];
  }

  private listRegistration(item: RegisteredHook, event: EventDescriptor): Listing {
    const byDefault: FailurePolicy = event.power === "veto" ? "closed" : "open";
    return listFunction(item, event.name, item.onFailure ?? this.core.failurePolicy(event.name) ?? byDefault);
  }

  reload(sources: readonly HookSource[]): LoadReport {
    this.loaded = this.parts.load(sources, this.loaded.understood);
    this.entries.clear();
    return this.loaded.report;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async close(): Promise<void> {
    if (!this.core.closing.isRaised) this.core.closing.raise();
    while (this.active.size > 0) await Promise.all(this.active);
    await this.parts.drain();
  }

  beforeToolCall(tool: ToolSelector, hook: AnyHook, options: RegisterOptions = {}): Disposable {
    return this.add([registerBefore(tool, hook, options, ++this.sequence)]);
  }

  afterToolCall(tool: ToolSelector, hook: AnyHook, options: RegisterOptions = {}): Disposable {
    return this.add([registerAfter(tool, hook, options, ++this.sequence)]);
  }

  on(event: string, matcher: string | RegExp, hook: AnyHook, options: RegisterOptions = {}): Disposable {
    const descriptor = this.core.events.findEvent(event);
    if (descriptor === undefined)
      throw new TypeError(
        `${JSON.stringify(event)} is no event${didYouMean(event, this.core.events.names)}; an event of your own stands in "events"`,
      );
    return this.add([registerOn(descriptor, matcher, hook, options, ++this.sequence)]);
  }

  use(hooks: UsableHook | readonly UsableHook[], options: UseOptions = {}): Disposable {
    const list: readonly object[] = Array.isArray(hooks) ? hooks : [hooks];
    return this.add(list.flatMap(hook => this.parts.register(hook, options, () => ++this.sequence)));
  }

  private add(added: readonly RegisteredHook[]): Disposable {
    for (const item of added) this.registrations.add(item);
    return this.disposable(() => {
      for (const item of added) this.registrations.delete(item);
    });
  }

  observe(event: string, watcher: OutcomeWatcher): Disposable {
    const entry = { event: this.core.events.describeEvent(event).name, watcher };
    this.watchers = [...this.watchers, entry];
    return this.disposable(() => {
      this.watchers = this.watchers.filter(item => item !== entry);
    });
  }

  /** Plans are made anew after every change of what is registered. */
  private disposable(remove: () => void): Disposable {
    this.entries.clear();
    return {
      [Symbol.dispose]: () => {
        remove();
        this.entries.clear();
      },
    };
  }

  /** Watchers get copies: they cannot influence anything, not even by mistake. */
  private notifyWatchers(entry: EventEntry, payload: JsonObject, outcome: Outcome): void {
    if (entry.watchers.length === 0) return;
    notify(this.core, () => {
      const seen = outcome === NO_OUTCOME ? outcome : (freezeCopy(outcome, true) as Outcome);
      const about = freezeCopy(payload, true) as JsonObject;
      for (const watcher of entry.watchers) notify(this.core, () => watcher(about, seen));
    });
  }

  private track<V>(work: Promise<V>): Promise<V> {
    this.active.add(work);
    const forget = (): void => void this.active.delete(work);
    work.then(forget, forget);
    return work;
  }

  private makeEntry(name: string): EventEntry {
    const event = this.core.events.describeEvent(name);
    const entry = new EventEntry(
      event,
      [...this.registrations].filter(item => item.events.includes(event.name)),
      this.loaded.handlers.filter(({ spec }) => spec.event === event.name),
      this.watchers.filter(item => item.event === event.name).map(({ watcher }) => watcher),
      this.loaded.listed.filter(({ spec, trust }) => spec.event === event.name && !isTrusted(trust)).length,
      this.core.namesOf,
    );
    if (this.entries.size >= MAX_CACHED_EVENTS) this.entries.clear();
    this.entries.set(name, entry);
    return entry;
  }
}
