import type { GroupWatcher } from "../../system/group-watcher.ts";
import { resolve } from "../../system/paths.ts";
import type { System } from "../../system/system.ts";
import { loadRecipe } from "../find/load-recipe.ts";
import { inferContext } from "../values/context.ts";
import { type EngineFacts, engineVariables, inheritedEnvironment } from "./base-environment.ts";
import { startRunner } from "./external-runner.ts";
import { readGitFacts, restoreCoreBare } from "./git-facts.ts";
import { Interruption } from "./interruption.ts";
import type { RunOutcome } from "./run-outcome.ts";
import { RunRefusal, type RunRequest, type RunSettings } from "./run-request.ts";

/** Hands the run to the external runner that the environment names. */
export async function delegateRun(
  system: System,
  request: RunRequest,
  settings: RunSettings,
  order: {
    readonly runner: string;
    readonly recipePath: string;
    readonly engineFacts: EngineFacts;
    readonly watcher: GroupWatcher;
    readonly warn: (message: string) => void;
  },
): Promise<RunOutcome> {
  const { engineFacts, recipePath, runner, watcher, warn } = order;
  refuseUnsupported(request);
  const { search, workingDir } = settings;
  const git = readGitFacts(system, workingDir);
  const inherited = inheritedEnvironment(system);
  const { loaded } = loadRecipe(system, recipePath, search);
  const inferred = loaded === undefined ? {} : inferContext(system, loaded.recipe.context, settings.given);
  const done = await startRunner(system, {
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
    watcher,
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

/** What the runner has no word for must not be left out without one. */
function refuseUnsupported(request: RunRequest): void {
  const asked: readonly (readonly [string, boolean])[] = [
    ["--resume", request.resume !== undefined],
    ["--include-tags", (request.includeTags ?? []).length > 0],
    ["--exclude-tags", (request.excludeTags ?? []).length > 0],
    ["--audit-dir", request.auditDir !== undefined],
    ["--auto-stage", request.autoStage === true],
    ["--strict", request.isStrict === true],
  ];
  const unsupported = asked.filter(([, isAsked]) => isAsked).map(([flag]) => flag);
  if (unsupported.length === 0) return;
  throw new RunRefusal(
    "bad_args",
    `The external recipe runner cannot take ${unsupported.join(", ")}; unset RECIPE_RUNNER_RS_PATH to use it`,
  );
}
