import type { JsonObject } from "../protocol/index.ts";
import { join } from "../system/paths.ts";
import type { System } from "../system/system.ts";
import { argumentLimit } from "./argument-limit.ts";
import { type EngineFacts, engineVariables, inheritedEnvironment } from "./base-environment.ts";
import { inferContext } from "./context.ts";
import { pruneOldFiles } from "./event-log.ts";
import { readGitFacts, restoreCoreBare } from "./git-facts.ts";
import { Interruption, SIGNAL_EXIT_CODES } from "./interruption.ts";
import type { LoadedRecipe } from "./load-recipe.ts";
import { pointerLine } from "./log-pointer.ts";
import { openLogs, runLogPath } from "./open-logs.ts";
import { endOrphans } from "./orphans.ts";
import {
  type Checkpoint,
  checkpointPath,
  type FrameProgress,
  keepProgress,
  NO_PROGRESS,
  newProgress,
} from "./progress-keeper.ts";
import { DEFAULT_MAX_DEPTH, DEFAULT_MAX_TOTAL_STEPS } from "./recipe.ts";
import { EXIT_CODES } from "./result.ts";
import { resultDocument } from "./result-document.ts";
import type { Run } from "./run.ts";
import { runFrame } from "./run-frame.ts";
import type { RunOutcome } from "./run-outcome.ts";
import type { RunRequest, RunSettings } from "./run-request.ts";
import { environmentBytes } from "./shell-variables.ts";
import { stateDirectory } from "./state-directory.ts";

/** A recipe that is ready to run, and how. */
export interface LoadedRun {
  readonly system: System;
  readonly request: RunRequest;
  readonly settings: RunSettings;
  readonly loaded: LoadedRecipe;
  readonly resumed: (Checkpoint & { readonly path: string }) | undefined;
  readonly engineFacts: EngineFacts & { readonly agent: Run["agent"] };
  readonly warnings: string[];
  readonly warn: (message: string) => void;
}

export async function runLoaded(order: LoadedRun): Promise<RunOutcome> {
  const { system, request, settings, loaded, resumed, engineFacts, warnings, warn } = order;
  const { recipe } = loaded;
  const { runId } = engineFacts;
  const startedMs = system.clock.monotonicMs();
  const stateDir = stateDirectory(system, settings.workingDir);
  if (stateDir === undefined)
    warn("There is no home directory, so this run keeps no log and cannot be resumed");
  if (resumed !== undefined && stateDir !== undefined) {
    for (const note of await endOrphans(system, runLogPath(stateDir, runId))) warn(note);
  }
  const git = readGitFacts(system, settings.workingDir);
  const logs = openLogs(system, {
    runId,
    recipeName: recipe.name,
    currentDir: settings.search.currentDir,
    stateDir: request.isDryRun === true ? undefined : stateDir,
    auditDir: settings.auditDir,
    observer: request.observer,
    warn,
  });
  const root = resumed === undefined ? undefined : withGiven(resumed.root, settings.given);
  const context = root?.context ?? initialContext(system, loaded, settings.given);
  const progress = { ...(root ?? newProgress(loaded.sha256, context)), sha256: loaded.sha256 };
  const environment = childEnvironment(system, settings, engineFacts);
  const run: Run = {
    system,
    runId,
    topLevelFile: loaded.path,
    search: settings.search,
    workingDir: settings.workingDir,
    runtimeRoot: engineFacts.runtimeRoot,
    environment,
    agent: engineFacts.agent,
    launcher: findLauncher(system, request),
    stepTimeoutSeconds: settings.stepTimeoutSeconds,
    includeTags: request.includeTags ?? [],
    excludeTags: request.excludeTags ?? [],
    autoStage: request.autoStage ?? false,
    isDryRun: request.isDryRun ?? false,
    snippetLimits: settings.snippetLimits,
    heartbeatSeconds: settings.heartbeatSeconds,
    observe: logs.observe,
    warn,
    interruption: request.interruption ?? new Interruption(),
    progress:
      stateDir === undefined || request.isDryRun === true
        ? NO_PROGRESS
        : keepProgress(
            system,
            resumed?.path ?? checkpointPath(stateDir, runId),
            { runId, recipeName: recipe.name, root: progress },
            warn,
          ),
    counter: { steps: 0, files: 0 },
  };
  const point = (event: "early" | "final", more: { status?: string; exitCode?: number } = {}): void =>
    logs.observe({
      kind: "notice",
      isWarning: false,
      text: pointerLine({
        event,
        runId,
        recipeName: recipe.name,
        cwd: settings.workingDir,
        git,
        context,
        logPaths: logs.paths,
        nowMs: system.clock.nowMs(),
        ...more,
      }),
    });

  logs.observe({
    kind: "recipe_start",
    recipe: recipe.name,
    stepCount: recipe.steps.length,
    runtimeRoot: run.runtimeRoot,
  });
  point("early");
  const end = await runFrame(run, {
    loaded,
    depth: 0,
    limits: {
      maxDepth: recipe.recursion.maxDepth ?? DEFAULT_MAX_DEPTH,
      maxTotalSteps: recipe.recursion.maxTotalSteps ?? DEFAULT_MAX_TOTAL_STEPS,
    },
    pathPrefix: "",
    deadlineMs: undefined,
    context,
    assigned: progress.assigned,
    progress,
  });
  for (const warning of end.warnings) warn(warning);
  if (end.isSuccess) run.progress.discard();
  else if (git !== undefined) {
    const repaired = await restoreCoreBare(system, git, environment.inherited);
    if (repaired !== undefined) warn(repaired);
  }
  const { signal } = run.interruption;
  const exitCode =
    signal !== undefined && !end.isSuccess
      ? SIGNAL_EXIT_CODES[signal]
      : end.isSuccess
        ? EXIT_CODES.success
        : EXIT_CODES.failed;
  const durationMs = system.clock.monotonicMs() - startedMs;
  logs.observe({ kind: "recipe_end", recipe: recipe.name, status: end.status, durationMs });
  point("final", { status: end.isSuccess ? "success" : "failure", exitCode });
  if (stateDir !== undefined) {
    for (const folder of ["runs", "checkpoints"]) pruneOldFiles(system, join(stateDir, folder));
  }
  return {
    exitCode,
    document: resultDocument({
      runId,
      recipeName: recipe.name,
      end,
      isDryRun: run.isDryRun,
      hidesContext: request.hidesContext ?? false,
      warnings,
      durationMs,
      exitCode,
      git,
      logPaths: logs.paths,
    }),
  };
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

function childEnvironment(system: System, settings: RunSettings, facts: EngineFacts): Run["environment"] {
  const inherited = inheritedEnvironment(system);
  const engine = engineVariables(system, facts);
  return {
    inherited,
    engine,
    bytes: environmentBytes({ ...inherited, ...engine }),
    budgetOverride: settings.budgetOverride,
    argumentLimit: () => argumentLimit(system),
  };
}

function findLauncher(system: System, request: RunRequest): Run["launcher"] {
  const override = system.env.get("AMPLIHACK_LAUNCHER_BINARY") ?? "";
  return override === "" ? (request.launcher ?? ["amplihack"]) : [override];
}
