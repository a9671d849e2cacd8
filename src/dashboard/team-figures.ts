import type { Row, RunSql, SqlValue } from "../postgres/index.ts";
import { TOTALLED_PARTS } from "../ship/index.ts";
import type { Counted, Overview } from "./activity.ts";
import type { SessionFigures, Stretch } from "./timeline/timeline.ts";
import type { Scope } from "./views/layout.ts";

/** What of the records is meant, as SQL. */
export interface RecordChoice {
  readonly condition: string;
  readonly values: readonly SqlValue[];
  /** the same among totals, where there are totals of it */
  readonly totals?: RecordChoice | undefined;
}

/** The teams that somebody may see, and what of them is looked at. */
export function chooseRecords(teams: readonly string[], { team, ...scope }: Scope): RecordChoice {
  const chosen = team === undefined ? teams : teams.filter(name => name === team);
  // With one team an index has the order that is asked for.
  const ofTeams: Wanted = chosen.length === 1 ? ["team =", chosen[0] ?? ""] : ["team = ANY", chosen];
  const names = Object.entries(scope);
  const [part = "all", name = ""] = names[0] ?? [];
  const hasTotals = names.length <= 1 && TOTALLED.includes(part);
  return {
    ...whereClause([ofTeams, ...names.map(([column, value]): Wanted => [`${column} =`, value])]),
    totals: hasTotals ? whereClause([ofTeams, ["part =", part], ["part_name =", name]]) : undefined,
  };
}

/** What of a team has totals of its own. */
const TOTALLED: readonly string[] = ["all", ...TOTALLED_PARTS];
type Wanted = readonly [string, SqlValue];

function whereClause(wanted: readonly Wanted[]): RecordChoice {
  return {
    condition: wanted.map(([column], index) => `${column} ($${index + 1})`).join(" AND "),
    values: wanted.map(([, value]) => value),
  };
}

/** Everything since a time, counted by the database: exact, however many records there are. */
export interface TeamFigures {
  readonly figures: SessionFigures;
  readonly stretches: readonly Stretch[];
  readonly rules: readonly Counted[];
  readonly projects: readonly Counted[];
  readonly hosts: readonly Counted[];
  readonly people: readonly Counted[];
  readonly sessionCount: number;
  readonly unreadable: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Hours of this day, or so many days up to now: sums are kept by hours and days of UTC. */
export function teamStarts(nowMs: number, days: number): readonly number[] {
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS;
  if (days === 1) return Array.from({ length: 24 }, (_, index) => today + index * HOUR_MS);
  return Array.from({ length: days }, (_, index) => today - (days - 1 - index) * DAY_MS);
}

/** Calls that something was said about; others stand in no list of rules. */
const STOPPED = "('refused', 'asked', 'kept', 'answered', 'unchecked')";
/** Each fact is told by one kind of line: what was kept by judgements alone, the rest by runs. */
const IS_TOLD = "(kind IN ('call', 'event', 'unreadable') OR kind = 'judgement' AND outcome = 'kept')";

const MS = "floor(extract(epoch FROM start) * 1000)::bigint::text";

/** Rows by what is counted and its name. */
function fromTotals(chosen: string): string {
  return `SELECT 'start' AS by, ${MS} AS name, kind, outcome, sum(count) AS count FROM totals
         WHERE ${chosen} AND by = 'all' GROUP BY start, kind, outcome
       UNION ALL SELECT by, name, '', '', sum(count) FROM totals
         WHERE ${chosen} AND by = 'rule' AND outcome IN ${STOPPED} GROUP BY by, name
       UNION ALL SELECT by, name, '', '', sum(count) FROM totals
         WHERE ${chosen} AND by IN ('project', 'host', 'person') AND kind = 'call' GROUP BY by, name`;
}

/** The same, for whoever sees some projects, and for parts that are small. */
function fromRollups(chosen: string): string {
  const names = (column: string) =>
    `SELECT '${column}', ${column}, '', '', sum(count) FROM chosen WHERE rule = '' AND kind = 'call' GROUP BY ${column}`;
  return `WITH chosen AS MATERIALIZED (
         SELECT ${MS} AS start, kind, outcome, rule, project, host, person, sum(count) AS count
         FROM rollups WHERE ${chosen} GROUP BY start, kind, outcome, rule, project, host, person
       )
       SELECT 'start' AS by, start AS name, kind, outcome, sum(count) AS count FROM chosen WHERE rule = ''
         GROUP BY start, kind, outcome
       UNION ALL SELECT 'rule', rule, '', '', sum(count) FROM chosen
         WHERE rule <> '' AND outcome IN ${STOPPED} GROUP BY rule
       UNION ALL ${["project", "host", "person"].map(names).join(" UNION ALL ")}`;
}

export async function readFigures(
  run: RunSql,
  choice: RecordChoice,
  starts: readonly number[],
): Promise<TeamFigures> {
  const [firstMs = 0, secondMs = 0] = starts;
  const span = secondMs - firstMs === HOUR_MS ? "hour" : "day";
  const since = ({ condition, values }: RecordChoice, column: string) =>
    [`${condition} AND ${column} >= $${values.length + 1}`, [...values, new Date(firstMs)]] as const;
  // Hours are those of one day.
  const totals = span === "day" ? choice.totals : undefined;
  const [chosen, values] = since(totals ?? choice, "start");
  const [ofSessions, sessionValues] = since(choice, "last");
  const told = `${chosen} AND ${IS_TOLD}`;
  const [rows, [sessions]] = await Promise.all([
    run(totals === undefined ? fromRollups(`${told} AND span = '${span}'`) : fromTotals(told), values),
    run(`SELECT count(*) AS count FROM sessions WHERE ${ofSessions}`, sessionValues),
  ]);
  const byStart = rows.filter(row => row["by"] === "start");
  const sum = (some: readonly Row[], outcome: string) =>
    total(some.filter(row => row["outcome"] === outcome && row["kind"] !== "unreadable"));
  const figures = (some: readonly Row[]): SessionFigures => ({
    calls: total(some.filter(row => row["kind"] === "call")),
    refused: sum(some, "refused"),
    asked: sum(some, "asked"),
    kept: sum(some, "kept"),
    answered: sum(some, "answered"),
    held: sum(some, "held"),
    unchecked: sum(some, "unchecked"),
    // Histories stay on their machines.
    changes: 0,
    undone: 0,
  });
  return {
    figures: figures(byStart),
    stretches: starts.map((startMs, index) => {
      const endMs = starts[index + 1] ?? Number.POSITIVE_INFINITY;
      const within = byStart.filter(row => Number(row["name"]) >= startMs && Number(row["name"]) < endMs);
      return { ...figures(within), startMs };
    }),
    rules: namesIn(rows, "rule"),
    projects: namesIn(rows, "project"),
    hosts: namesIn(rows, "host"),
    people: namesIn(rows, "person"),
    sessionCount: Number(sessions?.["count"] ?? 0),
    unreadable: total(byStart.filter(row => row["kind"] === "unreadable")),
  };
}

function total(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + Number(row["count"]), 0);
}

/** The most frequent first; what has no name is left out. */
function namesIn(rows: readonly Row[], by: string): readonly Counted[] {
  return rows
    .filter(row => row["by"] === by && row["name"] !== "")
    .map(row => ({ name: String(row["name"]), count: Number(row["count"]) }))
    .sort((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1));
}

const SHOWN_SESSIONS = 500;

/** The same over all times, for programs; sessions are the newest ones. */
export async function readOverview(
  run: RunSql,
  { condition, values }: RecordChoice,
): Promise<Omit<Overview, "latency">> {
  const [rows, sessions] = await Promise.all([
    run(
      `WITH chosen AS MATERIALIZED (
         SELECT kind, outcome, rule, host, sum(count) AS count, sum(failed) AS failed
         FROM rollups WHERE ${condition} AND span = 'day' GROUP BY kind, outcome, rule, host
       )
       SELECT 'all' AS by, '' AS name, kind, outcome, sum(count) AS count, sum(failed) AS failed FROM chosen
         WHERE rule = '' GROUP BY kind, outcome
       UNION ALL SELECT 'rule', rule, '', '', sum(count), 0 FROM chosen
         WHERE rule <> '' AND kind = 'judgement' AND outcome IN ('refused', 'asked') GROUP BY rule
       UNION ALL SELECT 'host', host, '', '', sum(count), 0 FROM chosen
         WHERE rule = '' AND kind IN ('call', 'event') GROUP BY host`,
      values,
    ),
    run(
      `SELECT session, host, project, first, last, runs, stopped, failures FROM sessions
       WHERE ${condition} AND runs > 0 ORDER BY last DESC, session LIMIT ${SHOWN_SESSIONS}`,
      values,
    ),
  ]);
  const all = rows.filter(row => row["by"] === "all");
  const runs = all.filter(row => row["kind"] === "call" || row["kind"] === "event");
  const ofOutcome = (...outcomes: readonly string[]) =>
    total(runs.filter(row => outcomes.includes(String(row["outcome"]))));
  return {
    calls: total(runs),
    denied: ofOutcome("refused", "held"),
    asked: ofOutcome("asked"),
    failures: runs.reduce((sum, row) => sum + Number(row["failed"]), 0),
    unreadable: total(all.filter(row => row["kind"] === "unreadable")),
    hosts: namesIn(rows, "host"),
    rules: namesIn(rows, "rule"),
    sessions: sessions.map(row => ({
      session: String(row["session"]),
      host: String(row["host"]),
      project: String(row["project"]),
      first: (row["first"] as Date).toISOString(),
      last: (row["last"] as Date).toISOString(),
      calls: Number(row["runs"]),
      stopped: Number(row["stopped"]),
      failures: Number(row["failures"]),
    })),
  };
}
