import type { JsonObject } from "../../protocol/index.ts";
import type { RunStatus, StepResult } from "./result.ts";
import type { StepOutcome } from "./run.ts";

export interface FailedStep {
  readonly result: StepResult;
  readonly phase: string;
  readonly outcome: StepOutcome | undefined;
}

/** How a recipe ended. */
export interface FrameEnd {
  readonly results: readonly StepResult[];
  readonly isSuccess: boolean;
  readonly status: RunStatus;
  readonly assigned: JsonObject;
  readonly context: JsonObject;
  readonly output: string | undefined;
  readonly warnings: readonly string[];
  /** the step that ended the recipe, else the first that failed */
  readonly failed: FailedStep | undefined;
}
