import { JSON_DEPTH_LIMIT, parseJsonObject } from "../../protocol/index.ts";
import type { System } from "../../system/index.ts";
import { readUsageFacts, type TokenCount, type UsageFact } from "./facts.ts";
import { costOfTokens, type PriceList } from "./prices.ts";
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

/** What one session has used so far, kept between calls so that only what is new has to be read. */
export interface UsageMeter {
  readonly session: string;
  /** the session that started this one */
  readonly parent?: string;
  readonly project: string;
  readonly startedMs: number;
  readonly days: Readonly<Record<string, Spent>>;
  /** by path of the host's record */
  readonly files: Readonly<Record<string, MeteredFile>>;
  /** budgets that the person was warned about */
  readonly warned: readonly string[];
}

export interface Spent {
  readonly tokens: number;
  /** US dollars of what has a price */
  readonly cost: number;
  /** tokens that have none */
  readonly unpriced: number;
}

interface MeteredFile {
  /** of the first byte that was not read */
  readonly offset: number;
  readonly model?: string;
  /** the session that its lines name */
  readonly session?: string;
  /** the newest answers: hosts write an answer again when it has grown */
  readonly recent: readonly RecentAnswer[];
}

interface RecentAnswer extends Spent {
  readonly id: string;
  readonly day: string;
}

/** Answers that were counted, by any session: hosts copy a session's answers into the record of one that continues it. */
export interface CountedAnswers {
  /** `timeMs` is when the answer was written, 0 when unknown */
  has(id: string, timeMs: number): boolean;
  add(id: string): void;
}

const MAX_RECENT = 50;
const CHUNK_BYTES = 512 * 1024;
const NEWLINE = 0x0a;
const NOTHING: Spent = { tokens: 0, cost: 0, unpriced: 0 };

export function addSpent(one: Spent, other: Spent, sign: 1 | -1 = 1): Spent {
  return {
    tokens: one.tokens + sign * other.tokens,
    cost: one.cost + sign * other.cost,
    unpriced: one.unpriced + sign * other.unpriced,
  };
}

/** The meter after what a record has got since it was read last. */
export function advanceMeter(
  system: Pick<System, "files" | "text">,
  meter: UsageMeter,
  path: string,
  prices: PriceList,
  counted: CountedAnswers,
): UsageMeter {
  const known = meter.files[path] ?? { offset: 0, recent: [] };
  // A record that is shorter than before was written anew.
  const start = (system.files.follow(path)?.size ?? 0) < known.offset ? 0 : known.offset;
  const reading = new MeterReading(meter, known, prices, counted);
  let offset = start;
  for (const { text, end } of newLines(system, path, start)) {
    offset = end;
    const line = parseJsonObject(text, JSON_DEPTH_LIMIT);
    if (line !== undefined) for (const fact of readUsageFacts(line)) reading.take(fact);
  }
  return reading.after(meter, path, offset);
}

/** What new lines of a record add to a meter. */
class MeterReading {
  private readonly prices: PriceList;
  private readonly counted: CountedAnswers;
  private readonly recent: Map<string, RecentAnswer>;
  private readonly days: Record<string, Spent>;
  private parent: string | undefined;
  private startedMs: number;
  private model: string | undefined;
  private session: string;

  constructor(meter: UsageMeter, known: MeteredFile, prices: PriceList, counted: CountedAnswers) {
    this.prices = prices;
    this.counted = counted;
    this.recent = new Map(known.recent.map(answer => [answer.id, answer]));
    this.days = { ...meter.days };
    this.parent = meter.parent;
    this.startedMs = meter.startedMs;
    this.model = known.model;
    this.session = known.session ?? "";
  }

  take(fact: UsageFact): void {
    if (fact.kind === "session") {
      this.parent ??= fact.parent;
      this.model = fact.model ?? this.model;
      this.session = fact.id ?? this.session;
      return;
    }
    this.startedMs = this.startedMs === 0 ? fact.timeMs : Math.min(this.startedMs, fact.timeMs);
    if (fact.kind === "spent") this.takeAnswer(fact);
  }

  /** An answer that was counted before has grown, or was copied from the session that this one continues. */
  private takeAnswer(fact: Extract<UsageFact, { readonly kind: "spent" }>): void {
    const { counted, days, recent } = this;
    const id = fact.isLocalId === true ? `${this.session} ${fact.id}` : fact.id;
    const before = recent.get(id);
    if (before === undefined) {
      if (counted.has(id, fact.timeMs)) {
        // What was only copied is no start of this session.
        if (Object.keys(days).length === 0) this.startedMs = 0;
        return;
      }
      counted.add(id);
    }
    const day = before?.day ?? formatDay(fact.timeMs);
    const tokens = totalTokens(fact.tokens);
    const cost = fact.cost ?? costOfTokens(fact.model ?? this.model, fact.tokens, this.prices);
    const spent = { tokens, cost: cost ?? 0, unpriced: cost === undefined ? tokens : 0 };
    days[day] = addSpent(addSpent(days[day] ?? NOTHING, before ?? NOTHING, -1), spent);
    recent.delete(id);
    recent.set(id, { id, day, ...spent });
  }

  after(meter: UsageMeter, path: string, offset: number): UsageMeter {
    const { days, model, parent, session, startedMs } = this;
    const file: MeteredFile = {
      offset,
      ...(model === undefined ? {} : { model }),
      ...(session === "" ? {} : { session }),
      recent: [...this.recent.values()].slice(-MAX_RECENT),
    };
    return {
      ...meter,
      ...(parent === undefined ? {} : { parent }),
      startedMs,
      days,
      files: { ...meter.files, [path]: file },
    };
  }
}

/** Whole lines from an offset on, each with where it ends. */
function* newLines(
  { files, text }: Pick<System, "files" | "text">,
  path: string,
  start: number,
): Generator<{ readonly text: string; readonly end: number }> {
  let pending = new Uint8Array(0);
  let lineStart = start;
  for (let at = start; ; ) {
    const chunk = files.readRange(path, at, CHUNK_BYTES);
    if (chunk.length === 0) return;
    at += chunk.length;
    const bytes = new Uint8Array(pending.length + chunk.length);
    bytes.set(pending);
    bytes.set(chunk, pending.length);
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
      lineStart += end - from + 1;
      yield { text: text.decode(bytes.subarray(from, end)).text, end: lineStart };
      from = end + 1;
    }
    pending = bytes.slice(from);
  }
}
