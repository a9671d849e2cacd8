/** Work counted in steps, never in time, so that every machine gives the same answer. */
export interface Budget {
  /** Takes steps; false when they are used up, and from then on always. */
  take(steps: number): boolean;
  readonly isSpent: boolean;
  readonly used: number;
}

export function createBudget(limit: number): Budget {
  let used = 0;
  let isSpent = false;
  return {
    take(steps) {
      used += steps;
      if (used > limit) isSpent = true;
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
