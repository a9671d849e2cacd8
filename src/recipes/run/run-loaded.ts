import type { JsonObject } from "../../protocol/index.ts";
import { join, type System } from "../../system/index.ts";
import type { GroupWatcher } from "../../system/node.ts";
import type { LoadedRecipe } from "../find/load-recipe.ts";
import { DEFAULT_MAX_DEPTH, DEFAULT_MAX_TOTAL_STEPS, MAX_DEPTH } from "../format/recipe.ts";
import { openLogs, pruneOldFiles, type RunLogs, runLogPath } from "../logs/event-log.ts";
import type { Observer } from "../logs/events.ts";
import { pointerLine } from "../logs/run-records.ts";
import { findShown } from "../steps/guard-step.ts";
import { inferContext } from "../values/recipe-context.ts";
import { environmentBytes } from "../values/shell-variables.ts";
import {
  argumentLimit,
  type GitFacts,
  inheritedEnvironment,
  pathFinder,
  type RunFacts,
  readGitFacts,
  restoreCoreBare,
  runVariables,
} from "./base-environment.ts";
import { checkpointPath } from "./find-checkpoint.ts";
import { endOrphans, Interruption, SIGNAL_EXIT_CODES } from "./interruption.ts";
import {
  type FrameProgress,
  keepProgress,
  NO_PROGRESS,
  newProgress,
  type ProgressKeeper,
  type ResumedCheckpoint,
} from "./progress-keeper.ts";
import type { RunOutcome } from "./result.ts";
import { EXIT_CODES } from "./result.ts";
import { resultDocument } from "./result-document.ts";
import type { FrameEnd, RecipeRun } from "./run.ts";
import { runFrame } from "./run-frame.ts";
import { type RunRequest, type RunSettings, stateDirectory } from "./run-request.ts";

/** A recipe that is ready to run, and how. */
interface LoadedRun {
  readonly system: System;
  readonly request: RunRequest;
  readonly settings: RunSettings;
  readonly loaded: LoadedRecipe;
  readonly resumed: ResumedCheckpoint | undefined;
  readonly facts: RunFacts & { readonly agent: RecipeRun["agent"] };
  readonly watcher: GroupWatcher;
  readonly warnings: string[];
  readonly warn: (message: string) => void;
}

/** Runs a recipe from its first step, or from where a checkpoint says, to its result. */
export async function runLoaded(start: LoadedRun): Promise<RunOutcome> {
  const { system, request, settings, loaded, resumed, warnings, warn } = start;
  const { runId } = start.facts;
  const startedMs = system.clock.monotonicMs();
  const stateDir = stateDirectory(system);
  if (stateDir === undefined) {
    warn("There is no home directory, so this run keeps no log and cannot be resumed");
  } else if (resumed !== undefined || request.kept !== undefined) {
    for (const note of await endOrphans(system, runLogPath(stateDir, runId))) warn(note);
  }
  const keptIn = request.isDryRun === true ? undefined : stateDir;
  const git = readGitFacts(system, settings.workingDir);
  const logs = openLogs(system, {
    runId,
    recipeName: loaded.recipe.name,
    currentDir: settings.search.currentDir,
    stateDir: keptIn,
    auditDir: settings.auditDir,
    observer: request.observer,
    warn,
  });
  const { progress, keeper } = findProgress(start, keptIn);
  const { context } = progress;
  const run = createRun(start, keeper, logs.observe);

  const end = await runToEnd(run, loaded, progress, pointerTo(run, loaded, context, git, logs));
  for (const warning of end.warnings) warn(warning);
  if (!end.isSuccess && git !== undefined) {
    const repaired = await restoreCoreBare(system, git, run.environment.inherited);
    if (repaired !== undefined) warn(repaired);
  }
  if (stateDir !== undefined) {
    for (const folder of ["runs", "checkpoints"]) pruneOldFiles(system, join(stateDir, folder));
  }
  const exitCode = runExitCode(run, end);
  return {
    exitCode,
    document: resultDocument({
      runId,
      recipeName: loaded.recipe.name,
      end,
      isDryRun: run.isDryRun,
      hidesContext: request.hidesContext ?? false,
      warnings,
      durationMs: system.clock.monotonicMs() - startedMs,
      exitCode,
      git,
      logPaths: logs.paths,
    }),
  };
}

/**
 * How far the run has come, and where that is recorded. A checkpoint file is locked; without a directory there is
 * none.
 */
function findProgress(
  { system, request, settings, loaded, resumed, facts, warn }: LoadedRun,
  stateDir: string | undefined,
): { readonly progress: FrameProgress; readonly keeper: ProgressKeeper } {
  if (request.kept !== undefined) {
    const { root, keeper } = request.kept.begin(loaded);
    return { progress: root, keeper };
  }
  const { runId } = facts;
  const { given, workingDir } = settings;
  const root =
    resumed === undefined
      ? newProgress(loaded.sha256, initialContext(system, loaded, given))
      : withGiven(resumed.root, given);
  const progress = { ...root, sha256: loaded.sha256 };
  if (stateDir === undefined) return { progress, keeper: NO_PROGRESS };
  const checkpoint = { runId, recipeName: loaded.recipe.name, workingDir, root: progress };
  const path = resumed?.path ?? checkpointPath(stateDir, runId);
  return { progress, keeper: keepProgress(system, path, checkpoint, warn, resumed?.lock) };
}

/** Everything that holds for the whole run. */
function createRun(
  { system, request, settings, loaded, facts, watcher, warn }: LoadedRun,
  progress: ProgressKeeper,
  observe: Observer,
): RecipeRun {
  const { runId } = facts;
  const { workingDir } = settings;
  const inherited = inheritedEnvironment(system);
  const { PATH = "" } = inherited;
  const engine = runVariables(system, facts);
  const launcher = system.env.get("AMPLIHACK_LAUNCHER_BINARY") ?? "";
  return {
    system,
    runId,
    topLevelFile: loaded.path,
    search: settings.search,
    workingDir,
    runtimeRoot: facts.runtimeRoot,
    environment: {
      inherited,
      pathFor:
        request.launcher === undefined
          ? () => PATH
          : pathFinder(system, PATH, facts.runtimeRoot, request.launcher),
      engine,
      bytes: environmentBytes({ ...inherited, ...engine }),
      budgetOverride: settings.budgetOverride,
      argumentLimit: () => argumentLimit(system),
    },
    agent: facts.agent,
    launcher: launcher === "" ? (request.launcher ?? ["amplihack"]) : [launcher],
    stepTimeoutSeconds: settings.stepTimeoutSeconds,
    includeTags: request.includeTags ?? [],
    excludeTags: request.excludeTags ?? [],
    autoStage: request.autoStage ?? false,
    isDryRun: request.isDryRun ?? false,
    snippetLimits: settings.snippetLimits,
    heartbeatSeconds: settings.heartbeatSeconds,
    observe,
    warn,
    interruption: request.interruption ?? new Interruption(),
    approve: request.approve,
    keepFiles: request.keepFiles,
    progress,
    watcher,
    counter: { steps: 0, files: 0, shells: 0 },
    shown: findShown(system, workingDir, loaded, request.agreed),
  };
}

type Point = (
  event: "early" | "final",
  more?: { readonly status: string; readonly exitCode: number },
) => void;

/** Says where the logs are, before and after. */
function pointerTo(
  { system, runId, workingDir, observe }: RecipeRun,
  { recipe }: LoadedRecipe,
  context: JsonObject,
  git: GitFacts | undefined,
  logs: RunLogs,
): Point {
  return (event, more = undefined) =>
    observe({
      kind: "pointer",
      line: pointerLine({
        event,
        runId,
        recipeName: recipe.name,
        cwd: workingDir,
        git,
        context,
        logPaths: logs.paths,
        nowMs: system.clock.nowMs(),
        ...more,
      }),
    });
}

async function runToEnd(
  run: RecipeRun,
  loaded: LoadedRecipe,
  progress: FrameProgress,
  point: Point,
): Promise<FrameEnd> {
  const { system, observe, runtimeRoot, workingDir } = run;
  const { name, steps, recursion } = loaded.recipe;
  const startedMs = system.clock.monotonicMs();
  const stepCount = steps.length;
  observe({ kind: "recipe_start", recipe: name, stepCount, runtimeRoot, workingDir, file: loaded.path });
  point("early");
  let isDone = false;
  try {
    const end = await runFrame(run, {
      loaded,
      depth: 0,
      limits: {
        maxDepth: Math.min(recursion.maxDepth ?? DEFAULT_MAX_DEPTH, MAX_DEPTH),
        maxTotalSteps: recursion.maxTotalSteps ?? DEFAULT_MAX_TOTAL_STEPS,
      },
      pathPrefix: "",
      deadlineMs: undefined,
      context: progress.context,
      assigned: progress.assigned,
      progress,
    });
    isDone = end.isSuccess;
    const durationMs = system.clock.monotonicMs() - startedMs;
    const { signal } = run.interruption;
    observe({ kind: "recipe_end", recipe: name, status: end.status, durationMs, signal });
    point("final", { status: isDone ? "success" : "failure", exitCode: runExitCode(run, end) });
    return end;
  } finally {
    run.progress.close(isDone);
  }
}

function runExitCode({ interruption }: RecipeRun, end: FrameEnd): number {
  if (end.isSuccess) return EXIT_CODES.success;
  return interruption.signal === undefined ? EXIT_CODES.failed : SIGNAL_EXIT_CODES[interruption.signal];
}

function initialContext(system: System, { recipe }: LoadedRecipe, given: JsonObject): JsonObject {
  return { ...recipe.context, ...inferContext(system, recipe.context, given), ...given };
}

/** Values given on resuming win in every recipe that was under way. */
function withGiven(frame: FrameProgress, given: JsonObject): FrameProgress {
  return {
    ...frame,
    context: { ...frame.context, ...given },
    children: new Map([...frame.children].map(([id, child]) => [id, withGiven(child, given)])),
  };
}
