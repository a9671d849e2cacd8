import { type DataFiles, LogReader, parseJudgement, parseRun } from "../../dashboard/index.ts";
import { findRule } from "../../guard/index.ts";
import type { Change } from "../../history/index.ts";
import type { System } from "../../system/index.ts";
import { count, escapeHidden } from "../../text/index.ts";

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
    title: `Today, ${dateOf(nowMs)}`,
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
    title: `The last 7 days, since ${dateOf(startMs)}`,
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

function dateOf(ms: number): string {
  const date = new Date(ms);
  return `${DAYS[date.getDay()]} ${date.getDate()} ${MONTHS[date.getMonth()]}`;
}

/** Lines of a log that were written since a time, the oldest first. Files that ended before are not opened. */
function* recentLines(
  system: Pick<System, "files" | "text">,
  path: string,
  sinceMs: number,
): Generator<string> {
  const since = new Date(sinceMs).toISOString();
  for (const { lines } of new LogReader(system, path).read(sinceMs)) {
    for (const line of lines) {
      // The time is written in one form, which sorts as text. Without it the reader of the line decides.
      const written = /"ts": ?"([^"]{20,30})"/.exec(line)?.[1];
      if (written === undefined || written >= since) yield line;
    }
  }
}

/** Something that is worth a person's time, and the command that shows more of it. */
interface LookAt {
  readonly what: string;
  readonly command: string;
}

const MAX_THINGS = 3;
const OFTEN = 3;
/** The log may hold anything; what a person shall type holds a rule. */
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
      what: `${times(each)}, perhaps to be permitted: ${subjectOf(each)}`,
      command: "amplihack guard suggest",
    })),
    incomplete > 0 && {
      what: `${count(incomplete, "change")} could not be kept whole and can be undone only in part`,
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
  return { what: `${times(stopped)}: ${subjectOf(stopped)}`, command };
}

/** Last in its line, where it is cut when it is long. */
function subjectOf({ subject }: Stopped): string {
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

type Counter = Record<Figure, number>;

/** Counts events into the period, the one before, and the bars. */
class Counters {
  readonly now: Counter = zero();
  readonly before: Counter = zero();
  readonly bars: readonly Counter[];
  private readonly period: Period;

  constructor(period: Period) {
    this.period = period;
    this.bars = period.edges.slice(1).map(zero);
  }

  /** True when it happened in the period itself. */
  add(ms: number, figure: Figure): boolean {
    const { startMs, beforeMs, beforeEndMs, edges } = this.period;
    const bar = edges.findLastIndex(edge => edge <= ms);
    const counted = this.bars[bar];
    if (counted !== undefined) counted[figure]++;
    if (ms >= startMs) this.now[figure]++;
    else if (ms >= beforeMs && ms < beforeEndMs) this.before[figure]++;
    return ms >= startMs;
  }
}

function zero(): Counter {
  return { calls: 0, refused: 0, asked: 0, answered: 0, held: 0, kept: 0, undone: 0, failures: 0 };
}

/** What agents did in a period. `changes` are those of the history since `readFrom`. */
export function summarise(
  system: System,
  files: DataFiles,
  period: Period,
  changes: readonly Change[],
): Summary {
  const counters = new Counters(period);
  const runs = countRuns(system, files, period, counters);
  const judged = countJudgements(system, files, period);
  const touched = new Set<string>();
  let incomplete = 0;
  for (const change of changes) {
    const isUndo = change.kind === "undo";
    if (change.kind === "redo") continue;
    if (!counters.add(change.timeMs, isUndo ? "undone" : "kept") || isUndo) continue;
    for (const { path } of change.files) touched.add(path);
    if (!change.isComplete) incomplete++;
  }
  return {
    figures: counters.now,
    before: counters.before,
    bars: counters.bars,
    files: touched.size,
    incomplete,
    ...runs,
    ...judged,
  };
}

/** The oldest moment that a summary of the period needs. */
export function readFrom({ beforeMs, edges }: Period): number {
  return Math.min(beforeMs, edges[0] ?? beforeMs);
}

type RunSummary = Pick<Summary, "sessions" | "projects" | "hosts" | "failure" | "lastMs">;

function countRuns(system: System, files: DataFiles, period: Period, counters: Counters): RunSummary {
  const sessions = new Set<string>();
  const [projects, hosts] = [new Map<string, PlaceFigures>(), new Map<string, PlaceFigures>()];
  let failure: Summary["failure"];
  let lastMs: number | undefined;
  for (const line of recentLines(system, files.runs, readFrom(period))) {
    const run = parseRun(line);
    if (run === undefined) continue;
    const ms = Date.parse(run.ts);
    lastMs = Math.max(lastMs ?? 0, ms);
    const isNow = ms >= period.startMs;
    if (isNow && run.session !== "") sessions.add(run.session);
    if (run.failure !== "") {
      counters.add(ms, "failures");
      if (isNow) failure = { hook: run.hook, text: run.failure };
    }
    if (run.hook === "stop" && run.decision === "deny") counters.add(ms, "held");
    if (run.answered !== "") counters.add(ms, "answered");
    if (run.hook !== "pre_tool_use") continue;
    counters.add(ms, "calls");
    const stopped = run.decision === "deny" ? "refused" : run.decision === "ask" ? "asked" : undefined;
    if (stopped !== undefined) counters.add(ms, stopped);
    if (!isNow) continue;
    countPlace(projects, run.project, stopped);
    countPlace(hosts, run.host, stopped);
  }
  const most = (places: ReadonlyMap<string, PlaceFigures>) =>
    [...places.values()].sort((one, other) => other.calls - one.calls);
  return { sessions: sessions.size, projects: most(projects), hosts: most(hosts), failure, lastMs };
}

function countPlace(
  places: Map<string, PlaceFigures>,
  name: string,
  stopped: "refused" | "asked" | undefined,
): void {
  const { calls, refused, asked } = places.get(name) ?? { calls: 0, refused: 0, asked: 0 };
  places.set(name, {
    name,
    calls: calls + 1,
    refused: refused + (stopped === "refused" ? 1 : 0),
    asked: asked + (stopped === "asked" ? 1 : 0),
  });
}

function countJudgements(
  system: System,
  files: DataFiles,
  { startMs }: Period,
): Pick<Summary, "rules" | "stopped"> {
  const rules = new Map<string, RuleFigures>();
  const stopped = new Map<string, Stopped>();
  for (const line of recentLines(system, files.audit, startMs)) {
    const judgement = parseJudgement(line);
    if (judgement === undefined || Date.parse(judgement.ts) < startMs) continue;
    const { decision: verdict, subject, project } = judgement;
    if (verdict !== "deny" && verdict !== "ask") continue;
    for (const rule of judgement.rules) {
      const known = rules.get(rule) ?? { refused: 0, asked: 0 };
      rules.set(rule, {
        rule,
        title: findRule(rule)?.title ?? "",
        refused: known.refused + (verdict === "deny" ? 1 : 0),
        asked: known.asked + (verdict === "ask" ? 1 : 0),
      });
    }
    const [rule = ""] = judgement.rules;
    const key = JSON.stringify([verdict, rule, subject]);
    const count = (stopped.get(key)?.count ?? 0) + 1;
    stopped.set(key, { subject, rule, verdict, project, count, lastMs: Date.parse(judgement.ts) });
  }
  const total = ({ refused, asked }: RuleFigures): number => refused + asked;
  return {
    rules: [...rules.values()].sort((one, other) => total(other) - total(one)),
    stopped: [...stopped.values()].sort((one, other) => other.count - one.count || other.lastMs - one.lastMs),
  };
}
