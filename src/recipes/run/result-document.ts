import { Buffer } from "node:buffer";
import { defined } from "../../protocol/index.ts";
import type { OutputSnippet } from "../steps/snippet.ts";
import type { GitFacts } from "./base-environment.ts";
import type {
  ErrorKind,
  FailureContext,
  LogPointer,
  RecentOutput,
  ResultDocument,
  StepResult,
} from "./result.ts";
import { seconds } from "./result.ts";
import type { FrameEnd } from "./run.ts";

interface DocumentFacts {
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
  const pointer: LogPointer = {
    run_id: runId,
    recipe_name: recipeName,
    status: end.isSuccess ? "success" : "failure",
    ...defined({ worktree: facts.git?.worktree, branch: facts.git?.branch }),
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
    ...defined({
      output: end.output,
      warnings: facts.warnings.length === 0 ? undefined : facts.warnings,
      failure_context: failureContext(end),
    }),
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

function failureContext({ failed }: FrameEnd): FailureContext | undefined {
  if (failed === undefined) return undefined;
  const { result, phase, outcome } = failed;
  return {
    step_id: result.step_id,
    ...defined({ step_name: result.step_name }),
    phase,
    status: result.status,
    elapsed_seconds: result.duration,
    ...defined({ exit_code: result.exit_code }),
    recent_output: [
      ...recentOutput(result, "stdout", outcome?.recentStdout),
      ...recentOutput(result, "stderr", outcome?.recentStderr),
    ],
  };
}

function recentOutput(
  step: StepResult,
  stream: "stdout" | "stderr",
  snippet: OutputSnippet | undefined,
): readonly RecentOutput[] {
  if (snippet === undefined || snippet.lines.length === 0) return [];
  const text = snippet.lines.join("\n");
  return [
    {
      source: `step:${step.step_id}`,
      stream,
      line_count: snippet.lines.length,
      byte_count: Buffer.byteLength(text),
      truncated: snippet.isCut,
      text,
    },
  ];
}
