import { errorText } from "../../protocol/index.ts";
import type { StepType } from "../format/recipe.ts";
import type { StepResult } from "../run/result.ts";

/** A step as observers see it. */
export interface StepReference {
  readonly id: string;
  readonly type: StepType;
  readonly name: string | undefined;
  /** 0 for the steps of the recipe that was asked for */
  readonly depth: number;
  /** ids from the outermost step inwards, joined by `/` */
  readonly path: string;
}

/** Everything that happens during a run, in order. */
export type RunEvent =
  | {
      readonly kind: "recipe_start";
      readonly recipe: string;
      readonly stepCount: number;
      readonly runtimeRoot: string;
      readonly workingDir: string;
      readonly file: string;
    }
  | { readonly kind: "step_start"; readonly step: StepReference }
  | { readonly kind: "process"; readonly step: StepReference; readonly pid: number }
  | {
      readonly kind: "output";
      readonly step: StepReference;
      readonly stream: "stdout" | "stderr";
      readonly chunk: Uint8Array;
    }
  | { readonly kind: "heartbeat"; readonly step: StepReference; readonly elapsedMs: number }
  | { readonly kind: "step_end"; readonly step: StepReference; readonly result: StepResult }
  /** said to the person who watches: waits, warnings, what hooks print */
  | { readonly kind: "notice"; readonly text: string; readonly isWarning: boolean }
  /** a line by which another program that reads our stderr finds the logs; people are not shown it */
  | { readonly kind: "pointer"; readonly line: string }
  | {
      readonly kind: "recipe_end";
      readonly recipe: string;
      readonly status: string;
      readonly durationMs: number;
      /** the signal that ended it */
      readonly signal: string | undefined;
    };

export type Observer = (event: RunEvent) => void;

/** Calls all observers. One that throws is left out from then on, with a warning. */
export function observeAll(
  observers: ReadonlyMap<string, Observer>,
  warn: (message: string) => void,
): Observer {
  const listening = new Map(observers);
  return event => {
    for (const [name, observe] of [...listening]) {
      try {
        observe(event);
      } catch (error) {
        listening.delete(name);
        warn(`${name} cannot be written: ${errorText(error)}`);
      }
    }
  };
}

/** Keeps files of a step, named below a directory. Answers what was not kept, and why. */
export type KeepFiles = (
  step: StepReference,
  directory: string,
  patterns: readonly string[],
) => Promise<readonly string[]>;

/** Answers who said what. Without an answer the run was interrupted meanwhile. */
export type Approve = (
  step: StepReference,
  question: string,
) => Promise<{ readonly isApproved: boolean; readonly by: string } | undefined>;
