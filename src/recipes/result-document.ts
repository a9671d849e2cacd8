import { Buffer } from "node:buffer";
import type { GitFacts } from "./git-facts.ts";
import type {
  ErrorKind,
  FailureContext,
  LogPointer,
  RecentOutput,
  ResultDocument,
  StepResult,
} from "./result.ts";
import { seconds } from "./result.ts";
import type { FrameEnd } from "./run-frame.ts";

export interface DocumentFacts {
  readonly runId: string;
  readonly recipeName: string;
  readonly end: FrameEnd;
  readonly isDryRun: boolean;
  readonly hidesContext: boolean;
  readonly warnings: readonly string[];
  readonly durationMs: number;
  readonly exitCode: number;
  readonly git: GitFacts | undefined;
  readonly logPaths: readonly string[];
}

export function resultDocument(facts: DocumentFacts): ResultDocument {
  const { end, runId, recipeName } = facts;
  const failed = failureContext(end);
  const pointer: LogPointer = {
    run_id: runId,
    recipe_name: recipeName,
    status: end.isSuccess ? "success" : "failure",
    ...(facts.git === undefined ? {} : { worktree: facts.git.worktree }),
    ...(facts.git?.branch === undefined ? {} : { branch: facts.git.branch }),
    exit_code: facts.exitCode,
    ...(facts.logPaths.length === 0 ? {} : { log_paths: facts.logPaths }),
  };
  return {
    recipe_name: recipeName,
    success: end.isSuccess,
    status: end.status,
    run_id: runId,
    step_results: end.results,
    ...(facts.hidesContext ? {} : { context: end.context }),
    duration: seconds(facts.durationMs),
    ...(facts.isDryRun ? { dry_run: true as const } : {}),
    ...(end.output === undefined ? {} : { output: end.output }),
    ...(facts.warnings.length === 0 ? {} : { warnings: facts.warnings }),
    ...(failed === undefined ? {} : { failure_context: failed }),
    log_pointer: pointer,
  };
}

/** The document of a run that could not begin. */
export function refusalDocument(
  recipeName: string,
  runId: string,
  kind: ErrorKind,
  message: string,
): ResultDocument {
  return {
    recipe_name: recipeName,
    success: false,
    status: "ERROR",
    run_id: runId,
    step_results: [],
    duration: 0,
    error: message,
    error_kind: kind,
  };
}

/** The step that ended the recipe, else the first that failed. */
function failureContext(end: FrameEnd): FailureContext | undefined {
  const failed = end.results.filter(result => result.status === "failed");
  const step = end.isSuccess ? failed[0] : failed.at(-1);
  if (step === undefined) return undefined;
  return {
    step_id: step.step_id,
    ...(step.step_name === undefined ? {} : { step_name: step.step_name }),
    phase: (end.isSuccess ? undefined : end.failedPhase) ?? "execute",
    status: step.status,
    elapsed_seconds: step.duration,
    ...(step.exit_code === undefined ? {} : { exit_code: step.exit_code }),
    recent_output: [
      ...recentOutput(step, "stdout", step.recent_stdout),
      ...recentOutput(step, "stderr", step.recent_stderr),
    ],
  };
}

function recentOutput(
  step: StepResult,
  stream: "stdout" | "stderr",
  lines: readonly string[] | undefined,
): readonly RecentOutput[] {
  if (lines === undefined || lines.length === 0) return [];
  const text = lines.join("\n");
  const truncated = stream === "stdout" && !step.output.startsWith(text);
  return [
    {
      source: `step:${step.step_id}`,
      stream,
      line_count: lines.length,
      byte_count: Buffer.byteLength(text),
      truncated,
      text,
    },
  ];
}
