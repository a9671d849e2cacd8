import type { Budget } from "../shell/budget.ts";

/**
 * The work one reading of code may do: linear in the text, and never more than the analysis has left. Once it
 * is cut short (steps, nesting, alternatives), nobody may take silence for "nothing there".
 */
export interface Effort {
  readonly budget: Budget;
  left: number;
  isCutShort: boolean;
}

const STEPS_PER_CHARACTER = 24;
const STEPS_FOR_ANY_TEXT = 4_000;

export function effortFor(length: number, budget: Budget): Effort {
  return { budget, left: STEPS_FOR_ANY_TEXT + STEPS_PER_CHARACTER * length, isCutShort: false };
}

/** Pay one step. False means: stop, return what you have. */
export function step(effort: Effort): boolean {
  if (effort.left <= 0 || !effort.budget.take(1)) {
    effort.isCutShort = true;
    return false;
  }
  effort.left -= 1;
  return true;
}
