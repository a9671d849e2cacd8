import type { System } from "../system/system.ts";
import { version } from "../version.ts";
import { Activity } from "./activity.ts";
import type { DataFiles } from "./data-files.ts";
import { historyFigures } from "./history-figures.ts";
import { findMemories } from "./memories.ts";
import { renderPage } from "./page.ts";
import { readRecipeRuns } from "./recipe-runs.ts";

const RUNS = 5_000;
const JUDGEMENTS = 2_000;
const MEMORIES = 500;

/** The page with everything in it: one file that needs neither server nor network. */
export async function renderReport(
  system: System,
  files: DataFiles,
  { hasMemories }: { readonly hasMemories: boolean },
): Promise<string> {
  const activity = new Activity(system, files);
  await activity.catchUp();
  return renderPage({
    written: new Date(system.clock.nowMs()).toISOString(),
    version,
    overview: { ...activity.tally.overview(), history: historyFigures(system, files.stateHome)() },
    runs: activity.runs.page({ count: RUNS }).entries,
    judgements: activity.judgements.page({ count: JUDGEMENTS }).entries,
    recipes: readRecipeRuns(system, files.recipeRuns),
    memories: hasMemories ? await findMemories(system, files.database, "", MEMORIES) : null,
  }).html;
}
