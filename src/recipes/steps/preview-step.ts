import { defined, type JsonObject } from "../../protocol/index.ts";
import type { Step } from "../format/recipe.ts";
import type { StepPreview } from "../run/result.ts";
import type { Frame } from "../run/run.ts";
import { fillTemplate } from "../values/template.ts";

/** What a step would do. A value that an earlier step makes is not known yet: its placeholder stays. */
export function previewStep(step: Step, { context, assigned }: Frame): StepPreview {
  const known: JsonObject = Object.fromEntries(
    Object.entries(context).filter(([name]) => !Object.hasOwn(assigned, name)),
  );
  const fill = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : fillTemplate(text, known);
  return defined({
    command: fill(step.command),
    agent: step.agent,
    prompt: fill(step.prompt),
    recipe: step.recipe,
    condition: step.condition,
    working_dir: fill(step.workingDir),
    output: step.output,
  });
}
