import { setImmediate } from "node:timers/promises";
import type { EntrySource, JudgementEntry, NewEntry, RunEntry } from "./entries.ts";

/** A name with how often it occurs. */
export interface Counted {
  readonly name: string;
  readonly count: number;
}

/** How often each name occurs, the most frequent first. Entries without a name are left out. */
export function countByName<E>(
  entries: Iterable<E>,
  nameOf: (entry: E) => string | readonly string[],
): readonly Counted[] {
  const counts = new Map<string, number>();
  for (const entry of entries) {
    const names = nameOf(entry);
    for (const name of typeof names === "string" ? [names] : names)
      if (name !== "") counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return mostFirst(counts);
}

function mostFirst(counts: ReadonlyMap<string, number>): readonly Counted[] {
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1));
}

/** Durations of one hook in one stretch of time, in microseconds. */
interface LatencyFigures {
  readonly count: number;
  readonly medianUs: number;
  readonly p95Us: number;
  readonly maximumUs: number;
}

export interface LatencySeries {
  readonly hook: string;
  readonly overall: LatencyFigures;
  readonly points: readonly ({ readonly startMs: number } & LatencyFigures)[];
}

const MAX_BUCKETS = 120;
const MAX_HOOKS = 32;
const MIN_WIDTH_MS = 60_000;
const MAX_WIDTH_MS = 24 * 60 * 60 * 1000;
/** Four bins per doubling: a quantile is right within a tenth, whatever the number of calls. */
const BINS_PER_DOUBLING = 4;
const BINS = 32 * BINS_PER_DOUBLING;

class Histogram {
  readonly bins = new Uint32Array(BINS);
  count = 0;
  maximumUs = 0;

  add(us: number): void {
    const bin = us < 1 ? 0 : Math.min(BINS - 1, Math.floor(Math.log2(us) * BINS_PER_DOUBLING));
    this.bins[bin] = (this.bins[bin] ?? 0) + 1;
    this.count++;
    this.maximumUs = Math.max(this.maximumUs, us);
  }

  merge(other: Histogram): void {
    other.bins.forEach((amount, bin) => {
      this.bins[bin] = (this.bins[bin] ?? 0) + amount;
    });
    this.count += other.count;
    this.maximumUs = Math.max(this.maximumUs, other.maximumUs);
  }

  figures(): LatencyFigures {
    const { count, maximumUs } = this;
    return { count, medianUs: this.quantile(0.5), p95Us: this.quantile(0.95), maximumUs };
  }

  private quantile(share: number): number {
    let left = Math.ceil(this.count * share);
    for (let bin = 0; bin < BINS; bin++) {
      left -= this.bins[bin] ?? 0;
      if (left <= 0) return Math.min(this.maximumUs, Math.round(2 ** ((bin + 0.5) / BINS_PER_DOUBLING)));
    }
    return this.maximumUs;
  }
}

/**
 * How long each hook took over time, in bounded memory: stretches grow when there would be too many, until they
 * last a day; then the oldest are dropped.
 */
export class Latency {
  private widthMs = MIN_WIDTH_MS;
  private readonly hooks = new Map<string, { overall: Histogram; buckets: Map<number, Histogram> }>();
  private starts = new Set<number>();

  add(name: string, atMs: number, us: number): void {
    const hook = this.hooks.has(name) || this.hooks.size < MAX_HOOKS ? name : "other";
    const series = findOrMake(this.hooks, hook, () => ({ overall: new Histogram(), buckets: new Map() }));
    series.overall.add(us);
    const start = this.startOf(atMs);
    findOrMake(series.buckets, start, () => new Histogram()).add(us);
    this.starts.add(start);
    while (this.starts.size > MAX_BUCKETS) this.makeRoom();
  }

  series(): readonly LatencySeries[] {
    return [...this.hooks]
      .map(([hook, { overall, buckets }]) => ({
        hook,
        overall: overall.figures(),
        points: [...buckets]
          .sort(([one], [other]) => one - other)
          .map(([startMs, histogram]) => ({ startMs, ...histogram.figures() })),
      }))
      .sort((one, other) => other.overall.count - one.overall.count);
  }

  private startOf(ms: number): number {
    return Math.floor(ms / this.widthMs) * this.widthMs;
  }

  private makeRoom(): void {
    if (this.widthMs >= MAX_WIDTH_MS) {
      const oldest = Math.min(...this.starts);
      this.starts.delete(oldest);
      for (const { buckets } of this.hooks.values()) buckets.delete(oldest);
      return;
    }
    this.widthMs *= 2;
    this.starts = new Set();
    for (const series of this.hooks.values()) {
      const before = series.buckets;
      series.buckets = new Map();
      for (const [start, histogram] of before) {
        const wider = this.startOf(start);
        findOrMake(series.buckets, wider, () => new Histogram()).merge(histogram);
        this.starts.add(wider);
      }
    }
  }
}

function findOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}

interface SessionSummary {
  readonly session: string;
  readonly host: string;
  readonly project: string;
  readonly first: string;
  readonly last: string;
  readonly calls: number;
  readonly stopped: number;
  readonly failures: number;
}

/** Everything that was read, in figures. */
export interface Overview {
  readonly calls: number;
  readonly denied: number;
  readonly asked: number;
  readonly failures: number;
  /** lines of the logs that could not be understood */
  readonly unreadable: number;
  readonly hosts: readonly Counted[];
  readonly rules: readonly Counted[];
  readonly sessions: readonly SessionSummary[];
  readonly latency: readonly LatencySeries[];
}

const MAX_SESSIONS = 500;
const MAX_NAMES = 300;

/** Counts entries as they come; its memory does not grow with their number. */
class Tally {
  unreadable = 0;
  private calls = 0;
  private denied = 0;
  private asked = 0;
  private failures = 0;
  private readonly hosts = new Map<string, number>();
  private readonly rules = new Map<string, number>();
  /** in the order of their last call */
  private readonly sessions = new Map<string, SessionSummary>();
  private readonly latency = new Latency();

  addRun(run: RunEntry): void {
    this.calls++;
    const isStopped = run.decision === "deny" || run.decision === "ask";
    if (run.decision === "deny") this.denied++;
    if (run.decision === "ask") this.asked++;
    if (run.failure !== "") this.failures++;
    countUp(this.hosts, run.host);
    this.latency.add(run.hook, Date.parse(run.ts), run.ms * 1000);
    if (run.session !== "") this.addToSession(run, isStopped);
  }

  addJudgement({ decision, rules }: JudgementEntry): void {
    if (decision !== "allow") for (const rule of rules) countUp(this.rules, rule);
  }

  overview(): Overview {
    const { calls, denied, asked, failures, unreadable } = this;
    return {
      calls,
      denied,
      asked,
      failures,
      unreadable,
      hosts: mostFirst(this.hosts),
      rules: mostFirst(this.rules),
      sessions: [...this.sessions.values()].reverse(),
      latency: this.latency.series(),
    };
  }

  private addToSession(run: RunEntry, isStopped: boolean): void {
    const { session, host, project, ts } = run;
    const known = this.sessions.get(session);
    this.sessions.delete(session);
    this.sessions.set(session, {
      session,
      host,
      project,
      first: known?.first ?? ts,
      last: ts,
      calls: (known?.calls ?? 0) + 1,
      stopped: (known?.stopped ?? 0) + (isStopped ? 1 : 0),
      failures: (known?.failures ?? 0) + (run.failure === "" ? 0 : 1),
    });
    const [oldest] = this.sessions.keys();
    if (this.sessions.size > MAX_SESSIONS && oldest !== undefined) this.sessions.delete(oldest);
  }
}

function countUp(counts: Map<string, number>, name: string): void {
  const key = counts.has(name) || counts.size < MAX_NAMES ? name : "other";
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** What a reader asks for; members left out do not restrict. */
export interface EntryQuery {
  /** only entries older than the one with this number */
  readonly before?: number | undefined;
  readonly count: number;
  readonly decision?: string | undefined;
  readonly host?: string | undefined;
  readonly text?: string | undefined;
}

export interface EntryPage<E> {
  /** newest first */
  readonly entries: readonly E[];
  /** how many are kept that fit, of which `entries` are a window */
  readonly matching: number;
  /** how many of those are newer than the first of `entries` */
  readonly newer: number;
}

interface Entry {
  readonly number: number;
  readonly host: string;
  readonly decision: string;
}

/** The newest entries of a log, a bounded number of them; older ones make room. */
class Recent<E extends Entry> {
  private readonly capacity: number;
  private readonly slots: E[] = [];
  private count = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /** how many there ever were */
  get total(): number {
    return this.count;
  }

  add(entry: NewEntry<E>): E {
    const numbered = { ...entry, number: this.count } as E;
    this.slots[this.count % this.capacity] = numbered;
    this.count++;
    return numbered;
  }

  *newestFirst(): Generator<E> {
    for (let number = this.count - 1; number >= Math.max(0, this.count - this.capacity); number--) {
      yield this.slots[number % this.capacity] as E;
    }
  }

  page(query: EntryQuery): EntryPage<E> {
    const entries: E[] = [];
    let matching = 0;
    let newer = 0;
    const text = query.text?.toLowerCase() ?? "";
    for (const entry of this.newestFirst()) {
      if (!fits(entry, query, text)) continue;
      matching++;
      if (query.before !== undefined && entry.number >= query.before) newer++;
      else if (entries.length < query.count) entries.push(entry);
    }
    return { entries, matching, newer };
  }
}

/** The choice `failed` is for runs in which policy could not run; everything else is a decision. */
function fits(entry: Entry, query: EntryQuery, text: string): boolean {
  if (query.host !== undefined && entry.host !== query.host) return false;
  if (query.decision === "failed") {
    if (!("failure" in entry) || entry.failure === "") return false;
  } else if (query.decision !== undefined && entry.decision !== query.decision) return false;
  return (
    text === "" || Object.values(entry).some(value => searchableText(value).toLowerCase().includes(text))
  );
}

function searchableText(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export interface Kept {
  readonly runs: number;
  readonly judgements: number;
}

const KEPT_HERE: Kept = { runs: 50_000, judgements: 10_000 };

/** What the hooks did: figures over all that was read, and the newest entries themselves. */
export class Activity {
  readonly runs: Recent<RunEntry>;
  readonly judgements: Recent<JudgementEntry>;
  readonly tally = new Tally();
  private readonly source: EntrySource;
  private reading: Promise<boolean> | undefined;
  /** everything was read to its end once */
  isRead = false;

  constructor(source: EntrySource, kept: Kept = KEPT_HERE) {
    this.source = source;
    this.runs = new Recent(kept.runs);
    this.judgements = new Recent(kept.judgements);
  }

  /** Reads what was written since the last time; true when there was something. Calls at once share one reading. */
  catchUp(): Promise<boolean> {
    this.reading ??= this.readNews().finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  private async readNews(): Promise<boolean> {
    let isNews = false;
    for await (const { runs, judgements, unreadable } of this.source.read()) {
      isNews = true;
      this.tally.unreadable += unreadable;
      for (const run of runs) this.tally.addRun(this.runs.add(run));
      for (const judgement of judgements) this.tally.addJudgement(this.judgements.add(judgement));
      // Requests are answered between the pieces of something long.
      await setImmediate();
    }
    this.isRead = true;
    return isNews;
  }
}
