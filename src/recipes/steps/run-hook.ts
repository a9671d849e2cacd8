import { errorText } from "../../protocol/index.ts";
import type { HookName } from "../format/recipe.ts";
import type { StepOutcome, StepTask } from "../run/run.ts";
import { endText, executeProcess } from "./execute-process.ts";
import { type PreparedShell, prepareShell } from "./prepare-shell.ts";
import { clipBytes } from "./snippet.ts";

const HOOK_TIMEOUT_SECONDS = 30;
/** An error text goes into an environment variable, which has its limits. */
const MAX_ERROR_BYTES = 32 * 1024;

/** Runs one hook of the recipe around a step, if it has it. A hook that fails is a warning, nothing more. */
export async function runHook(
  task: StepTask,
  name: HookName,
  outcome?: StepOutcome,
): Promise<readonly string[]> {
  const { run, frame, step, context, reference } = task;
  const source = frame.loaded.recipe.hooks[name];
  if (source === undefined || source.trim() === "") return [];
  let shell: PreparedShell;
  try {
    shell = prepareShell(run, context, source, {
      AMPLIHACK_STEP_ID: step.id,
      ...(outcome === undefined
        ? {}
        : {
            AMPLIHACK_STEP_STATUS: outcome.status,
            AMPLIHACK_STEP_ERROR: clipBytes(outcome.error.replaceAll("\0", ""), MAX_ERROR_BYTES),
          }),
    });
  } catch (error) {
    return [`Hook '${name}' could not run: ${errorText(error)}`];
  }
  try {
    const { end, stdout, stderr } = await executeProcess(run, reference, {
      isShell: true,
      argv: shell.argv,
      cwd: run.workingDir,
      env: shell.env,
      timeoutSeconds: HOOK_TIMEOUT_SECONDS,
    });
    const said = [stdout, stderr].filter(text => text !== "").join("");
    if (said !== "") run.observe({ kind: "notice", text: said.trimEnd(), isWarning: false });
    if (end.kind === "exit" && end.code === 0) return shell.warnings;
    const how = end.kind === "timeout" ? `timed out after ${HOOK_TIMEOUT_SECONDS}s` : endText(end);
    return [...shell.warnings, `Hook '${name}' failed (${how})`];
  } finally {
    shell.dispose();
  }
}
