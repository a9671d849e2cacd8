import { randomUUID } from "node:crypto";
import { findActiveAgent } from "../../hosts/index.ts";
import { errorText } from "../../protocol/index.ts";
import { isStateError } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { createGroupWatcher, createNodeSystem } from "../../system/node.ts";
import { findProblems } from "../find/find-problems.ts";
import { findRecipe } from "../find/find-recipe.ts";
import { findShadowedByName, type LoadedRecipe, loadRecipe, shadowRefusal } from "../find/load-recipe.ts";
import type { Problem } from "../format/recipe.ts";
import { delegateRun, findRunner } from "./external-runner.ts";
import { createPrivateDirectory, removePrivateDirectory } from "./private-directory.ts";
import { type ResumedCheckpoint, takeCheckpoint } from "./progress-keeper.ts";
import type { RunOutcome } from "./result.ts";
import { EXIT_CODE_OF_ERROR } from "./result.ts";
import { refusalDocument } from "./result-document.ts";
import { runLoaded } from "./run-loaded.ts";
import {
  RunRefusal,
  type RunRequest,
  type RunSettings,
  readSettings,
  refuseDeepNesting,
  stateDirectory,
} from "./run-request.ts";

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
  const runId = request.kept?.runId ?? randomUUID();
  try {
    refuseDeepNesting(system);
    return await start(system, request, readSettings(system, request), runId);
  } catch (error) {
    const refusal = error instanceof RunRefusal ? error : describeFault(error, system, request);
    return refusedOutcome(request.recipe, runId, refusal);
  }
}

/** How a run ended that could not begin. */
export function refusedOutcome(recipe: string, runId: string, refusal: RunRefusal): RunOutcome {
  const { kind, message } = refusal;
  return {
    document: refusalDocument(recipe, runId, kind, message),
    exitCode: EXIT_CODE_OF_ERROR[kind],
    ...(refusal instanceof InvalidRecipe ? { problems: refusal.problems, sources: refusal.sources } : {}),
  };
}

/** An unexpected error still ends in a document. */
function describeFault(error: unknown, { env }: System, request: RunRequest): RunRefusal {
  if (error instanceof Error && error.stack !== undefined && (env.get("AMPLIHACK_DEBUG") ?? "") !== "") {
    request.observer?.({ kind: "notice", text: error.stack, isWarning: true });
  }
  return new RunRefusal("internal", errorText(error));
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
  const shipped = findShadowedByName(system, request.recipe, found.path, settings.search);
  if (shipped !== undefined) throw new RunRefusal("bad_args", shadowRefusal(request.recipe, found.path));
  const agent = settings.agent ?? findActiveAgent(system, settings.workingDir, warn);
  // Another program's progress cannot be recorded step by step.
  const runner = request.kept === undefined ? findRunner(system, settings.search.currentDir) : undefined;
  const runtimeRoot = createPrivateDirectory(system);
  const { workingDir, stepTimeoutSeconds } = settings;
  const common = { agent, workingDir, stepTimeoutSeconds, runtimeRoot };
  const watcher = createGroupWatcher(reason => warn(`The steps' programs are not watched over: ${reason}`));
  try {
    if (runner !== undefined) {
      const facts = { ...common, runId };
      const delegation = { runner, recipePath: found.path, facts, watcher, warn };
      return await delegateRun(system, request, settings, delegation);
    }
    const loaded = loadForRun(system, request, settings, found.path, warn);
    if (request.agreed !== undefined && !request.agreed.includes(loaded.fileSha256))
      throw new RunRefusal(
        "bad_args",
        `${found.path} changed since you were asked about it: run it again to be asked`,
      );
    const resumed = takeResumed(system, request, settings, loaded);
    try {
      const facts = { ...common, runId: resumed?.runId ?? runId };
      const run = { system, request, settings, loaded, resumed, facts, watcher, warnings, warn };
      return await runLoaded(run);
    } finally {
      resumed?.lock.release();
    }
  } finally {
    watcher.dismiss();
    const left = removePrivateDirectory(system, runtimeRoot);
    if (left.length > 0) warn(`Temporary files could not be removed: ${left[0]}`);
  }
}

/** The recipe as it will run; throws when it cannot be. A dry or strict run looks closer. */
export function loadForRun(
  system: System,
  request: Pick<RunRequest, "isDryRun" | "isStrict">,
  settings: RunSettings,
  path: string,
  warn: (message: string) => void,
): LoadedRecipe {
  const { loaded, errors, warnings, sources } = loadRecipe(system, path, settings.search);
  if (loaded === undefined) throw new InvalidRecipe(errors, sources);
  const checked =
    request.isDryRun === true || request.isStrict === true
      ? findProblems(system, loaded, settings.search, Object.keys(settings.given))
      : { errors: [], warnings: [] };
  const allWarnings = [...warnings, ...checked.warnings];
  const invalid = [...checked.errors, ...(request.isStrict === true ? allWarnings : [])];
  if (invalid.length > 0) throw new InvalidRecipe(invalid, sources);
  for (const { message } of allWarnings) warn(message);
  return loaded;
}

function takeResumed(
  system: System,
  request: RunRequest,
  settings: RunSettings,
  loaded: LoadedRecipe,
): ResumedCheckpoint | undefined {
  if (request.resume === undefined) return undefined;
  const search = {
    stateDir: stateDirectory(system),
    currentDir: settings.search.currentDir,
    workingDir: settings.workingDir,
    recipeName: loaded.recipe.name,
  };
  let checkpoint: ResumedCheckpoint;
  try {
    checkpoint = takeCheckpoint(system, search, request.resume);
  } catch (error) {
    const isLocked = isStateError(error, "lock-timeout");
    const why = isLocked ? "another process is running it" : errorText(error);
    throw new RunRefusal("bad_args", `Cannot resume: ${why}`);
  }
  if (checkpoint.root.sha256 === loaded.sha256 || request.isForced === true) return checkpoint;
  checkpoint.lock.release();
  throw new RunRefusal(
    "bad_args",
    "Cannot resume: the recipe has changed since the checkpoint was written; use --force to resume anyway",
  );
}
