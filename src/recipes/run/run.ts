import type { AgentName } from "../../hosts/index.ts";
import type { JsonObject } from "../../protocol/index.ts";
import type { System } from "../../system/index.ts";
import type { GroupWatcher } from "../../system/node.ts";
import type { RecipeSearch } from "../find/find-recipe.ts";
import type { LoadedRecipe } from "../find/load-recipe.ts";
import type { Step } from "../format/recipe.ts";
import type { Approve, KeepFiles, Observer, StepReference } from "../logs/events.ts";
import type { OutputSnippet, SnippetLimits } from "../steps/snippet.ts";
import type { Interruption } from "./interruption.ts";
import type { FrameProgress, ProgressKeeper } from "./progress-keeper.ts";
import type { RunStatus, StepResult, StepStatus, SubResult } from "./result.ts";

/** What holds for the whole run, sub-recipes included. */
export interface RecipeRun {
  readonly system: System;
  readonly runId: string;
  readonly topLevelFile: string;
  readonly search: RecipeSearch;
  readonly workingDir: string;
  /** private directory, removed at the end */
  readonly runtimeRoot: string;
  readonly environment: RunEnvironment;
  readonly agent: AgentName;
  /** program and first arguments that start an agent; its name and arguments follow */
  readonly launcher: readonly [string, ...string[]];
  /** replaces every other timeout; 0 switches them off */
  readonly stepTimeoutSeconds: number | undefined;
  readonly includeTags: readonly string[];
  readonly excludeTags: readonly string[];
  readonly autoStage: boolean;
  readonly isDryRun: boolean;
  readonly snippetLimits: SnippetLimits;
  /** 0 for none */
  readonly heartbeatSeconds: number;
  readonly observe: Observer;
  readonly warn: (message: string) => void;
  readonly interruption: Interruption;
  readonly progress: ProgressKeeper;
  /** ends the programs of steps when this process is killed */
  readonly watcher: GroupWatcher;
  readonly counter: { steps: number; files: number; shells: number };
  /** SHA-256 of the files of the question that the person said yes to, where an agent started the run */
  readonly shown: ReadonlySet<string> | "to the person who started it" | "to nobody";
  /** asks a person about a step and waits; undefined where nobody can be asked */
  readonly approve: Approve | undefined;
  readonly keepFiles: KeepFiles | undefined;
}

interface RunEnvironment {
  /** the parent's */
  readonly inherited: Readonly<Record<string, string>>;
  /** the PATH for a script or prompt: the parent's, with our own programs behind it where they are named */
  readonly pathFor: (text: string) => string;
  readonly engine: Readonly<Record<string, string>>;
  readonly bytes: number;
  readonly budgetOverride: number | undefined;
  readonly argumentLimit: () => number;
}

/** One recipe being run: the one asked for, or a sub-recipe. */
export interface Frame {
  readonly loaded: LoadedRecipe;
  readonly depth: number;
  readonly limits: { readonly maxDepth: number; readonly maxTotalSteps: number };
  /** in front of step ids in references */
  readonly pathPrefix: string;
  /** monotonic milliseconds at which the whole frame must have ended */
  readonly deadlineMs: number | undefined;
  context: JsonObject;
  /** variables set by steps, here or further in */
  assigned: JsonObject;
  readonly progress: FrameProgress;
}

/** One step about to be executed, with the context it sees. */
export interface StepTask {
  readonly run: RecipeRun;
  readonly frame: Frame;
  readonly step: Step;
  readonly reference: StepReference;
  readonly context: JsonObject;
}

/** What an executor says of a step. */
export interface StepOutcome {
  readonly status: Exclude<StepStatus, "skipped">;
  readonly output: string;
  readonly error: string;
  /** which part failed */
  readonly phase: string;
  /** variables to set when the step is committed */
  readonly variables: JsonObject;
  readonly warnings: readonly string[];
  readonly exitCode?: number | undefined;
  readonly isTimedOut?: boolean;
  readonly recentStdout?: OutputSnippet;
  readonly recentStderr?: OutputSnippet;
  readonly subResult?: SubResult;
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

export interface FailedStep {
  readonly result: StepResult;
  readonly phase: string;
  readonly outcome: StepOutcome | undefined;
}

export function failure(phase: string, error: string, more: Partial<StepOutcome> = {}): StepOutcome {
  return { status: "failed", output: "", variables: {}, warnings: [], ...more, phase, error };
}
