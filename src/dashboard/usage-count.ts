import type { System } from "../system/index.ts";
import {
  groupUsage,
  type PriceList,
  sumGroups,
  USAGE_GROUPS,
  type Usage,
  type UsageGroup,
} from "../transcripts/index.ts";
import { loadRecordedUsage } from "../verify/index.ts";
import { usageText } from "./views/usage.ts";

/** Records are counted again when that much time has passed and somebody looks. */
const RECOUNT_MS = 30_000;
/** Older answers are on no page. */
const KEPT_MS = 90 * 24 * 60 * 60_000;

interface Counted extends Usage {
  readonly problems: readonly string[];
}

/** What models cost, here or in a team. */
export interface UsageFigures {
  /** what there can be a row for each of */
  readonly groupings: readonly string[];
  /** where the figures come from, in a sentence */
  readonly source: string;
  /** Undefined until they were counted once. */
  groups(by: string, sinceMs: number): MaybeLater<readonly UsageGroup[] | undefined>;
  problems(): readonly string[];
  costBetween(fromMs: number, toMs: number): MaybeLater<string | undefined>;
  /** What a session used, in words. */
  ofSession(name: string): string | undefined;
}

type MaybeLater<T> = T | Promise<T>;

/** What the hosts' records say of tokens and costs: counted in the background, so that no page waits for it. */
export class UsageCount implements UsageFigures {
  readonly groupings = USAGE_GROUPS;
  readonly source = "From the hosts' own records.";
  private readonly system: System;
  private readonly home: string;
  private readonly prices: PriceList;
  private counted: Counted | undefined;
  private bySession: ReadonlyMap<string, UsageGroup> = new Map();
  private isCounting = false;
  private countedMs = Number.NEGATIVE_INFINITY;

  constructor(system: System, home: string, prices: PriceList) {
    this.system = system;
    this.home = home;
    this.prices = prices;
  }

  /** Undefined until they were counted once. */
  groups(by: string, sinceMs: number): readonly UsageGroup[] | undefined {
    void this.count();
    const grouping = USAGE_GROUPS.find(each => each === by) ?? "day";
    return this.counted === undefined ? undefined : groupUsage(this.counted, grouping, sinceMs);
  }

  problems(): readonly string[] {
    return this.counted?.problems ?? [];
  }

  costBetween(fromMs: number, toMs: number): string | undefined {
    void this.count();
    if (this.counted === undefined) return undefined;
    const entries = this.counted.entries.filter(({ timeMs }) => timeMs >= fromMs && timeMs < toMs);
    if (entries.length === 0) return undefined;
    return usageText(sumGroups(groupUsage({ ...this.counted, entries, times: [] }, "model")));
  }

  /** What a session used, in words. */
  ofSession(name: string): string | undefined {
    void this.count();
    const group = this.bySession.get(name);
    return group === undefined ? undefined : usageText(group);
  }

  /** Never rejects. Calls at once share one count. */
  async count(): Promise<void> {
    const nowMs = this.system.clock.monotonicMs();
    if (this.isCounting || nowMs - this.countedMs < RECOUNT_MS) return;
    this.isCounting = true;
    try {
      const { readRecordedUsage } = await loadRecordedUsage();
      const sinceMs = this.system.clock.nowMs() - KEPT_MS;
      this.counted = await readRecordedUsage(this.system, this.home, { prices: this.prices, sinceMs });
      this.bySession = new Map(groupUsage(this.counted, "session").map(group => [group.key, group]));
    } finally {
      this.countedMs = this.system.clock.monotonicMs();
      this.isCounting = false;
    }
  }
}
