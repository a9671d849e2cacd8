import { setImmediate } from "node:timers/promises";
import type { EntryBatch, EntrySource, JudgementEntry, NewEntry, RunEntry } from "./entries.ts";

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

/** A session among the figures for programs. */
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

/** Everything that was read, in figures for programs. */
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

/** The number of the first entry that is read; older ones, which are read later, have smaller numbers. */
const START = 1_000_000_000;

/** The newest entries of a log, a bounded number of them; older ones make room. */
class Recent<E extends Entry> {
  private readonly capacity: number;
  /** from `START` on, oldest first */
  private newer: E[] = [];
  /** those before `START`, newest first */
  private older: E[] = [];
  private first = START;
  private appended = 0;
  private count = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /** how many there ever were */
  get total(): number {
    return this.count;
  }

  /** the numbers that are kept: from this one on, up to but not including that one */
  get range(): readonly [number, number] {
    return [this.first, START + this.appended];
  }

  append(entries: readonly NewEntry<E>[]): void {
    for (const entry of entries)
      this.newer.push(Object.assign(entry as E, { number: START + this.appended++ }));
    this.count += entries.length;
    const over = this.older.length + this.newer.length - this.capacity;
    if (over <= 0) return;
    const fromOlder = Math.min(over, this.older.length);
    this.older.length -= fromOlder;
    if (over > fromOlder) this.newer.splice(0, over - fromOlder);
    this.first += over;
  }

  /** Entries that are older than all others; false when there is no room for them all. */
  prepend(entries: readonly NewEntry<E>[]): boolean {
    const room = this.capacity - this.older.length - this.newer.length;
    const kept = entries.slice(Math.max(0, entries.length - room));
    for (const entry of kept.toReversed())
      this.older.push(Object.assign(entry as E, { number: --this.first }));
    this.count += kept.length;
    return kept.length === entries.length;
  }

  *newestFirst(): Generator<E> {
    for (let at = this.newer.length - 1; at >= 0; at--) yield this.newer[at] as E;
    yield* this.older;
  }

  /** Those with numbers from `from` up to but not including `to`, oldest first. */
  between(from: number, to: number): readonly E[] {
    const older = this.older.slice(Math.max(0, START - to), Math.max(0, START - from)).reverse();
    const shift = START + this.appended - this.newer.length;
    return [...older, ...this.newer.slice(Math.max(0, from - shift), Math.max(0, to - shift))];
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

const KEPT_HERE: Kept = { runs: 400_000, judgements: 100_000 };
/** So many of the newest entries are enough for a first page. */
const FIRST_ENTRIES = 2_000;

/** What the hooks did: the newest entries, a bounded number of them. */
export class Activity {
  readonly runs: Recent<RunEntry>;
  readonly judgements: Recent<JudgementEntry>;
  /** lines of the logs that could not be understood */
  unreadable = 0;
  private readonly source: EntrySource;
  private reading: Promise<boolean> | undefined;
  private start: () => void = () => {};
  private readonly first = new Promise<void>(resolve => {
    this.start = resolve;
  });
  /** everything was read to its end once */
  isRead = false;
  /** called after each piece that was read */
  onPiece: () => void = () => {};
  private undisturbed = 0;
  private goOn: () => void = () => {};
  private isStopped = false;

  constructor(source: EntrySource, kept: Kept = KEPT_HERE) {
    this.source = source;
    this.runs = new Recent(kept.runs);
    this.judgements = new Recent(kept.judgements);
  }

  /** The newest entries are there; the others are still being read. */
  get isStarted(): Promise<void> {
    void this.catchUp().catch(() => {});
    return this.first;
  }

  /** Nobody will ask any more: what is being read ends at its next piece. */
  stop(): void {
    this.isStopped = true;
    this.goOn();
  }

  /** Somebody waits for what `work` makes: older entries are read when it is done. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.undisturbed++;
    try {
      return await work();
    } finally {
      this.undisturbed--;
      this.goOn();
    }
  }

  /** Requests are answered between the pieces of something long. */
  private async letOthersWork(): Promise<void> {
    await setImmediate();
    while (this.undisturbed > 0 && !this.isStopped)
      await new Promise<void>(resolve => {
        this.goOn = resolve;
      });
  }

  /** Reads what was written since the last time; true when there was something. Calls at once share one reading. */
  catchUp(): Promise<boolean> {
    this.reading ??= this.readNews().finally(() => {
      this.reading = undefined;
      this.start();
    });
    return this.reading;
  }

  private async readNews(): Promise<boolean> {
    let isNews = false;
    if (!this.isRead && this.source.readBack !== undefined)
      isNews = await this.readOld(this.source.readBack());
    if (this.isStopped) return isNews;
    for await (const { runs, judgements, unreadable } of this.source.read()) {
      isNews = true;
      this.unreadable += unreadable;
      this.runs.append(runs);
      this.judgements.append(judgements);
      this.onPiece();
      await setImmediate();
      if (this.isStopped) return isNews;
    }
    this.isRead = true;
    return isNews;
  }

  private async readOld(batches: Iterable<EntryBatch>): Promise<boolean> {
    let isNews = false;
    for (const { runs, judgements, unreadable } of batches) {
      isNews = true;
      this.unreadable += unreadable;
      const hasRoom = this.runs.prepend(runs);
      this.judgements.prepend(judgements);
      this.onPiece();
      if (this.runs.total >= FIRST_ENTRIES) this.start();
      if (!hasRoom) break;
      await this.letOthersWork();
      if (this.isStopped) break;
    }
    return isNews;
  }
}
