import type { JsonObject } from "../../protocol/index.ts";

export const STEP_TYPES = ["bash", "agent", "recipe"] as const;
export type StepType = (typeof STEP_TYPES)[number];

/** One step as its author wrote it; undefined where nothing was written. */
export interface Step {
  readonly id: string;
  readonly type: StepType;
  readonly name: string | undefined;
  readonly command: string | undefined;
  readonly agent: string | undefined;
  readonly prompt: string | undefined;
  readonly recipe: string | undefined;
  /** `context` and `sub_context` merged */
  readonly subContext: JsonObject;
  readonly output: string | undefined;
  readonly condition: string | undefined;
  readonly parseJson: boolean;
  readonly parseJsonRequired: boolean;
  readonly timeoutSeconds: number | undefined;
  readonly workingDir: string | undefined;
  /** its failure does not end the recipe */
  readonly isNonFatal: boolean;
  readonly parallelGroup: string | undefined;
  readonly whenTags: readonly string[];
  readonly recoveryOnFailure: boolean;
  readonly model: string | undefined;
  readonly mode: string | undefined;
  readonly autoStage: boolean | undefined;
  readonly dependsOn: readonly string[];
  /** how often it is tried again when what it runs fails */
  readonly retries: number;
  /** before the first further attempt; each pause is twice the one before */
  readonly retryDelaySeconds: number;
  /** what a person must say yes to before it runs */
  readonly approval: string | undefined;
  /** files to keep with a run that was submitted: names and patterns below where the step runs, templated */
  readonly artifacts: readonly string[];
}

export type HookName = "pre_step" | "post_step" | "on_error";

/** What the recipe reports at its end: the text of a variable, or a rendered template. */
export type RecipeOutput =
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "template"; readonly template: string; readonly format: string | undefined };

/** A recipe as declared. `undefined` members were not set and may be inherited. */
export interface Recipe {
  readonly name: string;
  readonly description: string | undefined;
  readonly version: string | undefined;
  readonly author: string | undefined;
  readonly tags: readonly string[];
  readonly context: JsonObject;
  readonly contextValidation: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
  readonly recursion: { readonly maxDepth: number | undefined; readonly maxTotalSteps: number | undefined };
  readonly hooks: Readonly<Record<HookName, string | undefined>>;
  readonly extends: string | undefined;
  readonly output: RecipeOutput | undefined;
  readonly defaultStepTimeout: number | undefined;
}

export const DEFAULT_VERSION = "1.0.0";
export const MAX_RECIPE_BYTES = 1_000_000;
export const DEFAULT_MAX_DEPTH = 6;
/** Deeper nesting is a mistake, and every level is reported inside the one above it. */
export const MAX_DEPTH = 100;
export const DEFAULT_MAX_TOTAL_STEPS = 200;

/** Something to say about a recipe file; lines and columns count from 1. */
export interface Problem {
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** Consecutive steps of one parallel group belong together; every other step stands alone. */
export function splitBlocks(steps: readonly Step[]): readonly (readonly Step[])[] {
  const blocks: Step[][] = [];
  for (const step of steps) {
    const last = blocks.at(-1);
    if (step.parallelGroup !== undefined && last?.[0]?.parallelGroup === step.parallelGroup) last.push(step);
    else blocks.push([step]);
  }
  return blocks;
}
