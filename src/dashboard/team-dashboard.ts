import { BUILT_IN } from "../config/index.ts";
import { PostgresStore } from "../memory/index.ts";
import {
  Database,
  type DatabaseAddress,
  hasRelation,
  MISSING_RIGHT,
  PostgresError,
  type Row,
  type RunSql,
  SCHEMA,
} from "../postgres/index.ts";
import { errorText, isJsonObject, type Json } from "../protocol/index.ts";
import { findQueuedRun, hasTables, listQueuedRuns } from "../recipes/index.ts";
import { LISTED_PARTS, readableTeams, readsByFunctions, seesEveryRecord } from "../ship/index.ts";
import { findHome } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { Activity, type Kept } from "./activity.ts";
import { type EntryBatch, type EntrySource, type Origin, readJudgement, readRun } from "./entries.ts";
import { PAGES, type Rendered, renderPage } from "./pages.ts";
import { type Dashboard, type DashboardOptions, startDashboard } from "./server.ts";
import {
  type DashboardData,
  type MemoryEntry,
  type MemoryQuery,
  type RecipeRuns,
  SHOWN_RUNS,
  type Sources,
  searchMemories,
  sumActivities,
  type TeamCounts,
} from "./sources.ts";
import { chooseRecords, readFigures, readOverview, type TeamFigures } from "./team-figures.ts";
import { teamUsage } from "./team-usage.ts";
import { NO_CHANGES } from "./timeline/calls.ts";
import { Records } from "./timeline/records.ts";
import { Timelines } from "./timeline/timeline.ts";
import { type Page, parameters, SCOPE_NAMES, type Scope, type Site, type TeamSite } from "./views/layout.ts";
import { clock, number } from "./views/words.ts";

type Choices = TeamSite["choices"];

const FRESH_MS = 60_000;
const MAX_VALUES = 200;
const NOTHING: Choices = { team: [], person: [], machine: [], project: [], host: [] };

/** What there is to choose from, of the last months. It is asked once a minute. */
class TeamChoices {
  private readonly run: RunSql;
  private readonly clock: System["clock"];
  private readonly teams: readonly string[];
  private readonly seesTotals: boolean;
  private known: Choices | undefined;
  private readMs = Number.NEGATIVE_INFINITY;
  private reading: Promise<void> | undefined;

  constructor(run: RunSql, clock: System["clock"], teams: readonly string[], seesTotals: boolean) {
    this.run = run;
    this.clock = clock;
    this.teams = teams;
    this.seesTotals = seesTotals;
  }

  /** Waits the first time only; later ones get what is known while it is read again. */
  async read(): Promise<Choices> {
    const isFresh = this.clock.monotonicMs() - this.readMs < FRESH_MS;
    if (this.known !== undefined && isFresh) return this.known;
    this.reading ??= this.readAgain()
      // That the database does not answer is told where records are read.
      .catch(() => {})
      .finally(() => {
        this.reading = undefined;
      });
    if (this.known === undefined) await this.reading;
    return this.known ?? NOTHING;
  }

  private async readAgain(): Promise<void> {
    this.readMs = this.clock.monotonicMs();
    const days = "team = ANY ($1) AND start > now() - interval '90 days'";
    const named = SCOPE_NAMES.filter(name => name !== "team");
    const names = this.seesTotals
      ? `SELECT by, name, count FROM totals
         WHERE ${days} AND part = 'all' AND by IN (${named.map(name => `'${name}'`).join(", ")})`
      : `SELECT by, name, count FROM rollups CROSS JOIN LATERAL (
           VALUES ${named.map(name => `('${name}', ${name})`).join(", ")}
         ) AS each (by, name) WHERE ${days} AND span = 'day' AND rule = ''`;
    const rows = await this.run(
      `SELECT by, name FROM (${names}) AS days WHERE name <> '' GROUP BY by, name ORDER BY sum(count) DESC`,
      [this.teams],
    );
    const valuesOf = (name: string) => rows.flatMap(row => (row["by"] === name ? [String(row["name"])] : []));
    this.known = {
      ...(Object.fromEntries(
        named.map(name => [name, valuesOf(name).slice(0, MAX_VALUES)]),
      ) as unknown as Choices),
      team: this.teams,
    };
  }
}

/** Runs of recipes in a database, where there are some that this user may read. */
class QueuedRuns {
  private readonly database: Database;
  private readonly clock: System["clock"];
  private areThere = false;
  private askedMs = Number.NEGATIVE_INFINITY;
  private shownMs = Number.NEGATIVE_INFINITY;
  private shown = "";
  /** how often they were found different while somebody looked at them */
  changes = 0;

  constructor(database: Database, clock: System["clock"]) {
    this.database = database;
    this.clock = clock;
  }

  /** Whether there are any. It is asked once a minute. */
  async canBeRead(): Promise<boolean> {
    if (this.clock.monotonicMs() - this.askedMs < FRESH_MS) return this.areThere;
    this.askedMs = this.clock.monotonicMs();
    try {
      this.areThere = await this.areReadable();
    } catch {
      // That the database does not answer is told where records are read.
    }
    return this.areThere;
  }

  private async areReadable(): Promise<boolean> {
    try {
      if (!(await hasTables(this.database))) return false;
      await listQueuedRuns(this.database, 0, { limit: 1 });
      return true;
    } catch (error) {
      // Members of a team need not be among those who may submit.
      if (error instanceof PostgresError && error.code === MISSING_RIGHT) return false;
      throw error;
    }
  }

  /** Looks for news as long as a page with runs was asked for lately; true when there are some. */
  async catchUp(): Promise<boolean> {
    if (!this.areThere || this.clock.monotonicMs() - this.shownMs > FRESH_MS) return false;
    const runs = await listQueuedRuns(this.database, 0, { limit: SHOWN_RUNS });
    const now = JSON.stringify(runs.map(({ runId, state, steps, worker }) => [runId, state, steps, worker]));
    const isNews = this.shown !== now;
    if (isNews) this.changes++;
    this.shown = now;
    return isNews;
  }

  /** Runs have a submitter and a machine; they belong to no team, project or host. */
  of({ person, machine }: Scope): RecipeRuns {
    const { database, clock } = this;
    const canBeShown = async (): Promise<boolean> => {
      this.shownMs = clock.monotonicMs();
      return this.canBeRead();
    };
    return {
      list: async () =>
        (await canBeShown())
          ? listQueuedRuns(database, clock.nowMs(), { limit: SHOWN_RUNS, person, machine })
          : [],
      find: async id => ((await canBeShown()) ? findQueuedRun(database, clock.nowMs(), id) : undefined),
      detail: () => ({ blocks: undefined, outputs: new Map() }),
    };
  }
}

const PAGE_ROWS = 5_000;
/** Lists show so many of the newest; figures are counted by the database, over everything. */
const LISTED: Kept = { runs: 2_000, judgements: 1_000 };
/** Whoever is in the team can add lines of any length; a longer one is counted as unreadable. */
const MAX_FIELDS_BYTES = 64 * 1024;
/** As it is stored: one that is no longer is not compressed, and need not be written out to be measured. */
const SHORT_BYTES = 1_000;
const KINDS = ["runs", "audit"] as const;
type Kind = (typeof KINDS)[number];

/**
 * The records of teams, as their machines shipped them. The newest are read first, as many as are listed, then what
 * was added since: numbers rise in the order in which records became visible.
 */
export class RecordSource implements EntrySource {
  private readonly run: RunSql;
  private readonly teams: readonly string[];
  private readonly scope: Scope;
  private readonly byFunctions: boolean;
  /** of records with a number up to these, none is read again */
  private readonly positions = new Map<Kind, number>();
  private readonly origins = new Map<string, Origin>();
  /** there are older ones that were left out */
  isPartial = false;

  constructor(run: RunSql, teams: readonly string[], scope: Scope, byFunctions = false) {
    this.run = run;
    this.teams = teams;
    this.scope = scope;
    this.byFunctions = byFunctions;
  }

  async *read(): AsyncGenerator<EntryBatch> {
    for (const kind of KINDS) {
      for (;;) {
        const position = this.positions.get(kind);
        const rows = await (position === undefined ? this.readNewest(kind) : this.readPage(kind, position));
        this.positions.set(kind, Math.max(position ?? 0, Number(rows.at(-1)?.["number"] ?? 0)));
        if (rows.length > 0) yield this.toBatch(rows);
        if (position === undefined || rows.length < PAGE_ROWS) break;
      }
    }
  }

  private async readNewest(kind: Kind): Promise<readonly Row[]> {
    const limit = kind === "runs" ? LISTED.runs : LISTED.judgements;
    const rows = await this.select(kind, limit + 1);
    this.isPartial ||= rows.length > limit;
    return rows.slice(-limit);
  }

  private readPage(kind: Kind, position: number): Promise<readonly Row[]> {
    return this.select(kind, PAGE_ROWS, position);
  }

  /** The newest, or those behind a number, oldest first. Team by team, each in the order of an index. */
  private async select(kind: Kind, limit: number, position?: number): Promise<readonly Row[]> {
    const isChosen = (team: string) => this.scope.team === undefined || this.scope.team === team;
    const found = await Promise.all(
      this.teams.filter(isChosen).map(team => {
        const { source, values } = this.byFunctions
          ? this.fromFunction(team, kind, limit, position)
          : this.fromTable(team, kind, limit, position);
        return this.run(
          `SELECT number, kind, team, person, machine, project,
             CASE WHEN pg_column_size(fields) <= ${SHORT_BYTES} OR octet_length(fields::text) <= ${MAX_FIELDS_BYTES}
               THEN fields END AS fields
           FROM ${source}`,
          values,
        );
      }),
    );
    const rows = found.flat().sort((one, other) => Number(one["number"]) - Number(other["number"]));
    return position === undefined ? rows.slice(-limit) : rows.slice(0, limit);
  }

  private fromTable(team: string, kind: Kind, limit: number, position: number | undefined) {
    const { condition, values } = chooseRecords([team], this.scope);
    const [behind, order] =
      position === undefined ? ["", "DESC"] : [` AND number > $${values.length + 1}`, "ASC"];
    return {
      source: `records WHERE ${condition} AND kind = '${kind}'${behind} ORDER BY number ${order} LIMIT ${limit}`,
      values: position === undefined ? values : [...values, position],
    };
  }

  private fromFunction(team: string, kind: Kind, limit: number, position: number | undefined) {
    const parts = LISTED_PARTS.map(part => this.scope[part] ?? null);
    return {
      source: "list_records($1, $2, $3, $4, $5, $6, $7, $8)",
      values: [team, kind, position ?? null, limit, ...parts],
    };
  }

  private toBatch(rows: readonly Row[]): EntryBatch {
    const ofKind = <E>(kind: string, read: (row: Row) => E | undefined) =>
      rows.filter(row => row["kind"] === kind).flatMap(row => read(row) ?? []);
    const runs = ofKind("runs", row => this.withOrigin(row, readRun(recordFields(row))));
    const judgements = ofKind("audit", row => this.withOrigin(row, readJudgement(recordFields(row))));
    return { runs, judgements, unreadable: rows.length - runs.length - judgements.length };
  }

  private withOrigin<E>(row: Row, entry: E | undefined): (E & { readonly origin: Origin }) | undefined {
    if (entry === undefined) return undefined;
    const [team, person, machine] = [row["team"], row["person"], row["machine"]].map(String);
    const key = JSON.stringify([team, person, machine]);
    const origin = this.origins.get(key) ?? { team: `${team}`, person: `${person}`, machine: `${machine}` };
    this.origins.set(key, origin);
    return { ...entry, origin };
  }
}

/** A line as its log had it, but with the project by the name that all machines know. */
function recordFields({ fields, project }: Row) {
  return isJsonObject(fields as Json) ? { ...(fields as object), project: String(project) } : undefined;
}

export interface TeamOptions {
  /** closed with the data */
  readonly database: Database;
  /** all that the user may see when absent */
  readonly team?: string | undefined;
  readonly home: string;
  /** for people of a server, who may change things and have no memories there */
  readonly isServer?: boolean;
  /** as members of the database read lists */
  readonly byFunctions?: boolean;
}

/** Views of parts are kept while they are looked at; each follows the database and holds what it shows. */
const MAX_VIEWS = 4;
const MAX_VALUE = 300;

/** Throws when there is nothing to show: no tables, no team of that name, or none at all. */
async function openTeamData(system: System, options: TeamOptions): Promise<DashboardData> {
  const { database, team } = options;
  const teams = await readableTeams(database, team);
  const sees = await Promise.all(teams.map(name => seesEveryRecord(database.run, name)));
  const byFunctions = await readsByFunctions(database.run);
  return new TeamData(system, { ...options, byFunctions }, teams, sees.every(Boolean));
}

interface View {
  readonly scope: Scope;
  readonly source: RecordSource;
  readonly activity: Activity;
  readonly timelines: Timelines;
  /** what was counted last, by the stretches */
  readonly figures: Map<string, TeamFigures>;
}

class TeamData implements DashboardData {
  readonly home: string;
  readonly guard = BUILT_IN.guard;
  private readonly system: System;
  private readonly options: TeamOptions;
  private readonly teams: readonly string[];
  private readonly choices: TeamChoices;
  private readonly seesTotals: boolean;
  private readonly runs: QueuedRuns;
  private readonly whole: View;
  /** of parts, the one looked at last is the last */
  private readonly parts = new Map<string, View>();
  private problem: string | undefined;
  private readMs: number;

  /** `seesTotals`: not of some projects of a team alone */
  constructor(system: System, options: TeamOptions, teams: readonly string[], seesTotals: boolean) {
    this.system = system;
    this.options = options;
    this.teams = teams;
    this.home = options.home;
    this.readMs = system.clock.nowMs();
    this.choices = new TeamChoices(options.database.run, system.clock, teams, seesTotals);
    this.seesTotals = seesTotals;
    this.runs = new QueuedRuns(options.database, system.clock);
    this.whole = this.makeView({});
  }

  get activity(): Activity {
    return this.whole.activity;
  }

  async catchUp(): Promise<boolean> {
    try {
      let isNews = false;
      for (const { activity } of [this.whole, ...this.parts.values()])
        isNews = (await activity.catchUp()) || isNews;
      isNews = (await this.runs.catchUp()) || isNews;
      this.problem = undefined;
      this.readMs = this.system.clock.nowMs();
      return isNews;
    } catch (error) {
      this.problem = `What is shown was read at ${clock(this.readMs)}: ${errorText(error)}.`;
      throw error;
    }
  }

  totals(): ReturnType<DashboardData["totals"]> {
    const activities = [this.whole, ...this.parts.values()].map(({ activity }) => activity);
    return { ...sumActivities(activities), recipes: this.runs.changes };
  }

  /** `isCurrent`: whoever asks does not follow what comes later, and waits for what is there now. */
  async sourcesFor(query: URLSearchParams, isCurrent = false): Promise<Sources> {
    const scope = this.readScope(query);
    const view = this.viewOf(scope);
    const [team] = await Promise.all([
      this.siteFor(scope),
      isCurrent ? view.activity.catchUp() : view.activity.isStarted,
    ]);
    return {
      system: this.system,
      activity: view.activity,
      timelines: view.timelines,
      changes: NO_CHANGES,
      recipes: this.runs.of(scope),
      records: new Records(this.system),
      usage: this.options.isServer
        ? teamUsage(this.options.database.run, chooseRecords(this.teams, scope))
        : undefined,
      findMemories: (words, memoryQuery) => this.findMemories(scope, words, memoryQuery),
      team: {
        ...team,
        listed: view.source.isPartial
          ? `The newest ${number(LISTED.runs)} runs of hooks and ${number(LISTED.judgements)} judgements of what is chosen. Choose a person, a machine, a project or a host for older ones.`
          : undefined,
        problem: this.problem,
      },
      figures: this.countsOf(view),
    };
  }

  /** What stands around every page, which needs no records. */
  async siteFor(scope: Scope): Promise<TeamSite> {
    const [choices, hasRecipes] = await Promise.all([this.choices.read(), this.runs.canBeRead()]);
    return { scope, choices, hasRecipes, about: this.about(), listed: undefined, problem: this.problem };
  }

  close(): Promise<void> {
    return this.options.database.close();
  }

  private readScope(query: URLSearchParams): Scope {
    return Object.fromEntries(
      SCOPE_NAMES.flatMap(name => {
        // PostgreSQL has no U+0000 in texts.
        const value = query.get(name)?.slice(0, MAX_VALUE).replaceAll("\0", "");
        const isFixed = name === "team" && this.teams.length === 1;
        return value && !isFixed ? [[name, value]] : [];
      }),
    );
  }

  private viewOf(scope: Scope): View {
    if (Object.keys(scope).length === 0) return this.whole;
    const key = JSON.stringify(scope);
    const view = this.parts.get(key) ?? this.makeView(scope);
    this.parts.delete(key);
    this.parts.set(key, view);
    const [oldest] = this.parts.keys();
    if (this.parts.size > MAX_VIEWS && oldest !== undefined) this.parts.delete(oldest);
    return view;
  }

  private makeView(scope: Scope): View {
    const { database, byFunctions } = this.options;
    const source = new RecordSource(database.run, this.teams, scope, byFunctions);
    const activity = new Activity(source, LISTED);
    return { scope, source, activity, timelines: new Timelines(activity, NO_CHANGES), figures: new Map() };
  }

  private about(): string {
    const { teams, options } = this;
    const whose = teams.length === 1 ? `The team ${teams[0]}` : `${teams.length} teams`;
    // Where the database of a server is, is nobody's business but its owner's.
    if (options.isServer) return `${whose}. Days are those of UTC.`;
    return `${whose}, as shipped to ${options.database.place}. Days are those of UTC. This page only shows.`;
  }

  /** While the database is away, as they were read before: the page says when that was. */
  private countsOf({ scope, figures }: View): TeamCounts {
    const { run } = this.options.database;
    const choice = { ...chooseRecords(this.teams, scope), ...(this.seesTotals ? {} : { totals: undefined }) };
    return {
      since: async starts => {
        const key = starts.join();
        try {
          const fresh = await readFigures(run, choice, starts);
          figures.clear();
          figures.set(key, fresh);
          return fresh;
        } catch (error) {
          const known = figures.get(key);
          if (known === undefined) throw error;
          return known;
        }
      },
      overview: () => readOverview(run, choice),
    };
  }

  private async findMemories(
    { team, project }: Scope,
    words: string,
    query: MemoryQuery,
  ): Promise<readonly MemoryEntry[]> {
    const teams = team === undefined ? this.teams : this.teams.filter(name => name === team);
    const projects = project === undefined ? undefined : [project];
    const nowMs = this.system.clock.nowMs();
    const { database, isServer } = this.options;
    if (isServer) return [];
    if (!(await hasRelation(database.run, `${SCHEMA}.memories`))) return [];
    const found = await Promise.all(
      teams.map(async name => {
        const reader = new PostgresStore(database, name, this.system);
        return searchMemories(reader, nowMs, words, { ...query, projects });
      }),
    );
    return found.flat();
  }
}

/** Who looks at the pages of a team's server. */
export interface Visitor {
  readonly person: string;
  readonly csrf: string;
}

/** The pages of one team, for a server that knows who looks. */
export class TeamPages {
  private readonly system: System;
  private readonly data: TeamData;
  private readonly team: string;

  /** `database` shows rows of the team alone. */
  constructor(system: System, database: Database, team: string) {
    this.system = system;
    this.team = team;
    this.data = new TeamData(system, { database, team, home: "", isServer: true }, [team], true);
  }

  /** Undefined where there is no such page. */
  async render(path: string, query: URLSearchParams, visitor: Visitor): Promise<Rendered | undefined> {
    const make = SERVER_PAGES.includes(path) ? PAGES[path] : undefined;
    if (make === undefined) return undefined;
    const sources = await this.data.sourcesFor(query, true);
    const site = this.site(sources.team, visitor);
    return renderPage(site, await make(sources, site, query));
  }

  /** A page of the server's own, in the same frame. */
  async frame(page: Page, visitor: Visitor): Promise<Rendered> {
    return renderPage(this.site(await this.data.siteFor({}), visitor), page);
  }

  private site(team: TeamSite | undefined, login: Visitor): Site {
    const scope = { team: this.team, ...team?.scope };
    return {
      nowMs: this.system.clock.nowMs(),
      home: "",
      agentSettings: BUILT_IN.guard,
      token: undefined,
      isReport: false,
      whyReadOnly: "What agents did is undone on their machines.",
      team: team === undefined ? undefined : { ...team, scope, login },
      titleOf: () => undefined,
      usageOf: () => undefined,
      complete: call => call,
      to: (page, query = {}) => `/${page}?${parameters({ ...scope, ...query })}`,
    };
  }
}

/** Histories and memories are not told to the server. */
const SERVER_PAGES: readonly string[] = [
  ...["/", "/sessions", "/session", "/calls", "/search"],
  ...["/recipes", "/recipe", "/usage"],
];

export type TeamDashboardOptions = Pick<DashboardOptions, "address" | "port" | "intervalMs" | "warn"> & {
  /** all teams of the user when absent */
  readonly team?: string | undefined;
};

/** A database is asked less often than a log of this machine. */
const INTERVAL_MS = 3_000;

/** The same pages over what a team's machines shipped to its database. They only show. */
export async function startTeamDashboard(
  system: System,
  address: DatabaseAddress,
  { team, ...options }: TeamDashboardOptions,
): Promise<Dashboard> {
  const database = await Database.open(address);
  try {
    const data = await openTeamData(system, {
      database,
      team,
      home: findHome(system) ?? "",
    });
    return await startDashboard(system, data, {
      intervalMs: INTERVAL_MS,
      ...options,
      whyReadOnly: "This page only shows: what agents did is undone on their machines.",
    });
  } catch (error) {
    await database.close();
    throw error;
  }
}
