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
