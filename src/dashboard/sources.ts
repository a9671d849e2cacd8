import type { GuardSettings } from "../config/index.ts";
import { loadBudget } from "../hooks/index.ts";
import { type Memory, type MemoryReader, openReader, openStore, rankByWords } from "../memory/index.ts";
import { isJsonObject, type Json, memberAt, stringAt } from "../protocol/index.ts";
import {
  checkpointPath,
  listRuns,
  MAX_RECIPE_BYTES,
  parseRecipe,
  type QueuedRun,
  type RecordedRun,
  type Step,
  splitBlocks,
} from "../recipes/index.ts";
import { AtomicJsonFile, readText } from "../state/index.ts";
import { dirname, type System } from "../system/index.ts";
import { clip } from "../text/index.ts";
import { Activity, type Overview } from "./activity.ts";
import { type DataFiles, LogSource } from "./entries.ts";
import { type HeldTries, heldTries } from "./held.ts";
import type { TeamFigures } from "./team-figures.ts";
import { type ChangeSource, Changes } from "./timeline/calls.ts";
import { Records } from "./timeline/records.ts";
import { Timelines } from "./timeline/timeline.ts";
import { UsageCount, type UsageFigures } from "./usage-count.ts";
import type { TeamSite } from "./views/layout.ts";

/** A memory as the page shows it; the text is clipped. */
export interface MemoryEntry {
  readonly id: string;
  /** empty when it counts for every project */
  readonly project: string;
  readonly agent: string;
  readonly key: string;
  readonly text: string;
  readonly category: string;
  readonly updated: string;
}

const SHOWN = 50;
const TEXT_LENGTH = 1_000;
/** A page must not hang because another program holds the database. */
const PATIENCE_MS = 3_000;

export interface MemoryQuery {
  readonly limit?: number;
  readonly agent?: string | undefined;
  readonly projects?: readonly string[] | undefined;
}

/** Of the database of this machine. */
async function findMemories(
  system: System,
  database: string,
  words: string,
  query: MemoryQuery,
): Promise<readonly MemoryEntry[]> {
  const reader = await openReader(system, database, { patienceMs: PATIENCE_MS });
  try {
    return await searchMemories(reader, system.clock.nowMs(), words, query);
  } finally {
    reader.close();
  }
}

/** The best matches; the newest when nothing is asked for. */
export async function searchMemories(
  reader: MemoryReader,
  nowMs: number,
  words: string,
  { limit = SHOWN, ...filter }: MemoryQuery,
): Promise<readonly MemoryEntry[]> {
  if (words.trim() === "") return (await reader.list(filter, "newest", limit)).map(toEntry);
  const found = await rankByWords(reader, words, filter, { limit, nowMs });
  return found.map(({ memory }) => toEntry(memory));
}

/** Removes one for good; false when it was gone already. */
export async function forgetMemory(
  system: System,
  database: string,
  memory: Pick<Memory, "agent" | "id">,
): Promise<boolean> {
  const store = await openStore(system, database, { patienceMs: PATIENCE_MS });
  try {
    return (await store.remove([memory])) > 0;
  } finally {
    store.close();
  }
}

function toEntry({ id, project, agent, key, value, category, updatedMs }: Memory): MemoryEntry {
  return {
    id,
    project,
    agent,
    key,
    text: clip(value, TEXT_LENGTH),
    category,
    updated: new Date(updatedMs).toISOString(),
  };
}

export const SHOWN_RUNS = 50;
const MAX_CHECKPOINT_BYTES = 64 * 1024 * 1024;
const OUTPUT_LENGTH = 4_000;

/** The newest runs of recipes, from their logs in `folder`. */
function readRecipeRuns(system: System, folder: string): readonly RecordedRun[] {
  return listRuns(system, dirname(folder), SHOWN_RUNS);
}

/** What a run was to do and what came of it, as far as that is still there. */
export interface RunDetail {
  /** steps in order; several in one block run together. Undefined when the recipe is gone or was changed to nonsense */
  readonly blocks: readonly (readonly Step[])[] | undefined;
  /** what steps printed, by the variable that holds it; a run that came to its end keeps none */
  readonly outputs: ReadonlyMap<string, string>;
}

/** A run on this machine, or one in a database. */
export type ShownRun = RecordedRun & Partial<QueuedRun>;

/** Runs of recipes, as pages ask for them. */
export interface RecipeRuns {
  /** the newest first */
  list(): Promise<readonly ShownRun[]>;
  find(runId: string): Promise<ShownRun | undefined>;
  detail(run: ShownRun): RunDetail;
}

function recipeRunsIn(system: System, folder: string): RecipeRuns {
  return {
    list: async () => readRecipeRuns(system, folder),
    find: async id => readRecipeRuns(system, folder).find(({ runId }) => runId === id),
    detail: run => readRunDetail(system, folder, run),
  };
}

function readRunDetail(system: System, folder: string, run: RecordedRun): RunDetail {
  return { blocks: readBlocks(system, run), outputs: readOutputs(system, dirname(folder), run) };
}

function readBlocks(system: System, { file }: RecordedRun): RunDetail["blocks"] {
  if (file === null) return undefined;
  try {
    const { recipe } = parseRecipe(readText(system, file, MAX_RECIPE_BYTES) ?? "");
    return recipe === undefined ? undefined : splitBlocks(recipe.steps);
  } catch {
    // The run is told from its log alone.
    return undefined;
  }
}

function readOutputs(system: System, stateDir: string, { runId }: RecordedRun): RunDetail["outputs"] {
  const path = checkpointPath(stateDir, runId);
  const parse = (value: Json) => memberAt(value, "context");
  try {
    const context = new AtomicJsonFile(path, { system, limitBytes: MAX_CHECKPOINT_BYTES, parse }).read();
    if (!isJsonObject(context)) return new Map();
    return new Map(Object.keys(context).map(name => [name, outputText(context[name] ?? null)]));
  } catch {
    return new Map();
  }
}

function outputText(value: Json): string {
  return clip(stringAt({ value }, "value") ?? JSON.stringify(value, undefined, 2), OUTPUT_LENGTH);
}

/** Where pages take what they show from. */
export interface Sources {
  readonly system: System;
  readonly activity: Activity;
  readonly timelines: Timelines;
  readonly changes: ChangeSource;
  readonly recipes: RecipeRuns;
  /** the hosts' own records of sessions */
  readonly records: Records;
  /** what models cost; undefined for a team without a server */
  readonly usage: UsageFigures | undefined;
  /** what a person shall know of budgets, told by the newest session */
  foretellBudgets?(session: string, project: string): Promise<readonly string[]>;
  findMemories(words: string, query: MemoryQuery): Promise<readonly MemoryEntry[]>;
  /** of a team's database: what of it is shown; undefined for this machine */
  readonly team: TeamSite | undefined;
  /** of a team's database, which counts everything; undefined where all of it was read */
  readonly figures: TeamCounts | undefined;
  /** absent where a page shows no machine of its own */
  readonly held?: HeldTries;
}

/** What a database counts by itself. */
export interface TeamCounts {
  since(starts: readonly number[]): Promise<TeamFigures>;
  overview(): Promise<Omit<Overview, "latency">>;
}

/** What a dashboard shows: this machine, or the database of a team. */
export interface DashboardData {
  /** of this machine, for paths */
  readonly home: string;
  /** what an agent that looks may be shown */
  readonly guard: GuardSettings;
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

/** How far each budget is used and when it will be at the rate of a session; nothing where none is set. */
async function foretellBudgets(
  system: System,
  { stateHome, budget }: DataFiles,
  session: string,
  project: string,
): Promise<readonly string[]> {
  if (Object.keys(budget).length === 0) return [];
  const { foretellUse, readBudget } = await loadBudget();
  return readBudget(system, session, { stateHome, project, config: { budget } }).map(foretellUse);
}

export function localSources(system: System, files: DataFiles): Sources & { readonly changes: Changes } {
  const activity = new Activity(new LogSource(system, files));
  const changes = new Changes(system, files.stateHome, files.history);
  return {
    system,
    activity,
    changes,
    timelines: new Timelines(activity, changes),
    held: heldTries(system, files),
    recipes: recipeRunsIn(system, files.recipeRuns),
    records: new Records(system, files.home),
    usage: new UsageCount(system, files.home, files.prices),
    foretellBudgets: (session, project) => foretellBudgets(system, files, session, project),
    findMemories: (words, query) => findMemories(system, files.database, words, query),
    team: undefined,
    figures: undefined,
  };
}

export function localData(
  sources: Sources,
  { home, guard }: Pick<DataFiles, "home" | "guard">,
): DashboardData {
  const { activity } = sources;
  return {
    home,
    guard,
    activity,
    catchUp: () => activity.catchUp(),
    totals: () => sumActivities([activity]),
    sourcesFor: () => Promise.resolve(sources),
    close: async () => activity.stop(),
  };
}

export function sumActivities(activities: readonly Activity[]): ReturnType<DashboardData["totals"]> {
  const sum = (of: (activity: Activity) => number) => activities.reduce((all, one) => all + of(one), 0);
  return { runs: sum(({ runs }) => runs.total), judgements: sum(({ judgements }) => judgements.total) };
}
