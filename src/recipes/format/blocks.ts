import type { Step } from "./recipe.ts";

/** Consecutive steps of one parallel group belong together; every other step stands alone. */
export function blocksOf(steps: readonly Step[]): readonly (readonly Step[])[] {
  const blocks: Step[][] = [];
  for (const step of steps) {
    const last = blocks.at(-1);
    if (step.parallelGroup !== undefined && last?.[0]?.parallelGroup === step.parallelGroup) last.push(step);
    else blocks.push([step]);
  }
  return blocks;
}
