import type { GroupWatcher } from "../../system/group-watcher.ts";
import type { System } from "../../system/system.ts";
import type { LoadedRecipe } from "../find/load-recipe.ts";
import type { Observer } from "../logs/events.ts";
import { environmentBytes } from "../values/shell-variables.ts";
import { argumentLimit } from "./argument-limit.ts";
import { type EngineFacts, engineVariables, inheritedEnvironment } from "./base-environment.ts";
import { Interruption } from "./interruption.ts";
import {
  checkpointPath,
  type FrameProgress,
  keepProgress,
  NO_PROGRESS,
  type ResumedCheckpoint,
} from "./progress-keeper.ts";
import type { Run } from "./run.ts";
import type { RunRequest, RunSettings } from "./run-request.ts";

/** A recipe that is ready to run, and how. */
export interface LoadedRun {
  readonly system: System;
  readonly request: RunRequest;
  readonly settings: RunSettings;
  readonly loaded: LoadedRecipe;
  readonly resumed: ResumedCheckpoint | undefined;
  readonly engineFacts: EngineFacts & { readonly agent: Run["agent"] };
  readonly watcher: GroupWatcher;
  readonly warnings: string[];
  readonly warn: (message: string) => void;
}

/** Everything that holds for the whole run; takes the lock of its checkpoint. */
export function createRun(
  order: LoadedRun,
  more: {
    /** undefined when nothing is kept */
    readonly stateDir: string | undefined;
    readonly progress: FrameProgress;
    readonly observe: Observer;
  },
): Run {
  const { system, request, settings, loaded, resumed, engineFacts, warn } = order;
  const { runId } = engineFacts;
  const checkpoint = { runId, recipeName: loaded.recipe.name, root: more.progress };
  return {
    system,
    runId,
    topLevelFile: loaded.path,
    search: settings.search,
    workingDir: settings.workingDir,
    runtimeRoot: engineFacts.runtimeRoot,
    environment: childEnvironment(system, settings, engineFacts),
    agent: engineFacts.agent,
    launcher: findLauncher(system, request),
    stepTimeoutSeconds: settings.stepTimeoutSeconds,
    includeTags: request.includeTags ?? [],
    excludeTags: request.excludeTags ?? [],
    autoStage: request.autoStage ?? false,
    isDryRun: request.isDryRun ?? false,
    snippetLimits: settings.snippetLimits,
    heartbeatSeconds: settings.heartbeatSeconds,
    observe: more.observe,
    warn,
    interruption: request.interruption ?? new Interruption(),
    progress:
      more.stateDir === undefined
        ? NO_PROGRESS
        : keepProgress(
            system,
            resumed?.path ?? checkpointPath(more.stateDir, runId),
            checkpoint,
            warn,
            resumed?.lock,
          ),
    watcher: order.watcher,
    counter: { steps: 0, files: 0 },
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
