import { randomUUID } from "node:crypto";
import { hostname, userInfo } from "node:os";
import type { System } from "../../system/index.ts";
import { findRecipe } from "../find/find-recipe.ts";
import { loadForRun } from "../run/run-recipe.ts";
import { RunRefusal, type RunRequest, readSettings } from "../run/run-request.ts";
import { inferContext } from "../values/context.ts";
import { type Connection, withClient } from "./connection.ts";
import { RUN_VERSION, WORKFLOW } from "./dbos.ts";
import { packRecipe } from "./pack-recipe.ts";
import type { SubmittedRun } from "./submitted-run.ts";

/** A recipe that is ready to be put on a queue. */
export interface PackedRun {
  readonly recipe: string;
  readonly stepCount: number;
  readonly submitted: SubmittedRun;
  readonly warnings: readonly string[];
}

/** Finds, checks and packs a recipe with everything that it needs; throws `RunRefusal` when it cannot be run. */
export function packRun(system: System, request: RunRequest): PackedRun {
  const settings = readSettings(system, request);
  const { search, given, agent, stepTimeoutSeconds } = settings;
  const found = findRecipe(system, request.recipe, search);
  if (found.kind !== "found")
    throw new RunRefusal(found.kind === "missing" ? "not_found" : "bad_args", found.message);
  const warnings: string[] = [];
  const { isStrict } = request;
  const loaded = loadForRun(system, { isDryRun: true, isStrict }, settings, found.path, warning =>
    warnings.push(warning),
  );
  const packed = packRecipe(system, loaded, search);
  const { name, steps, context } = loaded.recipe;
  return {
    recipe: name,
    stepCount: steps.length,
    submitted: {
      files: packed.files,
      // What is inferred from the environment is inferred here: every worker has another one.
      context: { ...inferContext(system, context, given), ...given },
      options: {
        stepTimeoutSeconds,
        includeTags: request.includeTags,
        excludeTags: request.excludeTags,
        agentBinary: agent,
        autoStage: request.autoStage,
      },
    },
    warnings: [...new Set([...warnings, ...packed.warnings])],
  };
}

/** Puts the run on the queue. Answers its id. */
export async function enqueueRun(connection: Connection, queue: string, run: PackedRun): Promise<string> {
  const workflow = {
    queueName: queue,
    workflowName: WORKFLOW,
    workflowID: randomUUID(),
    appVersion: RUN_VERSION,
    attributes: { recipe: run.recipe, steps: run.stepCount, queue, by: submitter() },
  };
  await withClient(connection, client => client.enqueue(workflow, run.submitted));
  return workflow.workflowID;
}

function submitter(): string {
  return `${userInfo().username}@${hostname()}`;
}
