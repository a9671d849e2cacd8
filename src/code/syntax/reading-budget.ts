import type { Budget } from "../../shell/index.ts";

/**
 * The work one reading of code may do: linear in the text, and never more than the analysis has left. Once it
 * is cut short (steps, nesting, alternatives), no call found does not mean that there is none.
 */
export interface ReadingBudget {
  readonly total: Budget;
  left: number;
  isCutShort: boolean;
}

const STEPS_PER_CHARACTER = 24;
const STEPS_FOR_ANY_TEXT = 4_000;

export function createReadingBudget(length: number, total: Budget): ReadingBudget {
  return { total, left: STEPS_FOR_ANY_TEXT + STEPS_PER_CHARACTER * length, isCutShort: false };
}

/** Pay one step. False means: stop, return what you have. */
export function step(budget: ReadingBudget): boolean {
  if (budget.left <= 0 || !budget.total.take(1)) {
    budget.isCutShort = true;
    return false;
  }
  budget.left -= 1;
  return true;
}
