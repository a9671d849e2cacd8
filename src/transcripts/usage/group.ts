import type { TokenCount } from "./facts.ts";
import type { SessionTime, Usage, UsageEntry } from "./sum.ts";

export const USAGE_GROUPS = ["day", "session", "project", "model", "host"] as const;
export type UsageGrouping = (typeof USAGE_GROUPS)[number];

/** What one day, session, project, model or host used. */
export interface UsageGroup {
  readonly key: string;
  readonly answers: number;
  readonly tokens: TokenCount;
  /** US dollars of what has a price */
  readonly cost: number;
  /** tokens that have no price */
  readonly unpriced: number;
  /** the largest share of a model's context that was in use; undefined where no host tells its size */
  readonly context: number | undefined;
  /** undefined for models: a session may have several */
  readonly workingMs: number | undefined;
  readonly waitingMs: number | undefined;
  readonly lastMs: number;
}

const NO_TOKENS: TokenCount = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

export function totalTokens({ input, output, cacheRead, cacheWrite }: TokenCount): number {
  return input + output + cacheRead + cacheWrite;
}

export function addTokens(one: TokenCount, other: TokenCount): TokenCount {
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    reasoning: one.reasoning + other.reasoning,
  };
}

/** `2026-11-16`, by the clock of this machine. */
export function formatDay(timeMs: number): string {
  const date = new Date(timeMs);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Groups in order of their last answer, the newest first. */
export function groupUsage(usage: Usage, by: UsageGrouping, sinceMs = 0): readonly UsageGroup[] {
  const groups = new Map<string, UsageGroup>();
  for (const entry of usage.entries) {
    if (entry.timeMs < sinceMs) continue;
    const key = groupKey(entry, by);
    groups.set(key, withEntry(groups.get(key) ?? emptyGroup(key, by), entry));
  }
  if (by !== "model")
    for (const time of usage.times) {
      if (time.endedMs < sinceMs) continue;
      const key = groupKey({ ...time, model: undefined, timeMs: time.startedMs }, by);
      const group = groups.get(key);
      if (group === undefined) continue;
      groups.set(key, {
        ...group,
        workingMs: (group.workingMs ?? 0) + time.workingMs,
        waitingMs: (group.waitingMs ?? 0) + time.waitingMs,
      });
    }
  return [...groups.values()].sort((one, other) => other.lastMs - one.lastMs);
}

/** All groups as one. */
export function sumGroups(groups: readonly UsageGroup[]): UsageGroup {
  return groups.reduce<UsageGroup>(
    (sum, group) => ({
      key: sum.key,
      answers: sum.answers + group.answers,
      tokens: addTokens(sum.tokens, group.tokens),
      cost: sum.cost + group.cost,
      unpriced: sum.unpriced + group.unpriced,
      context: largest(sum.context, group.context),
      workingMs: group.workingMs === undefined ? sum.workingMs : (sum.workingMs ?? 0) + group.workingMs,
      waitingMs: group.waitingMs === undefined ? sum.waitingMs : (sum.waitingMs ?? 0) + group.waitingMs,
      lastMs: Math.max(sum.lastMs, group.lastMs),
    }),
    { ...emptyGroup("total", "model") },
  );
}

function emptyGroup(key: string, by: UsageGrouping): UsageGroup {
  const time = by === "model" ? undefined : 0;
  return {
    key,
    answers: 0,
    tokens: NO_TOKENS,
    cost: 0,
    unpriced: 0,
    context: undefined,
    workingMs: time,
    waitingMs: time,
    lastMs: 0,
  };
}

function withEntry(group: UsageGroup, { tokens, cost, context, window, timeMs }: UsageEntry): UsageGroup {
  return {
    ...group,
    answers: group.answers + 1,
    tokens: addTokens(group.tokens, tokens),
    cost: group.cost + (cost ?? 0),
    unpriced: group.unpriced + (cost === undefined ? totalTokens(tokens) : 0),
    context: largest(group.context, window === undefined || window === 0 ? undefined : context / window),
    lastMs: Math.max(group.lastMs, timeMs),
  };
}

function largest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || (other ?? 0) > one ? other : one;
}

type Grouped = Pick<UsageEntry, "host" | "session" | "project" | "model" | "timeMs"> | SessionTimeKey;
type SessionTimeKey = SessionTime & { readonly model: undefined; readonly timeMs: number };

function groupKey({ host, session, project, model, timeMs }: Grouped, by: UsageGrouping): string {
  switch (by) {
    case "day":
      return formatDay(timeMs);
    case "session":
      return session;
    case "project":
      return project ?? "unknown";
    case "model":
      return model ?? "unknown";
    case "host":
      return host;
  }
}
