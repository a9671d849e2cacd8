import type { JsonObject } from "../../protocol/index.ts";
import type { Step } from "../format/recipe.ts";
import type { StepOutcome } from "../run/run.ts";
import { extractJson, typeOutput } from "../values/value.ts";

type Settled = Pick<StepOutcome, "status" | "output" | "error" | "phase" | "variables">;

export function wantsJson(step: Step): boolean {
  return step.parseJson || step.parseJsonRequired;
}

/** What the captured text of a step that went well becomes: its reported output and its variable. */
export function settleOutput(step: Step, text: string): Settled {
  const completed = (output: string, variables: JsonObject): Settled => ({
    status: "completed",
    output,
    error: "",
    phase: "execute",
    variables,
  });
  if (!wantsJson(step)) return completed(text, assign(step, typeOutput(text)));
  if (text.trim() === "" && !step.parseJsonRequired) return completed("", assign(step, ""));
  const value = extractJson(text);
  if (value !== undefined) return completed(JSON.stringify(value), assign(step, value));
  if (!step.parseJsonRequired) {
    return {
      status: "degraded",
      output: text,
      error: "",
      phase: "parse_json",
      variables: assign(step, text),
    };
  }
  return {
    status: "failed",
    output: text,
    error: "parse_json failed: output is not valid JSON",
    phase: "parse_json",
    variables: variablesAfterFailure(step, text),
  };
}

/** A failed step leaves its variable alone, unless the recipe goes on and wants to look at what was said. */
export function variablesAfterFailure(step: Step, text: string): JsonObject {
  return step.isNonFatal ? assign(step, text) : {};
}

function assign(step: Step, value: JsonObject[string]): JsonObject {
  return step.output === undefined ? {} : { [step.output]: value };
}
