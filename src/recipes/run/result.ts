import type { JsonObject } from "../../protocol/index.ts";
import type { Problem, StepType } from "../format/recipe.ts";

export type StepStatus = "completed" | "skipped" | "failed" | "degraded";
export type RunStatus = "SUCCESS" | "PARTIAL" | "FAILURE" | "ERROR";
export type ErrorKind = "parse_error" | "not_found" | "bad_args" | "recursion_guard" | "internal";

/** How a step ended, spelled as in the result document. `output` and `error` are always there. */
export interface StepResult {
  readonly step_id: string;
  readonly status: StepStatus;
  readonly output: string;
  readonly error: string;
  /** seconds */
  readonly duration: number;
  readonly step_name?: string;
  readonly step_type: StepType;
  readonly exit_code?: number;
  readonly timed_out?: true;
  readonly warnings?: readonly string[];
  readonly recent_stdout?: readonly string[];
  readonly recent_stderr?: readonly string[];
  readonly sub_result?: SubResult;
  /** in a dry run */
  readonly would_run?: StepPreview;
}

/** What a step would do, with the values filled in that are known before anything runs. */
export interface StepPreview {
  readonly command?: string;
  readonly agent?: string;
  readonly prompt?: string;
  readonly recipe?: string;
  readonly condition?: string;
  readonly working_dir?: string;
  readonly output?: string;
}

/** The run of a recipe inside a recipe step. */
export interface SubResult {
  readonly recipe_name: string;
  readonly success: boolean;
  readonly status: RunStatus;
  readonly step_results: readonly StepResult[];
  readonly output?: string;
}

export interface RecentOutput {
  readonly source: string;
  readonly stream: "stdout" | "stderr";
  readonly line_count: number;
  readonly byte_count: number;
  readonly truncated: boolean;
  readonly text: string;
}

export interface FailureContext {
  readonly step_id: string;
  readonly step_name?: string;
  readonly phase: string;
  readonly status: StepStatus;
  readonly elapsed_seconds: number;
  readonly exit_code?: number;
  readonly recent_output: readonly RecentOutput[];
}

export interface LogPointer {
  readonly run_id: string;
  readonly recipe_name: string;
  readonly status: "success" | "failure" | "spawn_failure" | "parse_failure";
  readonly worktree?: string;
  readonly branch?: string;
  readonly child_pid?: number;
  readonly exit_code?: number;
  readonly runner_path?: string;
  readonly log_paths?: readonly string[];
}

/** What `recipe run` prints. Readers ignore members they do not know. */
export interface ResultDocument {
  readonly recipe_name: string;
  readonly success: boolean;
  readonly status: RunStatus;
  readonly run_id: string;
  readonly step_results: readonly StepResult[];
  readonly context?: JsonObject;
  /** seconds */
  readonly duration: number;
  readonly dry_run?: true;
  readonly output?: string;
  readonly warnings?: readonly string[];
  readonly failure_context?: FailureContext;
  readonly log_pointer?: LogPointer;
  readonly error?: string;
  readonly error_kind?: ErrorKind;
}

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

export const EXIT_CODES = {
  success: 0,
  failed: 1,
  invalid: 2,
  notFound: 3,
  badArguments: 4,
} as const;

export const EXIT_CODE_OF_ERROR: Readonly<Record<ErrorKind, number>> = {
  parse_error: EXIT_CODES.invalid,
  not_found: EXIT_CODES.notFound,
  bad_args: EXIT_CODES.badArguments,
  recursion_guard: EXIT_CODES.failed,
  internal: EXIT_CODES.failed,
};

export function runStatus(results: readonly StepResult[], isSuccess: boolean): RunStatus {
  if (!isSuccess) return "FAILURE";
  const isFlawed = ({ status, sub_result }: StepResult): boolean =>
    status === "failed" || status === "degraded" || sub_result?.status === "PARTIAL";
  return results.some(isFlawed) ? "PARTIAL" : "SUCCESS";
}

export function seconds(ms: number): number {
  return Math.round(ms) / 1000;
}
