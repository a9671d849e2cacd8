import {
  defined,
  type EventDescriptor,
  type FailurePolicy,
  isJsonObject,
  type JsonObject,
  NO_OUTCOME,
  type Outcome,
} from "../protocol/index.ts";
import { didYouMean } from "../text/index.ts";
import { type EngineContext, notify } from "./context.ts";
import { readSession, runDispatch } from "./dispatch.ts";
import type { HistoryPart } from "./history.ts";
import type { DispatchOptions, Listing } from "./options.ts";
import type { EngineParts } from "./parts.ts";
import { EventEntry, isEmptyPlan, type OutcomeWatcher, type Plan } from "./plan.ts";
import type { RegisteredHook } from "./registration.ts";
import {
  type AnyHook,
  registerAfter,
  registerBefore,
  registerOn,
  type ToolSelector,
} from "./registration.ts";
import { freezeCopy } from "./reply.ts";
import type { SandboxPart } from "./sandbox.ts";
import type { ToolMap } from "./schema/validate.ts";
import { RECORDED, type Session } from "./session.ts";
import type { DispatchEngine, RegisterOptions, UseOptions } from "./types.ts";

/** The one promise that every dispatch without hooks returns: the empty path allocates nothing. */
const EMPTY_DISPATCH: Promise<Outcome> = Promise.resolve(NO_OUTCOME);
const NO_OPTIONS: DispatchOptions = Object.freeze({});
/** Event names are few; a host that invents them without end must not fill the memory. */
const MAX_CACHED_EVENTS = 1024;

/** What is registered now, and the plans that follow from it. */
export class Engine<T extends ToolMap> implements DispatchEngine<T> {
  protected readonly core: EngineContext;
  private readonly parts: EngineParts;
  private readonly active = new Set<Promise<unknown>>();
  private readonly entries = new Map<string, EventEntry>();
  private readonly registrations = new Set<RegisteredHook>();
  private readonly watchers = new Set<{ readonly event: string; readonly watcher: OutcomeWatcher }>();
  private sequence = 0;
  /** somebody looks at sessions from outside */
  private hasSessions = false;

  constructor(core: EngineContext, parts: EngineParts) {
    this.core = core;
    this.parts = parts;
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
    if (entry.isEmpty && entry.watchers.length === 0 && !entry.isRecorded) return EMPTY_DISPATCH;
    let value: object;
    try {
      value = typeof payload === "function" ? payload() : payload;
    } catch (error) {
      return Promise.reject(error);
    }
    if (!isJsonObject(value))
      return Promise.reject(new TypeError(`the payload of ${event} must be an object, not ${typeof value}`));
    if (entry.isRecorded) this.core.sessions.record(entry.event.name, value);
    const subject = entry.subjectOf(value);
    const plan = entry.planFor(subject);
    if (!isEmptyPlan(plan)) return this.runPlan(entry, subject, value, plan, options);
    if (entry.watchers.length > 0) this.notifyWatchers(entry, value, NO_OUTCOME);
    return EMPTY_DISPATCH;
  }

  /** Apart from `dispatch`, whose empty path must not pay for what is made here. */
  private runPlan(
    entry: EventEntry,
    subject: string,
    payload: JsonObject,
    plan: Plan,
    options: DispatchOptions,
  ): Promise<Outcome> {
    const { event, refused } = entry;
    const request = { event, subject, payload, plan, options, refused };
    return this.track(
      runDispatch(this.core, request).then(outcome => {
        this.notifyWatchers(entry, payload, outcome);
        return outcome;
      }),
    );
  }

  session(id: string): Session {
    if (!this.hasSessions) {
      this.hasSessions = true;
      this.forgetPlans();
    }
    return this.core.sessions.get(id);
  }

  preview(event: string, given: object): readonly Listing[] {
    const payload = isJsonObject(given) ? given : {};
    const entry = this.entries.get(event) ?? this.makeEntry(event);
    const { functions, handlers, names } = entry.planFor(entry.subjectOf(payload));
    const session = readSession(payload);
    const { once } = this.core;
    const runs = functions.filter(item => !item.isOnce || !once.isUsed(session, item.run));
    return [
      ...runs.map(item => this.listRegistration(item, entry.event)),
      ...(handlers?.preview(payload, names) ?? []),
    ];
  }

  list(): readonly Listing[] {
    const functions = [...this.registrations].flatMap(item =>
      item.events.map(event => this.listRegistration(item, this.core.events.describeEvent(event))),
    );
    return [...functions, ...this.parts.listHandlers()];
  }

  /** A function is part of the host's own program: it has no file, no identity, and is always trusted. */
  private listRegistration(item: RegisteredHook, event: EventDescriptor): Listing {
    const byDefault: FailurePolicy = event.power === "veto" ? "closed" : "open";
    const { id, matcherText: matcher, timeoutMs } = item;
    return {
      id,
      event: event.name,
      kind: "function",
      source: "builtin",
      dialect: "claude",
      ...defined({ matcher }),
      summary: `function ${id}`,
      timeoutMs,
      onFailure: item.onFailure ?? this.core.failurePolicy(event.name) ?? byDefault,
      identity: "",
      trust: "trusted",
      enabled: true,
    };
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
        `${JSON.stringify(event)} is not an event${didYouMean(event, this.core.events.names)}; your own events belong in "events"`,
      );
    return this.add([registerOn(descriptor, matcher, hook, options, ++this.sequence)]);
  }

  use(hooks: object | readonly object[], options: UseOptions = {}): Disposable {
    const list: readonly object[] = Array.isArray(hooks) ? hooks : [hooks];
    return this.add(list.flatMap(hook => this.parts.register(hook, options, () => ++this.sequence)));
  }

  /** What `sandbox()` attached last. */
  get sandboxPart(): SandboxPart | undefined {
    return [...this.registrations].flatMap(item => item.sandbox ?? []).at(-1);
  }

  /** What `history()` attached last. */
  get historyPart(): HistoryPart | undefined {
    return [...this.registrations].flatMap(item => item.history ?? []).at(-1);
  }

  private add(added: readonly RegisteredHook[]): Disposable {
    for (const item of added) this.registrations.add(item);
    return this.disposable(() => {
      for (const item of added) this.registrations.delete(item);
    });
  }

  observe(event: string, watcher: OutcomeWatcher): Disposable {
    const entry = { event: this.core.events.describeEvent(event).name, watcher };
    this.watchers.add(entry);
    return this.disposable(() => this.watchers.delete(entry));
  }

  private disposable(remove: () => unknown): Disposable {
    this.forgetPlans();
    return {
      [Symbol.dispose]: () => {
        remove();
        this.forgetPlans();
      },
    };
  }

  /** Plans are made anew after every change of what is registered or loaded. */
  protected forgetPlans(): void {
    this.entries.clear();
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
      this.core,
      event,
      [...this.registrations].filter(item => item.events.includes(event.name)),
      this.parts.handlersOf(event),
      [...this.watchers].filter(item => item.event === event.name).map(({ watcher }) => watcher),
      RECORDED.has(event.name) && (this.registrations.size > 0 || this.hasSessions),
    );
    if (this.entries.size >= MAX_CACHED_EVENTS) this.entries.clear();
    this.entries.set(name, entry);
    return entry;
  }
}
