import type { ActivitySummary, loadFigures } from "../../dashboard/index.ts";
import { findRule } from "../../guard/index.ts";
import { count, escapeHidden } from "../../text/index.ts";

type Figured = Awaited<ReturnType<typeof loadFigures>>;
type Timeline = Awaited<ReturnType<Figured["readTimeline"]>>;
type SummariseActivity = Figured["summarise"];
type ActivityFigures = ActivitySummary["figures"];

const DAY_MS = 24 * 60 * 60_000;
const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const BARS = 7;

/** A stretch of time that is reported on, the one before it for comparison, and the stretches that bars stand for. */
export interface Period {
  /** as a heading */
  readonly title: string;
  /** over the column of figures, and over the column beside it */
  readonly name: string;
  readonly before: string;
  readonly bars: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly beforeMs: number;
  /** where the comparison ends; the period itself begins there, or later */
  readonly beforeEndMs: number;
  /** one more than there are bars, rising */
  readonly edges: readonly number[];
}

export function today(nowMs: number): Period {
  const startMs = midnight(nowMs, 0);
  return {
    title: `Today, ${formatDate(nowMs)}`,
    name: "today",
    before: "yesterday",
    bars: "last 7 days",
    startMs,
    endMs: nowMs,
    beforeMs: midnight(nowMs, -1),
    beforeEndMs: startMs,
    edges: dayEdges(nowMs),
  };
}

export function lastWeek(nowMs: number): Period {
  const startMs = midnight(nowMs, 1 - BARS);
  return {
    title: `The last 7 days, since ${formatDate(startMs)}`,
    name: "7 days",
    before: "7 before",
    bars: "day by day",
    startMs,
    endMs: nowMs,
    beforeMs: midnight(nowMs, 1 - 2 * BARS),
    beforeEndMs: startMs,
    edges: dayEdges(nowMs),
  };
}

/** The last so many milliseconds; `text` is how a person wrote them. */
export function since(nowMs: number, lengthMs: number, text: string): Period {
  const startMs = nowMs - lengthMs;
  const widthMs = lengthMs / BARS;
  return {
    title: `The last ${text}`,
    name: text,
    before: `${text} before`,
    bars: "in sevenths",
    startMs,
    endMs: nowMs,
    beforeMs: startMs - lengthMs,
    beforeEndMs: startMs,
    edges: Array.from({ length: BARS + 1 }, (_, index) => startMs + index * widthMs),
  };
}

/** The beginning of a day in local time, `days` from the one of `nowMs`. Days are not all of the same length. */
function midnight(nowMs: number, days: number): number {
  const date = new Date(nowMs);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime();
}

function dayEdges(nowMs: number): readonly number[] {
  const starts = Array.from({ length: BARS }, (_, index) => midnight(nowMs, index + 1 - BARS));
  return [...starts, Math.max(nowMs, (starts.at(-1) ?? 0) + DAY_MS)];
}

function formatDate(ms: number): string {
  const date = new Date(ms);
  return `${DAYS[date.getDay()]} ${date.getDate()} ${MONTHS[date.getMonth()]}`;
}

/** Something that is worth a person's time, and the command that shows more of it. */
interface LookAt {
  readonly what: string;
  readonly command: string;
}

const MAX_THINGS = 3;
const OFTEN = 3;
/** The log is untrusted: only a valid rule id becomes part of a command that a person is told to type. */
const RULE_ID = /^[a-z0-9][a-z0-9._-]*$/;

/** At most three things, the most urgent first. */
export function thingsToLookAt(summary: Summary): readonly LookAt[] {
  const { figures, failure, incomplete, stopped } = summary;
  const often = stopped.filter(each => each.verdict === "ask" && each.count >= OFTEN);
  const refused = stopped.filter(({ verdict }) => verdict === "deny");
  const things: readonly (LookAt | false | undefined)[] = [
    failure !== undefined && {
      what: `${count(figures.failures, "hook call")} could not run, last ${escapeHidden(failure.hook)}: ${escapeHidden(failure.text)}`,
      command: "amplihack doctor",
    },
    ...refused.slice(0, 1).map(tell),
    ...often.slice(0, 1).map(each => ({
      what: `${times(each)}, maybe worth permitting: ${describeSubject(each)}`,
      command: "amplihack guard suggest",
    })),
    incomplete > 0 && {
      what: `${count(incomplete, "change")} could not be kept completely and can be undone only partly`,
      command: "amplihack history",
    },
    figures.held > 0 && {
      what: `the agent was told to go on at ${count(figures.held, "stop")}`,
      command: "amplihack lock-status",
    },
    ...refused.slice(1, MAX_THINGS).map(tell),
    ...stopped
      .filter(each => each.verdict === "ask" && !often.slice(0, 1).includes(each))
      .slice(0, 1)
      .map(tell),
  ];
  return things.filter(thing => typeof thing === "object").slice(0, MAX_THINGS);
}

function tell(stopped: Stopped): LookAt {
  const { rule } = stopped;
  const command = RULE_ID.test(rule) ? `amplihack guard why ${rule}` : "amplihack guard log";
  return { what: `${times(stopped)}: ${describeSubject(stopped)}`, command };
}

/** Last in its line, where it is cut when it is long. */
function describeSubject({ subject }: Stopped): string {
  return escapeHidden(subject.replace(/\s+/g, " ")) || "a file";
}

function times({ verdict, count: number }: Stopped): string {
  const how = verdict === "deny" ? "refused" : "asked about";
  return number === 1 ? how : `${how} ${number === 2 ? "twice" : `${number} times`}`;
}

/** What is counted, in the period, in the one before, and for each bar. */
const FIGURES = ["calls", "refused", "asked", "answered", "held", "kept", "undone", "failures"] as const;
export type Figure = (typeof FIGURES)[number];
export type Figures = Readonly<Record<Figure, number>>;

/** What was stopped, as one row: the same command stopped by the same rule. */
export interface Stopped {
  readonly subject: string;
  readonly rule: string;
  readonly verdict: "deny" | "ask";
  readonly project: string;
  readonly count: number;
  readonly lastMs: number;
}

interface RuleFigures {
  readonly rule: string;
  readonly title: string;
  readonly refused: number;
  readonly asked: number;
}

export interface PlaceFigures {
  readonly name: string;
  readonly calls: number;
  readonly refused: number;
  readonly asked: number;
}

export interface Summary {
  readonly figures: Figures;
  readonly before: Figures;
  readonly bars: readonly Figures[];
  readonly sessions: number;
  readonly files: number;
  readonly rules: readonly RuleFigures[];
  readonly projects: readonly PlaceFigures[];
  readonly hosts: readonly PlaceFigures[];
  readonly stopped: readonly Stopped[];
  /** the newest reason why a hook could not run */
  readonly failure: { readonly hook: string; readonly text: string } | undefined;
  /** changes of which not everything could be kept */
  readonly incomplete: number;
  /** when a hook was called last before the period; undefined: never, as far as was read */
  readonly lastMs: number | undefined;
}

/** What agents did in a period, from the same figures as the dashboard's pages. */
export function summarisePeriod(timeline: Timeline, period: Period, figures: SummariseActivity): Summary {
  const now = figures(timeline, [period.startMs, Number.POSITIVE_INFINITY]);
  const before = figures(timeline, [period.beforeMs, period.beforeEndMs]);
  const { stretches } = figures(timeline, period.edges);
  const failed = now.items.find(({ outcome }) => outcome === "unchecked");
  return {
    figures: summarizeFigures(now.figures),
    before: summarizeFigures(before.figures),
    bars: stretches.map(summarizeFigures),
    sessions: now.sessions.length,
    files: now.files,
    projects: countPlaces(now.items, ({ project }) => project),
    hosts: countPlaces(now.items, ({ host }) => host),
    ...countStopped(now.items),
    failure:
      failed === undefined
        ? undefined
        : { hook: failed.kind === "call" ? "before a call" : failed.event, text: failed.told },
    incomplete: now.items.filter(item => item.kind === "call" && item.change?.isComplete === false).length,
    lastMs: timeline.items[0]?.atMs,
  };
}

function summarizeFigures({
  calls,
  refused,
  asked,
  answered,
  held,
  changes,
  undone,
  unchecked,
}: ActivityFigures): Figures {
  return { calls, refused, asked, answered, held, kept: changes, undone, failures: unchecked };
}

/** The oldest moment that a summary of the period needs. */
export function readFrom({ beforeMs, edges }: Period): number {
  return Math.min(beforeMs, edges[0] ?? beforeMs);
}

type Item = ActivitySummary["items"][number];

function stopKind({ outcome }: Item): "refused" | "asked" | undefined {
  return outcome === "refused" || outcome === "asked" ? outcome : undefined;
}

function countPlaces(items: readonly Item[], nameOf: (item: Item) => string): readonly PlaceFigures[] {
  const places = new Map<string, PlaceFigures>();
  for (const item of items) {
    if (item.kind !== "call") continue;
    const name = nameOf(item);
    const known = places.get(name) ?? { name, calls: 0, refused: 0, asked: 0 };
    const stop = stopKind(item);
    places.set(name, {
      ...known,
      calls: known.calls + 1,
      ...(stop === undefined ? {} : { [stop]: known[stop] + 1 }),
    });
  }
  return [...places.values()].sort((one, other) => other.calls - one.calls);
}

function countStopped(items: readonly Item[]): Pick<Summary, "rules" | "stopped"> {
  const rules = new Map<string, RuleFigures>();
  const stopped = new Map<string, Stopped>();
  for (const item of items) {
    const stop = stopKind(item);
    if (item.kind !== "call" || stop === undefined) continue;
    const { subject, project, atMs } = item;
    // The strongest; a call is counted once.
    const [rule = ""] = item.rules;
    const spoke = rules.get(rule) ?? { rule, title: findRule(rule)?.title ?? "", refused: 0, asked: 0 };
    rules.set(rule, { ...spoke, [stop]: spoke[stop] + 1 });
    const verdict = stop === "refused" ? "deny" : "ask";
    const key = JSON.stringify([verdict, rule, subject]);
    const known = stopped.get(key);
    const lastMs = Math.max(known?.lastMs ?? 0, atMs);
    stopped.set(key, { subject, rule, verdict, project, count: (known?.count ?? 0) + 1, lastMs });
  }
  const total = ({ refused, asked }: RuleFigures): number => refused + asked;
  return {
    rules: [...rules.values()].sort(
      (one, other) => total(other) - total(one) || (one.rule < other.rule ? -1 : 1),
    ),
    stopped: [...stopped.values()].sort((one, other) => other.count - one.count || other.lastMs - one.lastMs),
  };
}
