import type { System } from "../system/index.ts";
import { Activity } from "./activity.ts";
import type { DataFiles } from "./data-files.ts";
import { LogSource } from "./entry-source.ts";
import { findMemories, type MemoryEntry, type MemoryQuery } from "./memories.ts";
import { type RecipeRuns, recipeRunsIn } from "./recipe-runs.ts";
import { type ChangeSource, Changes } from "./timeline/changes.ts";
import { Timelines } from "./timeline/timeline.ts";
import type { TeamSite } from "./views/site.ts";

/** Where pages take what they show from. */
export interface Sources {
  readonly system: System;
  readonly activity: Activity;
  readonly timelines: Timelines;
  readonly changes: ChangeSource;
  readonly recipes: RecipeRuns;
  findMemories(words: string, query: MemoryQuery): Promise<readonly MemoryEntry[]>;
  /** of a team's database: what of it is shown; undefined for this machine */
  readonly team: TeamSite | undefined;
}

/** What a dashboard shows: this machine, or the database of a team. */
export interface DashboardData {
  /** of this machine, for paths */
  readonly home: string;
  /** everything: what is new in it is told to open pages */
  readonly activity: Activity;
  /** Reads what is new; true when there was something. */
  catchUp(): Promise<boolean>;
  /** How much was read, of everything and of each part that is looked at: when it differs, so may pages. */
  totals(): { readonly runs: number; readonly judgements: number; readonly recipes?: number };
  /** What the address of a page asks for. */
  sourcesFor(query: URLSearchParams): Promise<Sources>;
  close(): Promise<void>;
}

export function localSources(system: System, files: DataFiles): Sources & { readonly changes: Changes } {
  const activity = new Activity(new LogSource(system, files));
  const changes = new Changes(system, files.stateHome, files.history);
  return {
    system,
    activity,
    changes,
    timelines: new Timelines(activity, changes),
    recipes: recipeRunsIn(system, files.recipeRuns),
    findMemories: (words, query) => findMemories(system, files.database, words, query),
    team: undefined,
  };
}

export function localData(sources: Sources, { home }: Pick<DataFiles, "home">): DashboardData {
  const { activity } = sources;
  return {
    home,
    activity,
    catchUp: () => activity.catchUp(),
    totals: () => totalsOf([activity]),
    sourcesFor: () => Promise.resolve(sources),
    close: () => Promise.resolve(),
  };
}

export function totalsOf(activities: readonly Activity[]): ReturnType<DashboardData["totals"]> {
  const sum = (of: (activity: Activity) => number) => activities.reduce((all, one) => all + of(one), 0);
  return { runs: sum(({ runs }) => runs.total), judgements: sum(({ judgements }) => judgements.total) };
}
