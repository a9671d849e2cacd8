import { randomUUID } from "node:crypto";
import type { JsonObject } from "../protocol/index.ts";
import { findActiveAgent, findProjectRoot, findStateHome } from "../state/index.ts";
import { createNodeSystem } from "../system/node.ts";
import { join, resolve } from "../system/paths.ts";
import type { System } from "../system/system.ts";
import { argumentLimit } from "./argument-limit.ts";
import { type EngineFacts, engineVariables, inheritedEnvironment } from "./base-environment.ts";
import { inferContext } from "./context.ts";
import { pruneOldFiles } from "./event-log.ts";
import { delegateRun, findRunner } from "./external-runner.ts";
import { findProblems } from "./find-problems.ts";
import { findRecipe } from "./find-recipe.ts";
import { readGitFacts, restoreCoreBare } from "./git-facts.ts";
import { Interruption, SIGNAL_EXIT_CODES } from "./interruption.ts";
import { type LoadedRecipe, loadRecipe } from "./load-recipe.ts";
import { pointerLine } from "./log-pointer.ts";
import { openLogs, runLogPath } from "./open-logs.ts";
import { endOrphans } from "./orphans.ts";
import { createPrivateDirectory, removeTree } from "./private-directory.ts";
import {
  type Checkpoint,
  checkpointPath,
  type FrameProgress,
  keepProgress,
  NO_PROGRESS,
  newProgress,
  readCheckpoint,
} from "./progress-keeper.ts";
import { DEFAULT_MAX_DEPTH, DEFAULT_MAX_TOTAL_STEPS, type Problem } from "./recipe.ts";
import { EXIT_CODE_OF_ERROR, EXIT_CODES, type ResultDocument } from "./result.ts";
import { refusalDocument, resultDocument } from "./result-document.ts";
import type { Run } from "./run.ts";
import { runFrame } from "./run-frame.ts";
import {
  RunRefusal,
  type RunRequest,
  type RunSettings,
  readSettings,
  refuseDeepNesting,
} from "./run-request.ts";
import { environmentBytes } from "./shell-variables.ts";

/** How a run ended. */
export interface RunOutcome {
  readonly document: ResultDocument | JsonObject;
  readonly exitCode: number;
  /** the document of an external runner, exactly as it printed it */
  readonly documentText?: string | undefined;
  /** what is wrong with the recipe, and the texts that the problems point into */
  readonly problems?: readonly Problem[];
  readonly sources?: ReadonlyMap<string, string>;
}

/** A recipe that cannot be run as it is. */
class InvalidRecipe extends RunRefusal {
  readonly problems: readonly Problem[];
  readonly sources: ReadonlyMap<string, string>;

  constructor(problems: readonly Problem[], sources: ReadonlyMap<string, string>) {
    super("parse_error", problems.map(problem => problem.message).join("\n"));
    this.problems = problems;
    this.sources = sources;
  }
}

/**
 * Finds a recipe, runs it and reports. Nothing is thrown for what a user can get wrong: the outcome says it, with
 * the exit code a program should end with.
 */
export async function runRecipe(
  request: RunRequest,
  system: System = createNodeSystem(),
): Promise<RunOutcome> {
  const runId = randomUUID();
  try {
    refuseDeepNesting(system);
    return await start(system, request, readSettings(system, request), runId);
  } catch (error) {
    if (!(error instanceof RunRefusal)) throw error;
    return {
      document: refusalDocument(request.recipe, runId, error.kind, error.message),
      exitCode: EXIT_CODE_OF_ERROR[error.kind],
      ...(error instanceof InvalidRecipe ? { problems: error.problems, sources: error.sources } : {}),
    };
  }
}

async function start(
  system: System,
  request: RunRequest,
  settings: RunSettings,
  runId: string,
): Promise<RunOutcome> {
  const found = findRecipe(system, request.recipe, settings.search);
  if (found.kind !== "found") {
    throw new RunRefusal(found.kind === "missing" ? "not_found" : "bad_args", found.message);
  }
  const warnings: string[] = [];
  const warn = (message: string): void => {
    if (warnings.includes(message)) return;
    warnings.push(message);
    request.observer?.({ kind: "notice", text: message, isWarning: true });
  };
  const agent = settings.agent ?? findActiveAgent(system, settings.workingDir, warn);
  const runner = findRunner(system, settings.search.currentDir);
  const facts = { agent, workingDir: settings.workingDir, stepTimeoutSeconds: settings.stepTimeoutSeconds };
  const runtimeRoot = createPrivateDirectory(system);
  try {
    if (runner !== undefined) {
      const engineFacts = { ...facts, runId, runtimeRoot };
      return await delegate(system, request, settings, { runner, recipePath: found.path, engineFacts, warn });
    }
    const loaded = loadForRun(system, request, settings, found.path, warn);
    const resumed = readResumed(system, request, settings, loaded);
    return await runLoaded({
      system,
      request,
      settings,
      loaded,
      resumed,
      warnings,
      warn,
      engineFacts: { ...facts, runId: resumed?.runId ?? runId, runtimeRoot },
    });
  } finally {
    const left = removeTree(system, runtimeRoot);
    if (left.length > 0) warn(`Temporary files could not be removed: ${left[0]}`);
  }
}

function loadForRun(
  system: System,
  request: RunRequest,
  settings: RunSettings,
  path: string,
  warn: (message: string) => void,
): LoadedRecipe {
  const { loaded, errors, warnings, sources } = loadRecipe(system, path, settings.search);
  if (loaded === undefined) throw new InvalidRecipe(errors, sources);
  const deep =
    request.isDryRun === true || request.isStrict === true
      ? findProblems(system, loaded, settings.search, Object.keys(settings.given))
      : { errors: [], warnings: [] };
  const doubts = [...warnings, ...deep.warnings];
  const invalid = [...deep.errors, ...(request.isStrict === true ? doubts : [])];
  if (invalid.length > 0) throw new InvalidRecipe(invalid, sources);
  for (const { message } of doubts) warn(message);
  return loaded;
}

function stateDirectory(system: System, workingDir: string): string | undefined {
  const home = findStateHome(system, findProjectRoot(system, workingDir));
  return home === undefined ? undefined : join(home, "recipes");
}

function readResumed(
  system: System,
  request: RunRequest,
  settings: RunSettings,
  loaded: LoadedRecipe,
): (Checkpoint & { readonly path: string }) | undefined {
  if (request.resume === undefined) return undefined;
  const stateDir = stateDirectory(system, settings.workingDir);
  let checkpoint: Checkpoint & { readonly path: string };
  try {
    checkpoint = readCheckpoint(system, stateDir, settings.search.currentDir, request.resume);
  } catch (error) {
    throw new RunRefusal(
      "bad_args",
      `Cannot resume: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (checkpoint.root.sha256 !== loaded.sha256 && request.isForced !== true) {
    throw new RunRefusal(
      "bad_args",
      "Cannot resume: the recipe has changed since the checkpoint was written; use --force to resume anyway",
    );
  }
  return checkpoint;
}

interface LoadedRun {
  readonly system: System;
  readonly request: RunRequest;
  readonly settings: RunSettings;
  readonly loaded: LoadedRecipe;
  readonly resumed: (Checkpoint & { readonly path: string }) | undefined;
  readonly engineFacts: EngineFacts & { readonly agent: Run["agent"] };
  readonly warnings: string[];
  readonly warn: (message: string) => void;
}

async function runLoaded(order: LoadedRun): Promise<RunOutcome> {
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

/** Hands the run to the external runner that the environment names. */
async function delegate(
  system: System,
  request: RunRequest,
  settings: RunSettings,
  order: {
    readonly runner: string;
    readonly recipePath: string;
    readonly engineFacts: EngineFacts;
    readonly warn: (message: string) => void;
  },
): Promise<RunOutcome> {
  const { engineFacts, recipePath, runner, warn } = order;
  const { search, workingDir } = settings;
  const git = readGitFacts(system, workingDir);
  const inherited = inheritedEnvironment(system);
  const { loaded } = loadRecipe(system, recipePath, search);
  const inferred = loaded === undefined ? {} : inferContext(system, loaded.recipe.context, settings.given);
  const done = await delegateRun(system, {
    runner,
    recipePath,
    recipeName: loaded?.recipe.name ?? request.recipe,
    runId: engineFacts.runId,
    workingDir,
    recipeDirs: search.recipeDirs.map(directory => resolve(search.currentDir, directory)),
    isDryRun: request.isDryRun ?? false,
    context: { ...inferred, ...settings.given },
    env: { ...inherited, ...engineVariables(system, engineFacts) },
    interruption: request.interruption ?? new Interruption(),
    onError: chunk =>
      request.observer?.({
        kind: "notice",
        text: system.text.decode(chunk).text.trimEnd(),
        isWarning: false,
      }),
  });
  if (done.exitCode !== 0 && git !== undefined) {
    const repaired = await restoreCoreBare(system, git, inherited);
    if (repaired !== undefined) warn(repaired);
  }
  return { document: done.document, documentText: done.text, exitCode: done.exitCode };
}
