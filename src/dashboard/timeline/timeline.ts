import { type Activity, type Counted, countByName, Latency, type LatencySeries } from "../activity.ts";
import type { JudgementEntry, Origin, RunEntry } from "../entries.ts";
import {
  assembleCalls,
  type Call,
  type ChangeSource,
  type ChangeSummary,
  canUndo,
  type Moment,
  type Outcome,
} from "./calls.ts";

/** What came of one prompt. */
export interface Turn {
  readonly number: number;
  /** newest first */
  readonly items: readonly (Call | Moment)[];
}

export interface Session {
  /** names it on this page: of one machine what its host calls it, of a team also whose it is */
  readonly id: string;
  /** what its host calls it; empty for calls that belong to none */
  readonly name: string;
  /** undefined for this machine */
  readonly origin: Origin | undefined;
  readonly host: string;
  readonly project: string;
  readonly firstMs: number;
  readonly lastMs: number;
  /** newest first */
  readonly turns: readonly Turn[];
  readonly calls: readonly Call[];
  /** calls, and other events that something came of; newest first */
  readonly notable: readonly (Call | Moment)[];
  readonly figures: SessionFigures;
  /** where the host records it; empty where that is not known */
  readonly transcript: string;
}

export interface SessionFigures {
  readonly calls: number;
  readonly refused: number;
  readonly asked: number;
  readonly kept: number;
  readonly answered: number;
  readonly held: number;
  readonly unchecked: number;
  readonly changes: number;
  readonly undone: number;
}

/** Everything that was read, newest first. */
export interface Timeline {
  readonly sessions: readonly Session[];
  readonly byId: ReadonlyMap<string, Session>;
  readonly calls: readonly Call[];
  /** calls, and other events that something came of */
  readonly items: readonly (Call | Moment)[];
  /** undos and redos, which belong to no session */
  readonly undos: readonly ChangeSummary[];
  /** names to choose from, the most frequent first */
  readonly names: Readonly<Record<"host" | "project" | "rule", readonly string[]>>;
}

/**
 * Builds the timeline when it is asked for and something has happened since. What came of sessions that have nothing
 * new is taken as it was: of many sessions few are under way.
 */
export class Timelines {
  private readonly activity: Activity;
  private readonly changes: ChangeSource;
  private built: Timeline | undefined;
  private version = "";
  private readonly entries = new Map<string, SessionEntries>();
  private readonly sessions = new Map<string, Session | undefined>();
  private seenRuns: NumberRange = EMPTY_RANGE;
  private seenJudgements: NumberRange = EMPTY_RANGE;
  private seenChanges = "";
  /** sessions of the last piece, which are not put together yet */
  private lastTaken: ReadonlySet<string> = new Set();

  constructor(activity: Activity, changes: ChangeSource) {
    this.activity = activity;
    this.changes = changes;
    // A page that is asked for after something long was read shall not wait for all of it to be put together.
    activity.onPiece = () => this.absorb();
  }

  read(): Timeline {
    const { runs, judgements } = this.activity;
    const changesMark = this.changes.version();
    const version = `${runs.range} ${judgements.range} ${changesMark}`;
    if (this.built !== undefined && version === this.version) return this.built;
    const changed = new Set([...this.lastTaken, ...this.takeEntries()]);
    this.lastTaken = new Set();
    const changes = this.changes.list();
    if (changesMark !== this.seenChanges) this.takeChanges(changes, changed);
    this.seenChanges = changesMark;
    this.makeSessions(changed);
    this.built = buildTimeline([...this.sessions.values()], changes);
    this.version = version;
    return this.built;
  }

  /** Takes what was read, and puts the sessions together that it belongs to. */
  private absorb(): void {
    const before = this.lastTaken;
    const changed = this.takeEntries();
    // The session at the border of a piece goes on in the next one.
    this.lastTaken = changed;
    this.makeSessions([...before].filter(id => !changed.has(id)));
  }

  private makeSessions(ids: Iterable<string>): void {
    for (const id of ids) this.sessions.set(id, makeSession(id, this.entries.get(id) ?? NO_ENTRIES));
  }

  private takeEntries(): Set<string> {
    const { runs, judgements } = this.activity;
    const changed = new Set<string>();
    if (isForgotten(this.seenRuns, runs.range) || isForgotten(this.seenJudgements, judgements.range))
      this.forget();
    this.seenRuns = this.take(runs, this.seenRuns, "runs", changed);
    this.seenJudgements = this.take(judgements, this.seenJudgements, "judgements", changed);
    return changed;
  }

  /** What is no longer kept must not be counted. */
  private forget(): void {
    this.entries.clear();
    this.sessions.clear();
    this.seenRuns = EMPTY_RANGE;
    this.seenJudgements = EMPTY_RANGE;
    this.seenChanges = "";
  }

  private take<E extends RunEntry | JudgementEntry>(
    recent: { readonly range: NumberRange; between(from: number, to: number): readonly E[] },
    seen: NumberRange,
    member: "runs" | "judgements",
    changed: Set<string>,
  ): NumberRange {
    const { range } = recent;
    const isFirst = seen === EMPTY_RANGE;
    const older = isFirst ? recent.between(...range) : recent.between(range[0], seen[0]);
    const newer = isFirst ? [] : recent.between(seen[1], range[1]);
    const add = (entries: readonly E[], isOlder: boolean): void => {
      for (const [id, group] of bySession(entries)) {
        const known = this.entries.get(id) ?? NO_ENTRIES;
        const before = known[member] as unknown as readonly E[];
        this.entries.set(id, { ...known, [member]: isOlder ? [...group, ...before] : [...before, ...group] });
        changed.add(id);
      }
    };
    add(older, true);
    add(newer, false);
    return range;
  }

  private takeChanges(changes: readonly ChangeSummary[], changed: Set<string>): void {
    const made = bySession(changes.filter(({ kind }) => kind === "call"));
    for (const id of new Set([...this.entries.keys(), ...made.keys()])) {
      const known = this.entries.get(id) ?? NO_ENTRIES;
      const now = made.get(id) ?? [];
      if (stateOfChanges(known.changes) === stateOfChanges(now)) continue;
      this.entries.set(id, { ...known, changes: now });
      changed.add(id);
    }
  }
}

type NumberRange = readonly [number, number];
const EMPTY_RANGE: NumberRange = [0, 0];

function isForgotten(seen: NumberRange, now: NumberRange): boolean {
  return seen !== EMPTY_RANGE && now[0] > seen[0];
}

interface SessionEntries {
  readonly runs: readonly RunEntry[];
  readonly judgements: readonly JudgementEntry[];
  readonly changes: readonly ChangeSummary[];
}

const NO_ENTRIES: SessionEntries = { runs: [], judgements: [], changes: [] };

function stateOfChanges(changes: readonly ChangeSummary[]): string {
  return JSON.stringify(
    changes.map(({ id, isOpen, fileCount, undoneBy, isPartlyUndone }) => [
      id,
      isOpen,
      fileCount,
      undoneBy,
      isPartlyUndone,
    ]),
  );
}

function buildTimeline(
  assembled: readonly (Session | undefined)[],
  changes: readonly ChangeSummary[],
): Timeline {
  const sessions = assembled
    .filter(session => session !== undefined)
    .sort((one, other) => other.lastMs - one.lastMs);
  const items = sessions.flatMap(({ notable }) => notable).sort((one, other) => other.atMs - one.atMs);
  return {
    sessions,
    byId: new Map(sessions.map(session => [session.id, session])),
    calls: items.filter(item => item.kind === "call"),
    items,
    undos: changes.filter(({ kind }) => kind !== "call"),
    names: {
      host: listNames(sessions, ({ host }) => host),
      project: listNames(sessions, ({ project }) => project),
      rule: countByName(
        items.filter(({ rules }) => rules.length > 0),
        ({ rules }) => rules,
      ).map(({ name }) => name),
    },
  };
}

function listNames(sessions: readonly Session[], nameOf: (session: Session) => string): readonly string[] {
  return countByName(sessions, nameOf).map(({ name }) => name);
}

/** Of what is no call, most came to nothing. */
function isNotable(item: Call | Moment): boolean {
  return item.kind === "call" || (item.outcome !== "silent" && item.outcome !== "context");
}

interface OfSession {
  readonly session: string;
  readonly origin?: Origin;
}

/** Two machines may call their sessions by the same name. */
export function uniqueSessionId({ session, origin }: OfSession): string {
  return origin === undefined ? session : `${session}~${origin.person}@${origin.machine}/${origin.team}`;
}

function bySession<E extends OfSession>(entries: readonly E[]): Map<string, E[]> {
  const groups = new Map<string, E[]>();
  for (const entry of entries) {
    const id = uniqueSessionId(entry);
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [entry]);
    else group.push(entry);
  }
  return groups;
}

function makeSession(id: string, { runs, judgements, changes }: SessionEntries): Session | undefined {
  const items = assembleCalls(runs, judgements, changes);
  const [first, last] = [items[0], items.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const turns = new Map<number, (Call | Moment)[]>();
  let number = 0;
  for (const item of items) {
    // What no run tells of has no turn of its own, and happened in the one under way.
    number = Math.max(number, item.turn);
    const turn = turns.get(number) ?? [];
    turns.set(number, turn);
    turn.push(item);
  }
  const calls = items.filter(item => item.kind === "call").reverse();
  return {
    id,
    name: last.session,
    origin: last.origin,
    host: last.host,
    project: (calls[0] ?? last).project,
    firstMs: first.atMs,
    lastMs: last.atMs,
    turns: [...turns].reverse().map(([of, its]) => ({ number: of, items: its.reverse() })),
    calls,
    notable: items.filter(isNotable).reverse(),
    figures: countFigures(items),
    transcript: runs.findLast(({ transcript }) => transcript !== "")?.transcript ?? "",
  };
}

const COUNTED: Readonly<Partial<Record<Outcome, keyof SessionFigures>>> = {
  refused: "refused",
  asked: "asked",
  kept: "kept",
  answered: "answered",
  held: "held",
  unchecked: "unchecked",
};

const NO_FIGURES = {
  calls: 0,
  refused: 0,
  asked: 0,
  kept: 0,
  answered: 0,
  held: 0,
  unchecked: 0,
  changes: 0,
  undone: 0,
};

/** The one count of what happened: pages, report and JSON have their figures from here. */
function countFigures(items: Iterable<Call | Moment>): SessionFigures {
  const figures: Record<keyof SessionFigures, number> = { ...NO_FIGURES };
  for (const item of items) {
    const counted = COUNTED[item.outcome];
    if (counted !== undefined) figures[counted]++;
    if (item.kind !== "call") continue;
    figures.calls++;
    if (item.change === undefined) continue;
    figures.changes++;
    if (item.change.undoneBy !== undefined) figures.undone++;
  }
  return figures;
}

/** Ids of changes that can still be undone, newest first. */
export function undoableChanges(items: readonly (Call | Moment)[]): readonly string[] {
  return items.flatMap(item =>
    item.kind === "call" && item.change !== undefined && canUndo(item.change) ? [item.change.id] : [],
  );
}

/** What happened in one stretch of time. */
export interface Stretch extends SessionFigures {
  readonly startMs: number;
}

/** What agents did in some time. */
export interface Summary {
  readonly figures: SessionFigures;
  /** how many files were changed, each counted once, folders left out */
  readonly files: number;
  readonly stretches: readonly Stretch[];
  readonly rules: readonly Counted[];
  readonly projects: readonly Counted[];
  readonly hosts: readonly Counted[];
  /** of a team */
  readonly people: readonly Counted[];
  readonly sessions: readonly Session[];
  readonly sessionCount: number;
  /** what happened in it, newest first */
  readonly items: readonly (Call | Moment)[];
}

/** Figures of a timeline that pages asked for, as long as it is the newest one. */
const SUMMARIES = new WeakMap<Timeline, Map<string, Summary>>();

/** From the first edge up to the last, in the stretches between them. Counted once for each timeline. */
export function summarise(timeline: Timeline, edges: readonly number[]): Summary {
  const kept = SUMMARIES.get(timeline) ?? new Map<string, Summary>();
  SUMMARIES.set(timeline, kept);
  const key = edges.join();
  const summary = kept.get(key) ?? countSummary(timeline, edges);
  kept.set(key, summary);
  return summary;
}

function countSummary({ items, undos, sessions }: Timeline, edges: readonly number[]): Summary {
  const [fromMs, toMs] = [edges[0] ?? 0, edges.at(-1) ?? Number.POSITIVE_INFINITY];
  const within = items.slice(firstAt(items, toMs), firstAt(items, fromMs));
  const calls = within.filter(item => item.kind === "call");
  const stretches = edges.slice(0, -1).map((startMs, index) => {
    const endMs = edges[index + 1] ?? startMs;
    const inside = within.slice(firstAt(within, endMs), firstAt(within, startMs));
    return { ...countFigures(inside), undone: countUndone(undos, startMs, endMs), startMs };
  });
  const stopped = calls.filter(({ outcome }) => outcome !== "silent");
  const names = new Set<string>();
  for (const item of within) names.add(uniqueSessionId(item));
  return {
    figures: { ...countFigures(within), undone: countUndone(undos, fromMs, toMs) },
    files: new Set(calls.flatMap(({ change }) => change?.paths ?? [])).size,
    stretches,
    // The strongest of each: a call is counted once.
    rules: countByName(stopped, call => call.rules.slice(0, 1)),
    projects: countByName(calls, call => call.project),
    hosts: countByName(calls, call => call.host),
    people: countByName(calls, call => call.origin?.person ?? ""),
    sessions: sessions.filter(({ id }) => names.has(id)),
    sessionCount: names.size,
    items: within,
  };
}

/** Changes that a person took back in that time, each as often as they did. */
function countUndone(undos: readonly ChangeSummary[], fromMs: number, toMs: number): number {
  return undos
    .filter(({ kind, timeMs }) => kind === "undo" && timeMs >= fromMs && timeMs < toMs)
    .reduce((sum, { of }) => sum + of.length, 0);
}

/** Of what is sorted newest first: where that begins which happened before `ms`. */
function firstAt(items: readonly { readonly atMs: number }[], ms: number): number {
  let low = 0;
  for (let high = items.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((items[middle]?.atMs ?? 0) >= ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

const LATENCIES = new WeakMap<
  Activity["runs"],
  { readonly key: string; readonly series: readonly LatencySeries[] }
>();

/** How long hooks took, of all that was read. Counted once for what is there. */
export function measureLatency(runs: Activity["runs"], sinceMs: number): readonly LatencySeries[] {
  const key = `${runs.range} ${sinceMs}`;
  const known = LATENCIES.get(runs);
  if (known?.key === key) return known.series;
  const latency = new Latency();
  for (const { hook, atMs, ms } of runs.newestFirst())
    if (atMs >= sinceMs) latency.add(hook, atMs, ms * 1_000);
  const series = latency.series();
  LATENCIES.set(runs, { key, series });
  return series;
}
