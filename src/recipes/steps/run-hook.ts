import { Buffer } from "node:buffer";
import type { HookName } from "../format/recipe.ts";
import type { StepOutcome, StepTask } from "../run/run.ts";
import { executeProcess } from "./execute-process.ts";
import { type PreparedShell, prepareShell } from "./prepare-shell.ts";

const HOOK_TIMEOUT_SECONDS = 30;
/** An error text goes into an environment variable, which has its limits. */
const ERROR_BYTES = 32 * 1024;

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
        : { AMPLIHACK_STEP_STATUS: outcome.status, AMPLIHACK_STEP_ERROR: clipBytes(outcome.error) }),
    });
  } catch (error) {
    return [`Hook '${name}' could not run: ${error instanceof Error ? error.message : String(error)}`];
  }
  try {
    const { end, stdout, stderr } = await executeProcess(run, reference, {
      argv: shell.argv,
      cwd: run.workingDir,
      env: shell.env,
      timeoutSeconds: HOOK_TIMEOUT_SECONDS,
    });
    const said = [stdout, stderr].filter(text => text !== "").join("");
    if (said !== "") run.observe({ kind: "notice", text: said.trimEnd(), isWarning: false });
    if (end.kind === "exit" && end.code === 0) return shell.warnings;
    return [...shell.warnings, `Hook '${name}' failed (${describe(end)})`];
  } finally {
    shell.dispose();
  }
}

function describe(end: Awaited<ReturnType<typeof executeProcess>>["end"]): string {
  if (end.kind === "exit") return `exit ${end.code}`;
  if (end.kind === "signal") return `signal ${end.signal}`;
  if (end.kind === "timeout") return `timed out after ${HOOK_TIMEOUT_SECONDS}s`;
  return end.kind === "not-started" ? `could not be started: ${end.code}` : end.kind;
}

function clipBytes(text: string): string {
  const clean = text.replaceAll("\0", "");
  const bytes = Buffer.from(clean, "utf8");
  return bytes.length <= ERROR_BYTES ? clean : bytes.toString("utf8", 0, ERROR_BYTES).replace(/\uFFFD+$/, "");
}
