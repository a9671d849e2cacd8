import { blocksOf } from "../format/blocks.ts";
import type { Recipe, Step } from "../format/recipe.ts";

/** The steps of a recipe as a small drawing: order, groups, conditions, and which variable each step fills. */
export function recipeGraph(recipe: Recipe): string {
  const width = Math.max(...recipe.steps.map(step => [...step.id].length)) + (hasGroup(recipe) ? 3 : 0);
  const blocks = blocksOf(recipe.steps);
  const lines = blocks.flatMap((block, index) => drawBlock(block, index === blocks.length - 1, width));
  return [recipe.name, "│", ...lines, ""].join("\n");
}

function drawBlock(block: readonly Step[], isLast: boolean, width: number): readonly string[] {
  const [first] = block;
  if (block.length === 1 && first !== undefined) return drawStep(first, isLast ? "└─" : "├─", "│", width);
  const margin = isLast ? "   " : "│  ";
  const members = block.flatMap((step, index) => {
    const branch = index === block.length - 1 ? "└─" : "├─";
    return drawStep(step, margin + branch, `${margin}│`, width - 3);
  });
  return [`${isLast ? "╘═" : "╞═"} together: ${first?.parallelGroup ?? ""}`, ...members];
}

/** `trunk` is what stands above the branch. */
function drawStep(step: Step, branch: string, trunk: string, width: number): readonly string[] {
  const pad = " ".repeat(Math.max(0, width - [...step.id].length));
  const facts = [
    describeWork(step),
    ...(step.output === undefined ? [] : [`→ ${step.output}`]),
    ...(step.isNonFatal ? ["may fail"] : []),
    ...(step.whenTags.length === 0 ? [] : [`tags ${step.whenTags.join(", ")}`]),
  ];
  return [
    ...(step.condition === undefined ? [] : [`${trunk} ◇ if ${oneLine(step.condition)}`]),
    `${branch} ${step.id}${pad}  ${facts.join("  ")}`,
  ];
}

function describeWork(step: Step): string {
  if (step.type === "recipe") return `recipe ${step.recipe ?? ""}`;
  return step.type === "agent" && step.agent !== undefined ? `agent ${step.agent}` : step.type;
}

function hasGroup({ steps }: Recipe): boolean {
  return blocksOf(steps).some(block => block.length > 1);
}

function oneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, " ");
}
