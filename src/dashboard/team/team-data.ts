import { PostgresStore } from "../../memory/index.ts";
import { type Database, hasRelation, SCHEMA } from "../../postgres/index.ts";
import { errorText } from "../../protocol/index.ts";
import { readableTeams } from "../../ship/index.ts";
import type { System } from "../../system/index.ts";
import { Activity, KEPT_JUDGEMENTS, KEPT_RUNS } from "../activity.ts";
import { type MemoryEntry, type MemoryQuery, searchMemories } from "../memories.ts";
import { type DashboardData, type Sources, totalsOf } from "../sources.ts";
import { NO_CHANGES } from "../timeline/changes.ts";
import { Timelines } from "../timeline/timeline.ts";
import { SCOPE_NAMES, type Scope } from "../views/site.ts";
import { clock, number } from "../views/words.ts";
import { TeamChoices } from "./choices.ts";
import { QueuedRuns } from "./queued-runs.ts";
import { RecordSource } from "./record-source.ts";

export interface TeamOptions {
  /** closed with the data */
  readonly database: Database;
  /** all that the user may see when absent */
  readonly team?: string | undefined;
  readonly home: string;
}

/** Views of parts are kept while they are looked at; each follows the database and holds what it shows. */
const MAX_VIEWS = 4;
const MAX_VALUE = 300;

/** Throws when there is nothing to show: no tables, no team of that name, or none at all. */
export async function openTeamData(system: System, options: TeamOptions): Promise<DashboardData> {
  const { database, team } = options;
  const teams = await readableTeams(database, team);
  return new TeamData(system, options, teams);
}

interface View {
  readonly scope: Scope;
  readonly source: RecordSource;
  readonly activity: Activity;
  readonly timelines: Timelines;
}

class TeamData implements DashboardData {
  readonly home: string;
  private readonly system: System;
  private readonly options: TeamOptions;
  private readonly teams: readonly string[];
  private readonly choices: TeamChoices;
  private readonly runs: QueuedRuns;
  private readonly whole: View;
  /** of parts, the one looked at last is the last */
  private readonly parts = new Map<string, View>();
  private problem: string | undefined;
  private readMs: number;

  constructor(system: System, options: TeamOptions, teams: readonly string[]) {
    this.system = system;
    this.options = options;
    this.teams = teams;
    this.home = options.home;
    this.readMs = system.clock.nowMs();
    this.choices = new TeamChoices(options.database.run, system.clock, teams);
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
    return { ...totalsOf(activities), recipes: this.runs.changes };
  }

  async sourcesFor(query: URLSearchParams): Promise<Sources> {
    const scope = this.readScope(query);
    const view = this.viewOf(scope);
    return {
      system: this.system,
      activity: view.activity,
      timelines: view.timelines,
      changes: NO_CHANGES,
      recipes: this.runs.of(scope),
      findMemories: (words, memoryQuery) => this.findMemories(scope, words, memoryQuery),
      team: {
        scope,
        choices: await this.choices.read(),
        hasRecipes: await this.runs.canBeRead(),
        about: this.about(view),
        problem: this.problem,
      },
    };
  }

  close(): Promise<void> {
    return this.options.database.close();
  }

  private readScope(query: URLSearchParams): Scope {
    return Object.fromEntries(
      SCOPE_NAMES.flatMap(name => {
        const value = query.get(name)?.slice(0, MAX_VALUE);
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
    const source = new RecordSource(this.options.database.run, this.teams, scope);
    const activity = new Activity(source);
    return { scope, source, activity, timelines: new Timelines(activity, NO_CHANGES) };
  }

  private about({ source }: View): string {
    const { teams, options } = this;
    const whose = teams.length === 1 ? `The team ${teams[0]}` : `${teams.length} teams`;
    const part = `, the newest ${number(KEPT_RUNS)} runs of hooks and ${number(KEPT_JUDGEMENTS)} judgements: choose a person, a machine, a project or a host for older ones`;
    return `${whose}, as shipped to ${options.database.place}${source.isPartial ? part : ""}. This page only shows.`;
  }

  private async findMemories(
    { team, project }: Scope,
    words: string,
    query: MemoryQuery,
  ): Promise<readonly MemoryEntry[]> {
    const teams = team === undefined ? this.teams : this.teams.filter(name => name === team);
    const projects = project === undefined ? undefined : [project];
    const nowMs = this.system.clock.nowMs();
    const { database } = this.options;
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
