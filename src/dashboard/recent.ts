import type { NewEntry } from "./entries.ts";

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
export class Recent<E extends Entry> {
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
  return text === "" || Object.values(entry).some(value => textOf(value).toLowerCase().includes(text));
}

function textOf(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
