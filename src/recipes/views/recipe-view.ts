import { blocksOf, DEFAULT_VERSION, type Recipe, type Step } from "../format/recipe.ts";
import { clipCharacters } from "../steps/snippet.ts";
import { valueText } from "../values/value.ts";

const PREVIEW_CHARACTERS = 100;

/** A recipe for people. */
export function recipeTable(
  recipe: Recipe,
  path: string,
  parts: { readonly hasSteps: boolean; readonly hasContext: boolean },
): string {
  const context = Object.entries(recipe.context);
  return [
    `Recipe: ${recipe.name}`,
    ...(recipe.description === undefined ? [] : [`Description: ${recipe.description.trim()}`]),
    `Version: ${recipe.version ?? DEFAULT_VERSION}`,
    ...(recipe.author === undefined ? [] : [`Author: ${recipe.author}`]),
    ...(recipe.tags.length === 0 ? [] : [`Tags: ${recipe.tags.join(", ")}`]),
    ...(recipe.extends === undefined ? [] : [`Extends: ${recipe.extends}`]),
    `File: ${path}`,
    ...(parts.hasContext && context.length > 0
      ? ["", "Context:", ...context.map(([key, value]) => `  ${key}: ${preview(valueText(value))}`)]
      : []),
    ...(parts.hasSteps ? ["", `Steps (${recipe.steps.length}):`, ...recipe.steps.flatMap(stepLines)] : []),
    "",
  ].join("\n");
}

function stepLines(step: Step, index: number): readonly string[] {
  const fields: readonly (readonly [string, string | undefined])[] = [
    ["Agent", step.agent],
    ["Recipe", step.recipe],
    ["Command", step.command],
    ["Prompt", step.prompt],
    ["Condition", step.condition],
    ["Output", step.output],
    ["Parallel group", step.parallelGroup],
    ["Tags", step.whenTags.length === 0 ? undefined : step.whenTags.join(", ")],
    ["Timeout", step.timeoutSeconds === undefined ? undefined : `${step.timeoutSeconds}s`],
  ];
  return [
    `  ${index + 1}. ${step.id} (${step.type})${step.name === undefined ? "" : `: ${step.name}`}`,
    ...fields.flatMap(([name, text]) => (text === undefined ? [] : [`     ${name}: ${preview(text)}`])),
  ];
}

function preview(text: string): string {
  const line = text.trim().replace(/\s*\n\s*/g, " ⏎ ");
  return clipCharacters(line, PREVIEW_CHARACTERS, "...");
}

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
