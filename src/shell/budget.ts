/**
 * Work counted in steps, so that every machine gives the same answer. A clock, if there is one, is looked at now and
 * then as the last resort.
 */
export interface Budget {
  /** Takes steps; false when they are used up, and from then on always. */
  take(steps: number): boolean;
  readonly isSpent: boolean;
  readonly used: number;
}

const STEPS_BETWEEN_LOOKS = 4096;

export function createBudget(limit: number, isLate?: () => boolean): Budget {
  let used = 0;
  let nextLook = STEPS_BETWEEN_LOOKS;
  let isSpent = false;
  return {
    take(steps) {
      used += steps;
      if (used > limit) isSpent = true;
      else if (used >= nextLook && isLate !== undefined) {
        nextLook = used + STEPS_BETWEEN_LOOKS;
        if (isLate()) isSpent = true;
      }
      return !isSpent;
    },
    get isSpent() {
      return isSpent;
    },
    get used() {
      return used;
    },
  };
}
