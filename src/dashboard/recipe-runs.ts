import { isJsonObject, type Json, memberAt, stringAt } from "../protocol/index.ts";
import {
  blocksOf,
  checkpointPath,
  listRuns,
  MAX_RECIPE_BYTES,
  parseRecipe,
  type QueuedRun,
  type RecordedRun,
  type Step,
} from "../recipes/index.ts";
import { AtomicJsonFile, readText } from "../state/index.ts";
import { dirname, type System } from "../system/index.ts";
import { clip } from "../text/index.ts";

export const SHOWN_RUNS = 50;
const MAX_CHECKPOINT_BYTES = 64 * 1024 * 1024;
const OUTPUT_LENGTH = 4_000;

/** The newest runs of recipes, from their logs in `folder`. */
export function readRecipeRuns(system: System, folder: string): readonly RecordedRun[] {
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

export function recipeRunsIn(system: System, folder: string): RecipeRuns {
  return {
    list: async () => readRecipeRuns(system, folder),
    find: async id => readRecipeRuns(system, folder).find(({ runId }) => runId === id),
    detail: run => readRunDetail(system, folder, run),
  };
}

export function readRunDetail(system: System, folder: string, run: RecordedRun): RunDetail {
  return { blocks: readBlocks(system, run), outputs: readOutputs(system, dirname(folder), run) };
}

function readBlocks(system: System, { file }: RecordedRun): RunDetail["blocks"] {
  if (file === null) return undefined;
  try {
    const { recipe } = parseRecipe(readText(system, file, MAX_RECIPE_BYTES) ?? "");
    return recipe === undefined ? undefined : blocksOf(recipe.steps);
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
    return new Map(Object.keys(context).map(name => [name, textOf(context[name] ?? null)]));
  } catch {
    return new Map();
  }
}

function textOf(value: Json): string {
  return clip(stringAt({ value }, "value") ?? JSON.stringify(value, undefined, 2), OUTPUT_LENGTH);
}
